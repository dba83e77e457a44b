"""Locals that only repeat another one go, so that the C text reads as the user wrote it.

Non-goals: optimisation, which the device's compiler does. Invariants: every use keeps its value; a
local is replaced by one, or by a constant, that keeps its value wherever the copy is read.
"""

from __future__ import annotations

import bisect

from unisycl.base.dataclass import replace
from unisycl.base.spans import Span
from unisycl.ir import nodes as n
from unisycl.ir import visit

_MADE = frozenset((
    "t", "p", "old", "bits", "word", "unit", "ballot", "length", "power", "real", "imag", "any",
    "all", "none", "reduce", "broadcast", "inclusive_scan", "exclusive_scan", "shift_left",
    "shift_right", "permute_xor", "select"))
"""What the front end calls locals that no user named; a user's of such a name is no worse off."""


def run(kernel: n.Kernel) -> tuple[n.Kernel, dict[n.Local, str]]:
    """Return a kernel without locals that are mere copies, and the names others inherit."""
    fixed = frozenset(
        x for r in kernel.reducers for x in (r.acc, r.valid, *r.left, *r.right, *r.result) if x)
    copies = _Copies(kernel.body, fixed)
    found = copies.run()
    if not found:
        return kernel, {}
    body = visit.rewrite_block(kernel.body, copies.standing)
    return replace(kernel, body=_Dropping(copies).block(body)), copies.names


class _Copies:
    """Finds the copies of one body; statements are numbered in their order, outer before inner."""

    def __init__(self, body: n.Block, fixed: frozenset[n.Local]) -> None:
        self.body = body
        self.fixed = fixed
        self.found: dict[n.Local, n.Read] = {}
        self.names: dict[n.Local, str] = {}
        self.spans: dict[n.Local, Span] = {}
        self.sets: dict[n.Local, list[int]] = {}
        self.reads: dict[n.Local, list[int]] = {}
        self.places: dict[int, int] = {}
        self.stops: dict[int, int] = {}
        self.number(body, 0)

    def number(self, block: n.Block, at: int) -> int:
        """Note where the locals of a block are set and read; return the number behind it."""
        for stmt in block:
            self.places[id(stmt)] = at
            for local in visit.targets(stmt):
                self.sets.setdefault(local, []).append(at)
            for x in visit.expressions(stmt):
                for e in visit.walk(x):
                    if isinstance(e, n.Read):
                        self.reads.setdefault(e.local, []).append(at)
            at += 1
            for inner in visit.blocks(stmt):
                at = self.number(inner, at)
        self.stops[id(block)] = at
        return at

    def run(self) -> dict[n.Local, n.Read]:
        """Return what stands for each copy."""
        self.block(self.body)
        return self.found

    def block(self, block: n.Block) -> None:
        """Look at a block and at those in it, in order."""
        for stmt in block:
            if isinstance(stmt, n.Assign) and isinstance(stmt.value, n.Read):
                self.copy(stmt, stmt.value, self.stops[id(block)])
            for inner in visit.blocks(stmt):
                self.block(inner)

    def copy(self, stmt: n.Assign, value: n.Read, stop: int) -> None:
        """Note a copy if it repeats another local until its last use, in its own block."""
        value = self.found.get(value.local, value)
        local, other, at = stmt.local, value.local, self.places[id(stmt)]
        if local in self.fixed or len(self.sets[local]) != 1 or local.type != other.type:
            return
        if local.name not in _MADE and other.name not in _MADE:
            return  # the user's own words
        reads = self.reads.get(local, ())
        if reads and not (at < reads[0] and reads[-1] < stop):
            return  # read elsewhere: before, or in another round of a loop
        sets = self.sets.get(other, ())
        after = bisect.bisect_right(sets, at)
        if after < len(sets) and sets[after] < stop:
            return
        self.found[local] = value
        if stmt.span is not None:
            self.spans.setdefault(other, stmt.span)
        if local.name not in _MADE and other not in self.fixed:
            self.names.setdefault(other, local.name)

    def standing(self, x: n.Expr) -> n.Expr:
        """Return what stands for an expression."""
        return self.found.get(x.local, x) if isinstance(x, n.Read) else x


class _Dropping(visit.Rewriter):
    """Leaves out the assignments of copies; what they repeat takes their lines."""

    def __init__(self, copies: _Copies) -> None:
        self.copies = copies

    def statement(self, stmt: n.Stmt) -> n.Block:
        """Return what stands for a statement."""
        if isinstance(stmt, n.Assign) and stmt.local in self.copies.found:
            return ()
        if stmt.span is None:
            spans = self.copies.spans
            span = next((spans[x] for x in visit.targets(stmt) if x in spans), None)
            stmt = stmt if span is None else replace(stmt, span=span)
        return (self.inside(stmt),)
