"""Negations that a compiler must not see, for drivers that lose them across barriers.

Where a driver takes what a negation gives as equal for all items of a work-group
(``Dialect.hides_negations``), the text of a kernel whose items meet has none, and nothing that a
compiler may make one of: a product or quotient by what may be -1, -0.0 minus something, the sign
bit of a float flipped as an integer. Such operands go through a helper that changes nothing and
that compilers cannot see through.
Non-goals: printing; texts that users bring. Invariant: results are those of the plain text, but for
signs of NaN.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit


class Known(NamedTuple):
    """What a compiler may find out of a value: these constants, or (``any``) some constant."""

    values: frozenset[float] = frozenset()
    any: bool = False

    def may_be(self, value: float) -> bool:
        """Say whether the value may be found to be this one."""
        return self.any or any(v == value and math.copysign(1, v) == math.copysign(1, value)
                               for v in self.values)


_NOTHING, _ANY = Known(), Known(any=True)
_FIXED = frozenset(("local_range", "max_local_range", "logical_range", "items",
                    "sub_group_max_local_range"))


def meet(kernel: n.Kernel) -> bool:
    """Say whether the text of a kernel may have barriers or group functions."""
    return kernel.index_kind == "work_group" or bool(kernel.reducers) or visit.contains(
        kernel.body, (n.Barrier, n.GroupCall, n.WorkItems))


class Signs:
    """Tells which operands of a kernel's arithmetic a compiler could make a negation of."""

    def __init__(self, kernel: n.Kernel) -> None:
        self._given: dict[object, list[n.Expr]] = {}
        self._seen: dict[object, Known] = {}
        self._told: dict[int, Known] = {}
        for block in (kernel.body, *(r.combine for r in kernel.reducers)):
            for stmt in visit.statements(block):
                for target, value in _assignments(stmt):
                    self._given.setdefault(target, []).append(value)

    def hidden(self, x: n.Binary) -> tuple[bool, bool]:
        """Say which operands of an operation on floats must be hidden."""
        if x.op == "mul":
            return self.known(x.a).may_be(-1.0), self.known(x.b).may_be(-1.0)
        if x.op == "div":
            return False, self.known(x.b).may_be(-1.0)
        return x.op == "sub" and self.known(x.a).may_be(-0.0), False

    def known(self, x: n.Expr) -> Known:
        """Return what a compiler may find out of an expression."""
        found = self._told.get(id(x))
        if found is None:
            found = self._told[id(x)] = self._of(x)
        return found

    def _of(self, x: n.Expr) -> Known:
        match x:
            case n.Const():
                return Known(frozenset((float(x.value),)))
            case n.Read():
                return self._held(x.local)
            case n.Load():
                return self._held(x.place.base)
            case n.Cast() | n.Narrow():
                return self.known(x.x)
            case n.Select():
                return _either(self.known(x.a), self.known(x.b))
            case n.Query():
                return _ANY if x.name in _FIXED else _NOTHING
            case n.Unary() | n.Binary() | n.Call():
                parts = (self.known(part) for part in visit.expressions(x))
                return _ANY if all(part != _NOTHING for part in parts) else _NOTHING
        return _NOTHING

    def _held(self, holder: object) -> Known:
        """Return what is known of a local, or of all elements of a private array."""
        found = self._seen.get(holder)
        if found is None:
            self._seen[holder] = _ANY  # what is made of itself
            found = _NOTHING
            for value in self._given.get(holder, ()):
                found = _either(found, self.known(value))
            self._seen[holder] = found
        return found


def _assignments(stmt: n.Stmt) -> list[tuple[object, n.Expr]]:
    """Return which local or private array a statement gives which values."""
    match stmt:
        case n.Assign():
            return [(stmt.local, stmt.value)]
        case n.For():
            return [(stmt.local, stmt.start), (stmt.local, n.Binary(
                stmt.start.type, "add", stmt.start, stmt.step))]
        case n.LoadMany():
            return [(local, n.Load(stmt.place.type, stmt.place)) for local in stmt.results]
        case n.Store() | n.StoreMany() if _is_private(stmt.place.base):
            values = (stmt.value,) if isinstance(stmt, n.Store) else stmt.values
            return [(stmt.place.base, value) for value in values]
    return []


def _is_private(base: object) -> bool:
    return isinstance(base, n.Array) and base.type.space is not address_space.local_space


def _either(a: Known, b: Known) -> Known:
    return Known(a.values | b.values, a.any or b.any)
