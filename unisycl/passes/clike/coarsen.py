"""Several work-items of a plain range side by side in one, so that more loads are under way.

Each statement of the body stands there once for every item, and all of them compute what they store
before any of them stores it: work-items have no order among themselves (SYCL 2020 §4.9.2), so this
is one of those in which they may run. Non-goals: choosing when (backends), bodies with control
flow. Invariant: the accesses of one work-item keep their order.
"""

from __future__ import annotations

from collections.abc import Sequence

from unisycl.base.dataclass import replace
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import View

_PLAIN = (n.Assign, n.Store, n.LoadMany, n.StoreMany)
_QUERIES = frozenset(("global_id", "global_range", "offset"))
_STATEMENTS, _NODES = 24, 96  # beyond, computing outweighs waiting for memory
_BYTES = 16


def items(kernel: n.Kernel) -> int:
    """Return how many work-items are worth putting into one: a power of two; 1 for none."""
    if kernel.index_kind != "range" or kernel.ndim != 1 or kernel.reducers or kernel.arrays:
        return 1
    body = kernel.body
    if len(body) > _STATEMENTS or not all(isinstance(s, _PLAIN) for s in body):
        return 1
    nodes = list(visit.all_expressions(body))
    if len(nodes) > _NODES or any(isinstance(x, n.Query) and x.name not in _QUERIES
                                  for x in nodes):
        return 1
    sizes = [_width(s) for s in body if isinstance(s, n.Store | n.StoreMany)]
    sizes += [x.place.type.size for x in nodes if isinstance(x, n.Load)]
    sizes += [_width(s) for s in body if isinstance(s, n.LoadMany)]
    return 1 if not sizes or 0 in sizes else max(1, min(8, _BYTES // max(sizes)))


def _width(stmt: n.Stmt) -> int:
    """Return how many bytes a statement moves; 0 for memory that is no device's."""
    assert isinstance(stmt, n.Store | n.StoreMany | n.LoadMany)
    base = stmt.place.base
    if not isinstance(base.type, View) or base.type.space is not address_space.global_space:
        return 0
    many = {n.StoreMany: "values", n.LoadMany: "results"}.get(type(stmt))
    return stmt.place.type.size * (len(getattr(stmt, many)) if many else 1)


def side_by_side(body: n.Block, ids: Sequence[n.Local]) -> n.Block:
    """Return the body for as many work-items as there are ids, one statement after the other."""
    items = [_Item(local) for local in ids]
    out: list[n.Stmt] = []
    for stmt in body:
        parts = [item.parts(stmt) for item in items]
        for step in zip(*parts, strict=True):
            out += step
    return tuple(out)


class _Item:
    """One work-item among others: its id and its own locals."""

    def __init__(self, own: n.Local) -> None:
        self.own = own
        self.locals: dict[n.Local, n.Local] = {}

    def local(self, local: n.Local) -> n.Local:
        """Return this item's copy of a local."""
        known = self.locals.get(local)
        if known is None:
            known = self.locals[local] = n.Local(local.name, local.type)
        return known

    def node(self, x: n.Expr) -> n.Expr | None:
        """Return this item's form of an expression; None to go on below it."""
        if isinstance(x, n.Read):
            return n.Read(x.type, self.local(x.local))
        if isinstance(x, n.Query) and x.name == "global_id":
            own = n.Read(self.own.type, self.own)
            return own if x.type.dtype is self.own.type.dtype else n.Narrow(x.type, own)
        return None

    def parts(self, stmt: n.Stmt) -> list[n.Stmt]:
        """Return a statement for this item, what it reads apart from what it writes."""
        stmt = visit.rewrite_own(stmt, self.node)
        match stmt:
            case n.Assign():
                return [replace(stmt, local=self.local(stmt.local))]
            case n.LoadMany():
                return [replace(stmt, results=tuple(self.local(x) for x in stmt.results))]
            case n.Store():
                before, (value, *index) = _held((stmt.value, *stmt.place.index), "value", stmt)
                place = replace(stmt.place, index=tuple(index))
                return [*before, replace(stmt, place=place, value=value)]
            case n.StoreMany():
                before, values = _held(stmt.values, "value", stmt)
                return [*before, replace(stmt, values=tuple(values))]
        raise AssertionError(stmt)


def _held(xs: Sequence[n.Expr], name: str, stmt: n.Stmt) -> tuple[list[n.Stmt], list[n.Expr]]:
    """Return statements that keep what reads memory in locals, and what to write instead."""
    before: list[n.Stmt] = []
    out: list[n.Expr] = []
    for x in xs:
        if any(isinstance(y, n.Load) for y in visit.walk(x)):
            local = n.Local(name, x.type)
            before.append(n.Assign(local, x, span=stmt.span))
            x = n.Read(x.type, local)
        out.append(x)
    return before, out
