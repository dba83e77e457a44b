"""Boxes of elements: intervals in one to three dimensions, and sets of them.

Non-goals: what they are boxes of. Invariants: a box is not empty; the boxes of a set do not meet.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Box(NamedTuple):
    """Elements from ``low`` to before ``high`` in each dimension."""

    low: tuple[int, ...]
    high: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents."""
        return tuple([b - a for a, b in zip(self.low, self.high, strict=True)])

    def size(self) -> int:
        """Return the number of elements."""
        n = 1
        for extent in self.shape:
            n *= extent
        return n

    def slices(self) -> tuple[slice, ...]:
        """Return what NumPy takes the box by."""
        return tuple([slice(a, b) for a, b in zip(self.low, self.high, strict=True)])

    def __str__(self) -> str:
        return "[" + ", ".join(f"{a}:{b}" for a, b in zip(self.low, self.high, strict=True)) + "]"


def whole(shape: Sequence[int]) -> Box | None:
    """Return the box of a shape; None if it has no element."""
    return Box((0,) * len(shape), tuple(shape)) if all(n > 0 for n in shape) else None


def meet(a: Box, b: Box) -> Box | None:
    """Return what two boxes share."""
    low = tuple([max(x, y) for x, y in zip(a.low, b.low, strict=True)])
    high = tuple([min(x, y) for x, y in zip(a.high, b.high, strict=True)])
    return Box(low, high) if all(x < y for x, y in zip(low, high, strict=True)) else None


def without(a: Box, b: Box) -> list[Box]:
    """Return what is left of a box without another one."""
    shared = meet(a, b)
    if shared is None:
        return [a]
    left, low, high = [], list(a.low), list(a.high)
    for d in range(len(low)):
        if low[d] < shared.low[d]:
            left.append(Box(tuple(low), (*high[:d], shared.low[d], *high[d + 1:])))
            low[d] = shared.low[d]
        if shared.high[d] < high[d]:
            left.append(Box((*low[:d], shared.high[d], *low[d + 1:]), tuple(high)))
            high[d] = shared.high[d]
    return left


def without_all(a: Box, others: Iterable[Box]) -> list[Box]:
    """Return what is left of a box without others."""
    left = [a]
    for b in others:
        left = [c for x in left for c in without(x, b)]
    return left


class Index(Generic[T]):
    """Boxes with something each, found by what they meet."""

    def __init__(self, entries: Iterable[tuple[Box, T]]) -> None:
        self.entries = sorted(entries, key=lambda e: e[0].low)
        self._starts = [e[0].low[0] for e in self.entries]
        self._reach = max((e[0].high[0] - e[0].low[0] for e in self.entries), default=0)

    def meeting(self, box: Box) -> list[tuple[Box, Box, T]]:
        """Return (what is shared, the whole box, what it has) of those that meet a box."""
        first = bisect_left(self._starts, box.low[0] - self._reach)
        last = bisect_left(self._starts, box.high[0])
        found = []
        for other, value in self.entries[first:last]:
            shared = meet(box, other)
            if shared is not None:
                found.append((shared, other, value))
        return found


def joined(entries: Iterable[tuple[Box, T]]) -> list[tuple[Box, T]]:
    """Return the same with neighbours of one value as one box, as far as that is simple."""
    found = list(entries)
    dims = len(found[0][0].low) if found else 0
    for d in reversed(range(dims)):
        def key(e: tuple[Box, T], d: int = d) -> tuple[tuple[int, ...], int]:
            low = e[0].low
            return (*low[:d], *low[d + 1:]), low[d]
        found.sort(key=key)
        out: list[tuple[Box, T]] = []
        for box, value in found:
            if out and _extends(out[-1][0], box, d) and out[-1][1] == value:
                out[-1] = Box(out[-1][0].low, box.high), value
            else:
                out.append((box, value))
        found = out
    return sorted(found, key=lambda e: e[0].low)


def _extends(a: Box, b: Box, d: int) -> bool:
    """Say whether a box goes on in another one along a dimension."""
    return a.high[d] == b.low[d] and all(
        a.low[k] == b.low[k] and a.high[k] == b.high[k] for k in range(len(a.low)) if k != d)
