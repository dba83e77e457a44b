"""Bounds of loops, as far as a launch knows them before it begins: what they are made of, and are.

Non-goals: finding them in a kernel (``turns``), which only compiling needs. Invariants: a bound is
never too small; it is numbers, words and tuples of them, so that it can be kept with the code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from unisycl.backends.base import Geometry

Bound: TypeAlias = int | Sequence[Any]
"""A number, or what it is made of: an operation and its operands, as ``_SPANS`` lists them."""

Span: TypeAlias = tuple[int, int]


class UnknownError(Exception):
    """A bound has no limits, or does not fit its type."""


def constant(bound: Bound) -> int | None:
    """Return the greatest that a bound can be, if any launch may know it."""
    todo = [bound]
    while todo:
        x = todo.pop()
        if not isinstance(x, int):
            if x[0] in _KNOWN:
                return None
            todo += x[1:]
    try:
        return _span(bound, None, ())[1]  # type: ignore[arg-type]
    except UnknownError:
        return None


def asked(bounds: Iterable[Bound]) -> frozenset[tuple[int, bool]]:
    """Return the places of the arguments that bounds are made of; True: of those that are views."""
    found, todo = set(), [*bounds]
    while todo:
        x = todo.pop()
        if not isinstance(x, int):
            if x[0] in ("argument", "extent"):
                found.add((x[1], x[0] == "extent"))
            elif x[0] not in _KNOWN:
                todo += x[1:]
    return frozenset(found)


def most(bound: Bound, geometry: Geometry, values: Sequence[Any]) -> int:
    """Return the greatest that a bound can be in a launch; raises ``UnknownError``."""
    if geometry.whole is not None:  # its ids are those of another
        raise UnknownError
    return _span(bound, geometry, values)[1]


def _span(bound: Bound, geometry: Geometry, values: Sequence[Any]) -> Span:
    if isinstance(bound, int):
        return bound, bound
    op, *operands = bound
    if op in _KNOWN:
        return _KNOWN[op](geometry, values, *operands)
    return _SPANS[op](*(_span(x, geometry, values) for x in operands))


def _product(a: Span, b: Span) -> Span:
    found = [x * y for x in a for y in b]
    return min(found), max(found)


def _quotient(a: Span, b: Span) -> Span:
    if b[0] <= 0:
        raise UnknownError
    found = [x // y for x in a for y in b]
    return min(found), max(found)


def _remainder(a: Span, b: Span) -> Span:
    if b[0] <= 0:
        raise UnknownError
    return 0, min(b[1] - 1, a[1]) if a[0] >= 0 else b[1] - 1


def _shifted(a: Span, b: Span) -> Span:
    if not 0 <= b[0] == b[1] < 64:
        raise UnknownError
    return a[0] << b[0], a[1] << b[0]


def _moved_down(a: Span, b: Span) -> Span:
    if not 0 <= b[0] == b[1] < 64:
        raise UnknownError
    return a[0] >> b[0], a[1] >> b[0]


def _checked(low: Span, high: Span, x: Span) -> Span:
    if x[0] < low[0] or x[1] > high[0]:
        raise UnknownError
    return x


def _either(*spans: Span) -> Span:
    return min(s[0] for s in spans), max(s[1] for s in spans)


def _turns(start: Span, stop: Span, step: Span) -> Span:
    far = stop[1] - start[0] if step[0] > 0 else start[1] - stop[0]
    return 0, max(0, -(-far // abs(step[0])))


_SPANS: dict[str, Callable[..., Span]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]), "sub": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "mul": _product, "floordiv": _quotient, "mod": _remainder, "shl": _shifted,
    "shr": _moved_down, "min": lambda *s: (min(x[0] for x in s), min(x[1] for x in s)),
    "max": lambda *s: (max(x[0] for x in s), max(x[1] for x in s)), "either": _either,
    "in": _checked, "turns": _turns}


OPERATIONS = frozenset(_SPANS)


def _argument(_: Geometry, values: Sequence[Any], at: int) -> Span:
    value = int(values[at])
    return value, value


def _shape(_: Geometry, values: Sequence[Any], at: int, dim: int) -> Span:
    extent = int(values[at].shape[dim])
    return extent, extent


def _item(geometry: Geometry, _: Sequence[Any], dim: int) -> Span:
    first = geometry.offset[dim] if geometry.offset else 0
    return first, first + max(0, geometry.global_[dim] - 1)


def _one(number: int) -> Span:
    return number, number


def _groups(geometry: Geometry, dim: int) -> int:
    if geometry.kind != "nd_range":
        raise UnknownError
    return geometry.global_[dim] // max(1, geometry.local[dim])


def _local_size(geometry: Geometry, dim: int) -> int:
    if geometry.kind != "nd_range":
        raise UnknownError
    return geometry.local[dim]


_KNOWN: dict[str, Callable[..., Span]] = {
    "argument": _argument, "extent": _shape, "id": _item,
    "range": lambda g, _, dim: _one(g.global_[dim]),
    "local_id": lambda g, _, dim: (0, _local_size(g, dim)),
    "local_range": lambda g, _, dim: _one(_local_size(g, dim)),
    "group_id": lambda g, _, dim: (0, _groups(g, dim)),
    "group_range": lambda g, _, dim: _one(_groups(g, dim))}

