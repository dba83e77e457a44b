"""Names for records in memory that may have been overwritten since: ``t = a[i]; a[i] = a[j]``.

A name for a record is no copy, in Python with NumPy's records as here, so the ``t`` of a swap of
three lines holds what has just been written. Nobody means that; such reads are refused. Non-goals:
assignments to members, which whoever named a record in place expects to see; memory that two
parameters share. Invariants: a value that has no name yet is always current; what a loop's body
overwrites, it may have overwritten before its first line.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from unisycl.base.dataclass import replace
from unisycl.base.enums import address_space
from unisycl.frontend.values.kind import Lowering
from unisycl.frontend.values.records import Record
from unisycl.ir import nodes as n
from unisycl.ir.types import View

_HEAP = ("heap",)
_EVER = ("records", "overwritten")


class Overwrites:
    """What a kernel has overwritten so far, in the order it is lowered in."""

    def __init__(self) -> None:
        self._ticks = itertools.count(1)
        self._last: dict[Hashable, tuple[int, str]] = {}

    def named(self, value: Record) -> Record:
        """Return a record as a name holds it from now on, or from when another one got it."""
        return replace(value, since=next(self._ticks)) if value.since is None else value

    def note(self, ctx: Lowering, record: Record, node: ast.AST) -> None:
        """Note that a record is overwritten as a whole."""
        if isinstance(record.base, n.Array) and record.base in ctx.storage.copies:
            return
        key = _key(ctx, record.base)
        self._last[key] = next(self._ticks), f"in line {ctx.span(node).line}"
        known = ctx.types.get(_EVER, frozenset())
        if key not in known:
            ctx.types[_EVER] = known | {key}
            ctx.changed = ctx.changed or "convergent" in ctx.facts

    def meet(self, ctx: Lowering, node: ast.AST) -> None:
        """Note that other work-items may have done what the kernel does somewhere."""
        for key in ctx.types.get(_EVER, ()):
            if key[0] != "private":
                where = f"by another work-item before line {ctx.span(node).line}"
                self._last[key] = next(self._ticks), where

    def check(self, ctx: Lowering, record: Record, node: ast.AST) -> None:
        """Refuse to read a record by a name older than what may have overwritten it."""
        if record.since is None or ctx.frame.library:
            return  # functions of ours read what they are given, as it is when they read it
        key = _key(ctx, record.base)
        keys = [key, _HEAP] if key[0] == "global" else [key]
        if key == _HEAP:
            keys += [k for k in self._last if isinstance(k, tuple) and k[0] == "global"]
        at, where = max((self._last[k] for k in keys if k in self._last), default=(0, ""))
        if at > record.since:
            raise ctx.refuse("K125", node, name=record.name.split(".")[0], where=where)

    # ---- control flow
    @contextmanager
    def loop(self, ctx: Lowering, node: ast.AST) -> Iterator[None]:
        """Let what a turn of a loop overwrites be overwritten when the next one begins."""
        key = ("records", ctx.frame.key, ctx.span(node))
        known = ctx.types.get(key, {})
        for base, (_, where) in known.items():
            self._last[base] = next(self._ticks), where
        start = next(self._ticks)
        yield
        found = {base: last for base, last in self._last.items() if last[0] > start}
        if found.keys() - known.keys():
            ctx.types[key] = {**known, **found}
            ctx.changed = True


def _key(ctx: Lowering, base: n.Base) -> tuple[Hashable, ...]:
    """Return what is known of memory by the same name in every round."""
    if isinstance(base, n.Heap):
        return _HEAP
    if isinstance(base, n.Param):
        local = isinstance(base.type, View) and base.type.space is address_space.local_space
        return ("local" if local else "global", base.path)
    private = base.type.space is address_space.private_space
    return ("private" if private else "local", ctx.storage.arrays.index(base))
