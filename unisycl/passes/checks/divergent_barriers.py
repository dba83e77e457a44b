"""Barriers that provably not all work-items of a group reach.

A condition made of local ids, those in sub-groups included, and constants only is evaluated for
every item of the group, turn by turn in loops; if some items come to a barrier or group function
that others do not come to then, that is an error at compile time. Where the kernel does not ask
for a sub-group size, that has to be so for every size above 1. Non-goals: conditions that data
decides (debugged kernels and the host device find those at run time), and functions of sub-groups,
of which parts may be used in branches. Invariant: a kernel that could be right in sub-groups of
several items is never refused (SYCL 2020 §4.17.2).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np

from unisycl.base import diagnostics
from unisycl.base.enums import memory_scope
from unisycl.base.errors import Diagnostic
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import Scalar

_OPERATORS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "floordiv": np.floor_divide,
    "mod": np.mod, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
    "shl": np.left_shift, "shr": np.right_shift, "div": np.true_divide,
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal,
}


_SIZES = (2, 4, 8, 16, 32, 64)
"""Sub-group sizes that devices have; one of 1 never splits."""
_TURNS = 200
"""How many turns of loops with meetings are tried, all together."""
_Split: TypeAlias = tuple[n.Stmt, Any]
"""A condition that splits the group, and its values."""


def check(kernel: n.Kernel) -> list[Diagnostic]:
    """Return a diagnostic for every barrier in provably divergent control flow."""
    if kernel.index_kind != "nd_range" or not kernel.local:
        return []
    if not any(_collects(s) for s in visit.statements(kernel.body)):
        return []
    sizes = (kernel.sub_group,) if kernel.sub_group else _SIZES
    if not any(isinstance(x, n.Query) and x.name.startswith("sub_group")
               for x in visit.all_expressions(kernel.body)):
        sizes = sizes[:1]  # they decide nothing
    runs = [_Check(kernel, size).run() for size in sizes]
    return [found for at, found in runs[0].items() if all(at in run for run in runs)]


def _collects(stmt: n.Stmt) -> bool:
    return isinstance(stmt, n.Barrier | n.GroupCall) and stmt.scope is memory_scope.work_group


class _Check:
    """Runs a kernel for all items of a group at once; ``size`` is that of sub-groups.

    ``on`` are the items that are here, ``gone`` those that returned. ``known`` are values for every
    item, of the locals that ids and constants alone decide. Where something else decides a
    condition, all items are taken to go alike.
    """

    def __init__(self, kernel: n.Kernel, size: int) -> None:
        self.kernel = kernel
        place = np.arange(math.prod(kernel.local)).reshape(kernel.local)
        self.lane, self.sub_group = place % size, place // size
        self.found: dict[int, Diagnostic] = {}
        self.known: dict[n.Local, Any] = {}
        self.ids = np.indices(kernel.local)
        self.on = np.ones(kernel.local, bool)
        self.gone = np.zeros(kernel.local, bool)
        self.again: list[Any] = []
        self.split: list[_Split] = []
        self.apart: _Split | None = None
        self.turns = _TURNS

    def run(self) -> dict[int, Diagnostic]:
        """Return what was found, by the statements it was found at."""
        self.block(self.kernel.body)
        return self.found

    def block(self, block: n.Block) -> None:
        for stmt in block:
            if not self.on.any():
                return
            self.stmt(stmt)

    def stmt(self, stmt: n.Stmt) -> None:
        match stmt:
            case n.Assign():
                self.assign(stmt.local, self.value(stmt.value))
                return
            case n.If():
                self.branch(stmt)
            case n.While() | n.For():
                self.loop(stmt)
            case n.Scope():
                on, gone = self.on, self.gone
                self.block(stmt.body)
                self.on, self.gone = on, gone
            case n.Leave() | n.Break() | n.Continue():
                self.jump(stmt)
            case n.Barrier() | n.GroupCall() if _collects(stmt):
                self.reached(stmt)
        if not isinstance(stmt, n.If | n.While | n.For | n.Scope):
            self.forget(visit.targets(stmt))

    def assign(self, local: n.Local, value: Any) -> None:
        """Note the value of a local for the items that are here."""
        if value is None:
            self.known[local] = None
        elif self.on.all() or local not in self.known:
            self.known[local] = value
        elif self.known[local] is not None:
            self.known[local] = np.where(self.on, value, self.known[local])

    def forget(self, locals: Iterable[n.Local]) -> None:
        for local in locals:
            self.known[local] = None

    def branch(self, stmt: n.If) -> None:
        value, on = self.value(stmt.cond), self.on
        if value is None:
            self.maybe((stmt.then, stmt.orelse))
            return
        value = np.broadcast_to(value, on.shape)
        apart = self.disagree(value)
        self.split += [(stmt, value)] if apart else []
        ends = []
        for mask, block in ((on & value, stmt.then), (on & ~value, stmt.orelse)):
            self.on = mask
            self.block(block)
            ends.append(self.on)
        self.on = ends[0] | ends[1]
        del self.split[len(self.split) - apart:]

    def maybe(self, blocks: tuple[n.Block, ...]) -> None:
        """Go through blocks that may run, each for all the items that are here."""
        on, gone = self.on, self.gone
        for block in blocks:
            self.on, self.gone = on, gone
            self.block(block)
        self.on, self.gone = on, gone
        for block in blocks:
            self.forget(visit.assigned(block))

    def jump(self, stmt: n.Stmt) -> None:
        """Take the items that are here away, up to where they jump."""
        if self.split:
            self.apart = self.split[-1]
        if isinstance(stmt, n.Leave):
            self.gone = self.gone | self.on
        elif isinstance(stmt, n.Continue):
            self.again[-1] = self.again[-1] | self.on
        self.on = np.zeros_like(self.on)

    def loop(self, stmt: n.While | n.For) -> None:
        """Run a loop turn by turn as long as ids and constants decide, and not for ever."""
        on = inside = self.on
        at = stop = None
        if isinstance(stmt, n.For):
            at, stop = self.value(stmt.start), self.value(stmt.stop)
        while any(_collects(s) for s in visit.statements((stmt,))) and self.turns > 0:
            self.turns -= 1
            self.on, value = inside, None
            if isinstance(stmt, n.While):
                self.block(stmt.pre)
                value = self.value(stmt.cond)
            elif at is not None and stop is not None and isinstance(stmt.step, n.Const):
                value = at < stop if stmt.step.value > 0 else at > stop
            if value is None:
                break
            value = np.broadcast_to(value, on.shape)
            apart = self.disagree(value)
            self.split += [(stmt, value)] if apart else []
            if isinstance(stmt, n.For):
                self.on = self.on & value
                self.assign(stmt.local, at)
                at = at + stmt.step.value  # type: ignore[attr-defined]
            self.on = self.on & value
            self.again.append(np.zeros_like(on))
            self.block(stmt.body)
            inside = self.on | self.again.pop()
            if apart:
                self.apart = self.split.pop()
            if not inside.any():
                self.on = on & ~self.gone
                return
        self.on = inside
        self.unknown(stmt)
        self.on = on & ~self.gone

    def unknown(self, stmt: n.While | n.For) -> None:
        """Go through a loop of which nobody knows how many turns it takes."""
        self.forget(visit.assigned((stmt,)))
        self.again.append(np.zeros_like(self.on))
        self.maybe(tuple(visit.blocks(stmt)))
        self.again.pop()

    def reached(self, stmt: n.Barrier | n.GroupCall) -> None:
        """Report a meeting that some items come to and others do not."""
        split = self.split[-1] if self.split else self.apart
        if self.on.all() or split is None:
            return
        what = "group_barrier" if isinstance(stmt, n.Barrier) else "a group function"
        found = diagnostics.diagnostic("K051", stmt.span, what=what)
        note = self.explain(split)
        self.found[id(stmt)] = Diagnostic(found.id, found.message, found.span, found.help, (note,))

    def explain(self, split: tuple[n.Stmt, Any]) -> tuple[str, Any]:
        stmt, value = split
        values = np.broadcast_to(value, self.kernel.local)
        first = values.reshape(-1)[0]
        place = np.unravel_index(int(np.flatnonzero(values.reshape(-1) != first)[0]),
                                 self.kernel.local)
        ids = [tuple(int(x) for x in p) for p in ((0,) * len(self.kernel.local), place)]
        shown = [str(i[0]) if len(i) == 1 else str(i) for i in ids]
        text = (f"it depends on this: {first} for local id {shown[0]}, {values[place]} for "
                f"local id {shown[1]}")
        return text, stmt.span

    def disagree(self, value: Any) -> bool:
        """Say whether a known value differs between the work-items that are here."""
        if value is None or np.ndim(value) == 0 or not self.on.any():
            return False
        here = np.broadcast_to(value, self.on.shape)[self.on]
        return bool((here != here[0]).any())

    def value(self, x: n.Expr) -> Any:
        """Return an expression's value, of its type, for every local id; None if more decides."""
        found = self._value(x)
        if found is None or not isinstance(x.type, Scalar):
            return None
        return np.asarray(found).astype(x.type.dtype.numpy)

    def _value(self, x: n.Expr) -> Any:
        match x:
            case n.Const():
                return x.value
            case n.Read():
                return self.known.get(x.local)
            case n.Query():
                if x.name == "local_id":
                    return self.ids[x.dim]
                if x.name in ("sub_group_local_id", "sub_group_id"):
                    return self.lane if x.name == "sub_group_local_id" else self.sub_group
                return self.kernel.local[x.dim] if x.name in (
                    "local_range", "max_local_range") else None
            case n.Cast():
                return self.value(x.x)
            case n.Unary():
                inner = self.value(x.x)
                if inner is None:
                    return None
                return {"neg": np.negative, "invert": np.invert, "not": np.logical_not}[x.op](inner)
            case n.Binary() | n.Compare():
                a, b = self.value(x.a), self.value(x.b)
                if a is None or b is None:
                    return None
                with np.errstate(all="ignore"):
                    return _OPERATORS[x.op](a, b)
        return None
