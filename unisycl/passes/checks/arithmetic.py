"""Checks of arithmetic that NumPy does silently, in kernels that ask for them.

In front of each statement stand the checks of what it computes: signed sums and products that do
not fit (``overflow``), integers divided by zero (``division``), conversions to a type that the
value does not fit (``narrowing``), and results that are not a number of operands that are
(``nan``). Non-goals: unsigned numbers, which wrap by definition; fractions that a conversion drops.
Invariant: what a condition leaves out is not checked.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from unisycl.base.dataclass import replace
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.builtins import BUILTINS
from unisycl.ir.types import BOOL, INT64

WORDS = frozenset(("division", "narrowing", "nan", "overflow"))
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%"}
_Pieces = tuple[str | n.Expr, ...]


def run(kernel: n.Kernel) -> n.Kernel:
    """Return the kernel with the checks of its arithmetic that it asks for."""
    asked = kernel.checks & WORDS
    return replace(kernel, body=_Checking(asked).block(kernel.body)) if asked else kernel


class _Checking(visit.Rewriter):
    """Puts checks in front of statements."""

    def __init__(self, asked: frozenset[str]) -> None:
        self.asked = asked

    def statement(self, stmt: n.Stmt) -> list[n.Stmt]:
        """Return what stands for a statement."""
        if isinstance(stmt, n.While):  # the condition is evaluated behind ``pre``, each time
            checks, stmt = self.checks(visit.expressions(stmt), stmt), self.inside(stmt)
            return [replace(stmt, pre=(*stmt.pre, *checks))]
        # What is said where a check fails is not computed where it does not.
        exprs = iter((stmt.cond,)) if isinstance(stmt, n.Check) else visit.expressions(stmt)
        checks = [] if isinstance(stmt, n.Print) else self.checks(exprs, stmt)
        return [*checks, self.inside(stmt)]

    def checks(self, exprs: Iterator[n.Expr], stmt: n.Stmt) -> list[n.Stmt]:
        """Return the checks of what a statement computes, innermost first.

        One without a line is the compiler's own, whose arithmetic may wrap on purpose.
        """
        found: list[n.Stmt] = []
        if stmt.span is None:
            return found
        for expr in exprs:
            for wrong, pieces in self.faults(expr, None):
                check = n.Check(_not(wrong), pieces, span=stmt.span)
                if check not in found:
                    found.append(check)
        return found

    def faults(self, x: n.Expr, guard: n.Expr | None) -> Iterator[tuple[n.Expr, _Pieces]]:
        """Yield what would be wrong in an expression, where ``guard`` lets it be evaluated."""
        if isinstance(x, n.Select):
            yield from self.faults(x.cond, guard)
            yield from self.faults(x.a, _all(guard, x.cond))
            yield from self.faults(x.b, _all(guard, _not(x.cond)))
            return
        for child in visit.expressions(x):
            yield from self.faults(child, guard)
        for wrong, pieces in self.own(x):
            yield _all(guard, wrong), pieces

    def own(self, x: n.Expr) -> Iterator[tuple[n.Expr, _Pieces]]:
        """Yield what would be wrong with an operation itself."""
        if isinstance(x, n.Binary) and x.op in _SIGNS:
            said: _Pieces = (x.a, f" {_SIGNS[x.op]} ", x.b)
            kind = x.type.dtype
            if kind.kind == "i" and x.op in ("add", "sub", "mul") and "overflow" in self.asked \
                    and not (isinstance(x.a, n.Const) and isinstance(x.b, n.Const)):
                yield _overflows(x), (*said, f" does not fit {kind.name}, and wraps to ", x)
            if kind.kind in "iu" and x.op in ("div", "floordiv", "mod") \
                    and "division" in self.asked and not isinstance(x.b, n.Const):
                yield n.Compare(BOOL, "eq", x.b, n.Const(x.b.type, 0)), (
                    *said, ": an integer is divided by zero")
            if kind.is_float and "nan" in self.asked:
                yield _born(x, (x.a, x.b)), (*said, " is not a number")
        elif isinstance(x, n.Call) and x.type.dtype.is_float and "nan" in self.asked \
                and x.args and all(a.type == x.type for a in x.args):
            listed: list[str | n.Expr] = []
            for a in x.args:
                listed += [", ", a] if listed else [a]
            yield _born(x, x.args), (f"{x.builtin.name}(", *listed, ") is not a number")
        elif isinstance(x, n.Cast) and "narrowing" in self.asked:
            yield from _narrowed(x)


def _overflows(x: n.Binary) -> n.Expr:
    """Return whether a signed operation wraps."""
    kind, zero = x.type, n.Const(x.type, 0)
    if x.op == "mul" and kind.dtype.bits < 64:
        whole = n.Binary(INT64, "mul", n.Cast(INT64, x.a), n.Cast(INT64, x.b))
        return n.Compare(BOOL, "ne", whole, n.Cast(INT64, x))
    if x.op == "mul":
        high = n.Call(kind, BUILTINS["mul_hi"], (x.a, x.b))
        sign = n.Binary(kind, "shr", x, n.Const(kind, 63))
        return n.Compare(BOOL, "ne", high, sign)
    other = n.Binary(kind, "xor", x.b, x) if x.op == "add" else n.Binary(kind, "xor", x.a, x.b)
    both = n.Binary(kind, "and", n.Binary(kind, "xor", x.a, x), other)
    return n.Compare(BOOL, "lt", both, zero)


def _narrowed(x: n.Cast) -> Iterator[tuple[n.Expr, _Pieces]]:
    """Yield whether a conversion loses the value."""
    source, to = x.x.type.dtype, x.type.dtype
    if isinstance(x.x, n.Const) or source.kind == "b":
        return
    said: _Pieces = (x.x, f" does not fit {to.name}, and becomes ", x)
    if source.is_integer and to.is_integer and to.kind != "b":
        mine, its = (np.iinfo(d.name) for d in (to, source))
        bounds = [("lt", mine.min)] * (its.min < mine.min) + [("gt", mine.max)] * (
            its.max > mine.max)
        for op, bound in bounds:
            yield n.Compare(BOOL, op, x.x, n.Const(x.x.type, int(bound))), said
    elif source.is_float and to.is_integer and to.kind != "b" and source.bits > 16:
        info: Any = np.iinfo(to.name)
        # One less than the least number may be a float; what lies between the two fits.
        exact = info.min == 0 or to.bits < (64 if source.bits > 32 else 32)
        inside = _all(n.Compare(BOOL, "gt" if exact else "ge", x.x, n.Const(
            x.x.type, float(info.min) - exact)),
            n.Compare(BOOL, "lt", x.x, n.Const(x.x.type, float(info.max) + 1)))
        yield _not(inside), said
    elif source.is_float and to.is_float and to.bits < source.bits and not to.made:
        size = n.Select(x.type, n.Compare(BOOL, "lt", x, n.Const(x.type, 0.0)),
                        n.Unary(x.type, "neg", x), x)
        far = n.Compare(BOOL, "eq", size, n.Const(x.type, math.inf))
        yield _all(far, _finite(x.x)), said


def _finite(x: n.Expr) -> n.Expr:
    """Return whether a float is neither infinite nor not a number."""
    return n.Compare(BOOL, "eq", n.Binary(x.type, "sub", x, x), n.Const(x.type, 0.0))


def _born(x: n.Expr, operands: tuple[n.Expr, ...]) -> n.Expr:
    """Return whether a result is not a number though all operands are."""
    whole: n.Expr = n.Compare(BOOL, "ne", x, x)
    for a in operands:
        if not isinstance(a, n.Const):
            whole = _all(whole, n.Compare(BOOL, "eq", a, a))
    return whole


def _not(x: n.Expr) -> n.Expr:
    return n.Unary(BOOL, "not", x)


def _all(a: n.Expr | None, b: n.Expr) -> n.Expr:
    return b if a is None else n.Binary(BOOL, "and", a, b)
