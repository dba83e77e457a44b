"""Hierarchical kernels: group-scope code once per group, work-item loops inside it.

Non-goals: nd_range kernels. Invariant: everything at group scope is one scalar, so the statements
outside ``parallel_for_work_item`` run exactly once (SYCL 2020 §4.9.4.2.3).
"""

from __future__ import annotations

from collections.abc import Callable

from unisycl.backends.cpu.emit import queries
from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.lanes import Val
from unisycl.backends.cpu.emit.statements import emit_block
from unisycl.base.dtypes import INT64
from unisycl.ir import nodes as n

Box = Callable[[list[str], list[str], Callable[[list[Val]], None]], None]


class Hierarchy:
    """Emits the body of one work-group of a hierarchical kernel."""

    def __init__(self, e: Emitter, groups: list[str], box: Box) -> None:
        self.e = e
        self.groups = groups
        self.box = box
        e.work_items = self.work_items

    def run(self) -> None:
        """Emit group-scope code; work-item loops come back through ``work_items``."""
        self.e.homes = dict(self.e.homes)
        self.e.queries = queries.item_queries(self.e, self.groups, [], [])
        self.e.in_group = True
        emit_block(self.e, self.e.kernel.body)

    def work_items(self, stmt: n.WorkItems) -> None:
        """Emit one work-item loop over its logical range."""
        e = self.e
        if stmt.extent:
            extent = [e.emit(e, x) for x in stmt.extent]
        else:
            extent = [e.lanes.const(x, INT64) for x in e.kernel.local]
        outer_homes, outer_queries, loops = dict(e.homes), e.queries, e.loops

        def body(ids: list[Val]) -> None:
            e.homes, e.loops = dict(outer_homes), []
            e.queries = queries.item_queries(e, self.groups, ids, extent)
            emit_block(e, stmt.body)
            e.dead = ""
        highs = [v.ref for v in extent]
        e.in_group = False
        self.box(["0"] * len(highs), highs, body)
        e.in_group = True
        e.homes, e.queries, e.loops = outer_homes, outer_queries, loops
        e.mask, e.maybe_empty = None, False
