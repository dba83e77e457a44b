"""From accesses to edges: which earlier commands a command has to wait for.

Pure: knows nothing of devices, threads or memory, and is tested with plain strings as tasks. A
sub-buffer is contiguous (SYCL 2020 §4.7.2.1), so a region is an interval of bytes. Non-goals: when
anything runs. Invariants: segments tile [0, size) without gaps; a reader never waits for a reader.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from unisycl.base.enums import access_mode, target
from unisycl.base.errors import UsageError, errc
from unisycl.base.record import dataclass

T = TypeVar("T")


@dataclass(slots=True)
class Segment(Generic[T]):
    """Bytes with one history: the last writer and all who read since."""

    start: int
    stop: int
    writer: T | None
    readers: list[T]


class Tracker(Generic[T]):
    """The access history of one buffer. Called under the graph lock only.

    ``stale`` says that a task can be forgotten: complete, and nothing would wait for it.
    """

    __slots__ = ("_segments", "_stale")

    def __init__(self, size: int, stale: Callable[[T], bool]) -> None:
        self._segments: list[Segment[T]] = [Segment(0, max(1, size), None, [])]
        self._stale = stale

    def access(self, start: int, stop: int, *, writes: bool, task: T) -> list[T]:
        """Record an access to [start, stop) and return the earlier tasks it conflicts with."""
        stop = max(stop, start + 1)
        found: list[T] = []
        touched = self._cut(start, stop)
        for segment in touched:
            self._conflicts(segment, writes=writes, task=task, found=found)
        if writes:
            self._replace(touched, task)
            return found
        for segment in touched:
            if len(segment.readers) >= 8:
                segment.readers = [r for r in segment.readers if not self._stale(r)]
            if task not in segment.readers and segment.writer is not task:
                segment.readers.append(task)
        return found

    def tasks(self) -> list[T]:
        """Return every task still remembered, oldest writer first within a segment."""
        out: list[T] = []
        for segment in self._segments:
            if segment.writer is not None:
                out.append(segment.writer)
            out += segment.readers
        return list(dict.fromkeys(out))

    def segments(self) -> int:
        """Return how many segments the history is kept in."""
        return len(self._segments)

    def _conflicts(self, segment: Segment[T], *, writes: bool, task: T, found: list[T]) -> None:
        """Readers stand in for the writer before them: they waited for it."""
        before: Iterable[T | None]
        before = segment.readers if writes and segment.readers else (segment.writer,)
        for other in before:
            if other is not None and other is not task and other not in found:
                found.append(other)

    def _cut(self, start: int, stop: int) -> list[Segment[T]]:
        """Return the segments that tile [start, stop), splitting those across its edges."""
        segments = self._segments
        if len(segments) == 1 and segments[0].start == start and segments[0].stop == stop:
            return segments[:]
        out: list[Segment[T]] = []
        tiles: list[Segment[T]] = []
        for s in segments:
            edges = [s.start, *(e for e in (start, stop) if s.start < e < s.stop), s.stop]
            for low, high in itertools.pairwise(edges):
                tile = Segment(low, high, s.writer, list(s.readers)) if len(edges) > 2 else s
                tiles.append(tile)
                if start <= low and high <= stop:
                    out.append(tile)
        self._segments = tiles
        return out

    def _replace(self, touched: list[Segment[T]], task: T) -> None:
        """Merge what a writer covers into one segment of its own."""
        first = touched[0]
        first.stop, first.writer, first.readers = touched[-1].stop, task, []
        if len(touched) > 1:
            gone = {id(s) for s in touched[1:]}
            self._segments = [s for s in self._segments if id(s) not in gone]


@dataclass(frozen=True, slots=True)
class Access:
    """What one accessor asks of one memory object: bytes [start, stop) of buffer ``key``."""

    key: object
    start: int
    stop: int
    mode: access_mode
    no_init: bool = False
    target: target = target.device


def combine(a: Access, b: Access) -> Access:
    """Merge two accesses to the same bytes by the table of SYCL 2020 §3.8.1; commutative."""
    mode = a.mode if a.mode is b.mode else access_mode.read_write
    return Access(a.key, a.start, a.stop, mode, a.no_init and b.no_init, a.target)


def merge(accesses: Iterable[Access]) -> list[Access]:
    """Merge the accesses of one command group (SYCL 2020 §3.8.1).

    Raises ``errc.invalid`` where accesses of different targets to one object both write.
    """
    accesses = list(accesses)
    if len(accesses) < 2:
        return accesses
    merged: dict[tuple[int, int, int, target], Access] = {}
    for access in accesses:
        place = (id(access.key), access.start, access.stop, access.target)
        known = merged.get(place)
        merged[place] = access if known is None else combine(known, access)
    if len(merged) > 1:
        _check_targets(merged.values())
    return list(merged.values())


def _check_targets(accesses: Iterable[Access]) -> None:
    writers: dict[int, target] = {}
    for access in accesses:
        if not access.mode.writes:
            continue
        if writers.setdefault(id(access.key), access.target) is not access.target:
            raise UsageError(
                errc.invalid, "a command group writes one buffer through two targets (device and "
                "host_task); let at most one of them write, or use two command groups")
