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
    reads = any(isinstance(e, n.Read) for e in visit.walk(x))
    return is_below(x, _locals(body, loop_steps.rising(body)) if reads else (set(), set()))


def is_below(x: n.Expr, known: tuple[Locals, Locals]) -> bool:
    """Say whether an integer is below 0; known are locals that are, and those that never are."""
    below, rising = known
    match x:
        case n.Const():
            return not isinstance(x.value, complex) and x.value < 0
        case n.Read():
            return x.local in below
        case n.Unary(op="invert"):
            return x.type.dtype.kind == "i" and loop_steps.never_negative(x.x, rising)
        case n.Cast() | n.Narrow():
            inner, outer = x.x.type.dtype, x.type.dtype
            return inner.kind == outer.kind == "i" and inner.bits <= outer.bits and is_below(
                x.x, known)
        case n.Select():
            return is_below(x.a, known) and is_below(x.b, known)
        case n.Binary(op="sub") if x.type.dtype.kind == "i":
            return is_below(x.a, known) and loop_steps.never_negative(x.b, rising)
        case n.Binary(op="add") if x.type.dtype.kind == "i":
            return is_below(x.a, known) and is_below(x.b, known)
    return False


def _locals(body: n.Block, rising: Locals) -> tuple[Locals, Locals]:
    """Return the locals that only ever get numbers below zero."""
    given: dict[n.Local, list[n.Expr | None]] = {}
    for stmt in visit.statements(body):
        if isinstance(stmt, n.Assign):
            given.setdefault(stmt.local, []).append(stmt.value)
        elif isinstance(stmt, n.For):
            given.setdefault(stmt.local, []).append(_highest(stmt))
        else:
            for local in visit.targets(stmt):
                given.setdefault(local, []).append(None)
    found = {local for local, values in given.items() if None not in values}
    while True:
        less = {local for local in found
                if all(x is not None and is_below(x, (found, rising)) for x in given[local])}
        if less == found:
            return found, rising
        found = less


def _highest(stmt: n.For) -> n.Expr | None:
    """Return what the counter of a loop is never above; None if that is not known."""
    if not isinstance(stmt.step, n.Const):
        return None
    if stmt.step.value < 0:
        return stmt.start
    start, stop = stmt.start, stmt.stop
    if isinstance(start, n.Const) and isinstance(stop, n.Const) and start.value < stop.value:
        return n.Const(stop.type, stop.value - 1)
    return None
