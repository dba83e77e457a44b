"""Integers that are known to be below zero, whatever the data.

Non-goals: bounds other than zero. Invariant: what is not understood is not known.
"""

from __future__ import annotations

from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.shared import loop_steps

Locals = set[n.Local]


def always(body: n.Block, x: n.Expr) -> bool:
    """Say whether an integer computed in a body is below 0."""
    if not any(isinstance(e, n.Read) for e in visit.walk(x)):
        return _is_below(x, set(), set())
    return _is_below(x, *_known(body))


_last: list[tuple[n.Block, Locals, Locals]] = []


def _known(body: n.Block) -> tuple[Locals, Locals]:
    """Return the locals that are below 0, and those that never are; those of the last body stay."""
    for known, below, rising in _last:
        if known is body:
            return below, rising
    rising = loop_steps.rising(body)
    below = loop_steps.only_ever(body, _highest, lambda e, found: _is_below(e, found, rising))
    _last[:] = [(body, below, rising)]
    return below, rising


def _is_below(x: n.Expr, below: Locals, rising: Locals) -> bool:
    """Say whether an integer is below 0, given the locals that are, and those that never are."""
    match x:
        case n.Const():
            return not isinstance(x.value, complex) and x.value < 0
        case n.Read():
            return x.local in below
        case n.Unary(op="invert"):
            return x.type.dtype.kind == "i" and loop_steps.never_negative(x.x, rising)
        case n.Cast() | n.Narrow():
            inner, outer = x.x.type.dtype, x.type.dtype
            return inner.kind == outer.kind == "i" and inner.bits <= outer.bits and _is_below(
                x.x, below, rising)
        case n.Select():
            return _is_below(x.a, below, rising) and _is_below(x.b, below, rising)
        case n.Binary(op="sub") if x.type.dtype.kind == "i":
            return _is_below(x.a, below, rising) and loop_steps.never_negative(x.b, rising)
        case n.Binary(op="add") if x.type.dtype.kind == "i":
            return _is_below(x.a, below, rising) and _is_below(x.b, below, rising)
    return False


def _highest(stmt: n.For) -> n.Expr | None:
    """Return what the counter of a loop is never above; None if that is not known."""
    if not isinstance(stmt.step, n.Const):
        return stmt.start if loop_steps.falls(stmt.step, set()) else None
    if stmt.step.value < 0:
        return stmt.start
    start, stop = stmt.start, stmt.stop
    if isinstance(start, n.Const) and isinstance(stop, n.Const) and start.value < stop.value:
        return n.Const(stop.type, stop.value - 1)
    return None
