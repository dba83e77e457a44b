"""Barriers that provably not all work-items of a group reach.

A condition made of local ids, those in sub-groups included, and constants only is evaluated for
every item of the group; if they disagree and a barrier or group function depends on it, that is an
error at compile time. Where the kernel does not ask for a sub-group size, they have to disagree for
every size above 1. Non-goals: conditions that data decides (the host device finds those at run
time), and functions of sub-groups, of which parts may be used in branches. Invariant: a kernel that
could be right in sub-groups of several items is never refused (SYCL 2020 §4.17.2).
"""

from __future__ import annotations

import math
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
_Split: TypeAlias = tuple[tuple[n.Stmt, Any], ...]
"""The conditions around a statement that split the group, from outside to inside."""


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
    """Walks a kernel with the conditions that split the group; ``size`` is that of sub-groups."""

    def __init__(self, kernel: n.Kernel, size: int) -> None:
        self.kernel = kernel
        place = np.arange(math.prod(kernel.local)).reshape(kernel.local)
        self.lane, self.sub_group = place % size, place // size
        self.found: dict[int, Diagnostic] = {}
        self.known: dict[n.Local, Any] = {}
        self.ids = np.indices(kernel.local)
        counts: dict[n.Local, int] = {}
        for stmt in visit.statements(kernel.body):
            for local in visit.targets(stmt):
                counts[local] = counts.get(local, 0) + 1
        self.once = {local for local, count in counts.items() if count == 1}
        self.left: dict[int, _Split] = {}

    def run(self) -> dict[int, Diagnostic]:
        """Return what was found, by the statements it was found at."""
        self.block(self.kernel.body, ())
        return self.found

    def block(self, block: n.Block, split: _Split) -> None:
        for stmt in block:
            self.stmt(stmt, split)

    def stmt(self, stmt: n.Stmt, split: _Split) -> None:
        match stmt:
            case n.Assign():
                if stmt.local in self.once:
                    value = self.value(stmt.value)
                    if value is not None:
                        self.known[stmt.local] = value
            case n.If():
                value = self.value(stmt.cond)
                inside = (*split, (stmt, value)) if self.disagree(value) else split
                self.block(stmt.then, inside)
                self.block(stmt.orelse, inside)
            case n.For():
                bounds = [self.value(stmt.start), self.value(stmt.stop)]
                differs = next((b for b in bounds if self.disagree(b)), None)
                self.block(stmt.body, split if differs is None else (*split, (stmt, differs)))
            case n.While():
                self.block(stmt.pre, split)
                self.block(stmt.body, split)
            case n.Scope():
                self.block(stmt.body, split)
                self.left.pop(stmt.number, None)
            case n.Leave() if split:
                self.left[stmt.number] = split
            case n.Barrier() | n.GroupCall() if _collects(stmt):
                self.reached(stmt, split or next(iter(self.left.values()), ()))

    def reached(self, stmt: n.Barrier | n.GroupCall, split: _Split) -> None:
        """Report a barrier that a split group arrives at."""
        if not split:
            return
        what = "group_barrier" if isinstance(stmt, n.Barrier) else "a group function"
        found = diagnostics.diagnostic("K051", stmt.span, what=what)
        note = self.explain(split[-1])
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
        """Say whether a known value differs between work-items of a group."""
        return value is not None and np.ndim(value) > 0 and bool((value != value.flat[0]).any())

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
