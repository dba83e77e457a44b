"""Where the present value of each byte of a memory lies, when devices have memory of their own.

Pure: knows nothing of drivers, and is tested with plain strings as arrivals. A value may lie in
several spaces at once; ``arrivals`` are what brought it there. Non-goals: doing the copies
(``moves``), order (``deps``). Invariant: segments tile [0, size) without gaps.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Iterable
from typing import Generic, TypeAlias, TypeVar

T = TypeVar("T")
_Tile: TypeAlias = tuple[int, int, dict[str, T | None]]


class Places(Generic[T]):
    """The spaces that hold the present value of each byte. Called under the graph lock only.

    Args:
        size: the number of bytes.
        spaces: where the value lies at the beginning; () if nothing was ever stored.
    """

    __slots__ = ("_segments", "_starts")

    def __init__(self, size: int, spaces: Iterable[str] = ()) -> None:
        self._segments: list[_Tile[T]] = [(0, max(1, size), dict.fromkeys(spaces))]
        self._starts = [0]

    def _touched(self, start: int, stop: int) -> tuple[int, int]:
        """Return which segments share bytes with [start, stop)."""
        if start >= stop:
            return 0, 0
        low = max(0, bisect.bisect_right(self._starts, start) - 1)
        return low, bisect.bisect_left(self._starts, stop)

    def _within(self, start: int, stop: int) -> list[_Tile[T]]:
        low, high = self._touched(start, stop)
        return [s for s in self._segments[low:high] if s[0] < stop and start < s[1]]

    def stays(self, space: str, *, writes: bool) -> bool:
        """Say whether all of it lies in a space for long, and a use there changes nothing here."""
        segments = self._segments
        if len(segments) > 1:
            return False
        where = segments[0][2]
        return where.get(space, self) is None and (not writes or len(where) == 1)

    def missing(self, start: int, stop: int, space: str) -> list[tuple[int, int, str]]:
        """Return the parts of [start, stop) that lie elsewhere only, each with where it does."""
        found: list[tuple[int, int, str]] = []
        for low, high, where in self._within(start, stop):
            low, high = max(low, start), min(high, stop)
            if space in where or not where:
                continue
            source = next(iter(where))
            if found and found[-1][1] == low and found[-1][2] == source:
                found[-1] = (found[-1][0], high, source)
            else:
                found.append((low, high, source))
        return found

    def arrivals(self, start: int, stop: int, space: str) -> list[T]:
        """Return what brought the value of [start, stop) into a space; each once."""
        segments = self._segments
        if len(segments) == 1 and segments[0][2].get(space) is None:
            return []
        found = [where[space] for _, _, where in self._within(start, stop) if space in where]
        return list(dict.fromkeys(f for f in found if f is not None))

    def add(self, start: int, stop: int, space: str, arrival: T | None = None) -> None:
        """Note that the value of [start, stop) also lies in a space now."""
        self._change(start, stop, lambda where: {**where, space: arrival})

    def only(self, start: int, stop: int, space: str) -> None:
        """Note that [start, stop) got a new value, in one space."""
        segments = self._segments
        if len(segments) == 1:  # most memories are used whole, and stay where they are
            low, high, where = segments[0]
            if start <= low and high <= stop and len(where) == 1 and where.get(space, self) is None:
                return
        self._change(start, stop, lambda _: {space: None})

    def spaces(self) -> set[str]:
        """Return all spaces that hold any of it."""
        return set(itertools.chain.from_iterable(where for _, _, where in self._segments))

    def _change(self, start: int, stop: int,
                change: Callable[[dict[str, T | None]], dict[str, T | None]]) -> None:
        if start >= stop:
            return
        first, last = self._touched(start, stop)
        first, last = max(0, first - 1), min(len(self._segments), last + 1)  # neighbours may join
        tiles: list[_Tile[T]] = []
        for low, high, where in self._segments[first:last]:
            edges = [low, *(e for e in (start, stop) if low < e < high), high]
            for a, b in itertools.pairwise(edges):
                inside = start <= a and b <= stop
                now = change(where) if inside else where
                if tiles and tiles[-1][2] == now:
                    tiles[-1] = (tiles[-1][0], b, now)
                else:
                    tiles.append((a, b, now))
        self._segments[first:last] = tiles
        self._starts[first:last] = [t[0] for t in tiles]
