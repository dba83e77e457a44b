"""From accesses to edges: which earlier commands a command has to wait for.

Pure: knows nothing of devices, threads or memory, and is tested with plain strings as tasks. A
sub-buffer is contiguous (SYCL 2020 §4.7.2.1), so a region is an interval of bytes. Non-goals: when
anything runs. Invariants: segments tile [0, size) without gaps; a reader never waits for a reader.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

from unisycl.base.dataclass import dataclass
from unisycl.base.enums import access_mode, target
from unisycl.base.errors import UsageError, errc

T = TypeVar("T")
_FEW = 8
_SWEEP = 64  # segments, at the least, before finished tasks are looked for


@dataclass(slots=True)
class Segment(Generic[T]):
    """Bytes with one history: the last writer and all who read since."""

    start: int
    stop: int
    writer: T | None
    readers: list[T]

    def alike(self, other: Segment[T]) -> bool:
        """Say whether another one has the same history."""
        return self.writer is other.writer and self.readers == other.readers


class Tracker(Generic[T]):
    """The access history of one buffer. Called under the graph lock only.

    ``stale`` says that a task can be forgotten: complete, and nothing would wait for it. An access
    looks at the segments it touches, however many there are.
    """

    __slots__ = ("_segments", "_stale", "_starts", "_sweep_at")

    def __init__(self, size: int, stale: Callable[[T], bool]) -> None:
        self._segments: list[Segment[T]] = [Segment(0, max(1, size), None, [])]
        self._starts = [0]
        self._stale = stale
        self._sweep_at = _SWEEP

    def access(self, start: int, stop: int, *, writes: bool, task: T) -> list[T]:
        """Record an access to [start, stop) and return the earlier tasks it conflicts with."""
        stop = max(stop, start + 1)
        segments = self._segments
        if writes and len(segments) == 1:  # most buffers are used whole
            whole = segments[0]
            if whole.start == start and whole.stop == stop and not whole.readers:
                writer, whole.writer = whole.writer, task
                return [] if writer is None or writer is task else [writer]
        low, high = self._cut(start, stop)
        touched = self._segments[low:high]
        found: dict[T, None] = {}
        for segment in touched:
            self._conflicts(segment, writes=writes, task=task, found=found)
        if writes:
            self._replace(low, high, task)
            return list(found)
        for segment in touched:
            if len(segment.readers) >= 8:
                segment.readers = [r for r in segment.readers if not self._stale(r)]
            if task not in segment.readers and segment.writer is not task:
                segment.readers.append(task)
        return list(found)

    def idle(self, *, writes: bool) -> bool:
        """Say whether any access would wait for nothing; where the bytes are cut up it says no.

        Where all that cut them up has ended, they are one piece again.
        """
        segments = self._segments
        whole = segments[0]
        if len(segments) > 1:
            if len(segments) > _FEW:
                return False
            self._sweep()
            whole = self._segments[0]
            if len(self._segments) > 1:
                return False
        writer, readers = whole.writer, whole.readers
        if writer is not None:
            if not self._stale(writer):
                return False
            whole.writer = None  # so that it is not asked again
        if writes and readers:
            if not all(map(self._stale, readers)):
                return False
            whole.readers = []
        return True

    def newest(self, start: int, stop: int, task: T, *, writes: bool) -> bool:
        """Say whether an access would add nothing and wait for nothing but a task, which made it.

        Asked without the lock: what another thread enters at this time is behind the task.
        """
        segments = self._segments
        if len(segments) > 1:
            return False
        whole = segments[0]
        if whole.start < start or stop < whole.stop:
            return False
        readers = whole.readers
        return (whole.writer is task and not readers) if writes else (
            whole.writer is task or task in readers)

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

    def _conflicts(self, segment: Segment[T], *, writes: bool, task: T,
                   found: dict[T, None]) -> None:
        """Readers stand in for the writer before them: they waited for it."""
        if writes and segment.readers:
            for reader in segment.readers:
                if reader is not task:
                    found[reader] = None
        elif segment.writer is not None and segment.writer is not task:
            found[segment.writer] = None

    def _cut(self, start: int, stop: int) -> tuple[int, int]:
        """Return which segments tile [start, stop), splitting those across its edges."""
        segments = self._segments
        if len(segments) == 1 and segments[0].start == start and segments[0].stop == stop:
            return 0, 1
        if len(segments) >= self._sweep_at:
            self._sweep()
        low = self._split(start)
        return low, self._split(stop)

    def _split(self, edge: int) -> int:
        """Return which segment begins at an edge, or would: the one across it becomes two."""
        at = bisect.bisect_left(self._starts, edge)
        if at < len(self._starts) and self._starts[at] == edge:
            return at
        before = self._segments[at - 1]
        if at == 0 or before.stop <= edge:
            return at
        made = Segment(edge, before.stop, before.writer, list(before.readers))
        before.stop = edge
        self._segments.insert(at, made)
        self._starts.insert(at, edge)
        return at

    def _replace(self, low: int, high: int, task: T) -> None:
        """Merge what a writer covers into one segment of its own."""
        first = self._segments[low]
        first.stop, first.writer, first.readers = self._segments[high - 1].stop, task, []
        if high - low > 1:
            del self._segments[low + 1:high], self._starts[low + 1:high]

    def _sweep(self) -> None:
        """Forget tasks that can be, and join neighbours that have one history now."""
        kept: list[Segment[T]] = []
        for segment in self._segments:
            if segment.writer is not None and self._stale(segment.writer):
                segment.writer = None
            segment.readers = [r for r in segment.readers if not self._stale(r)]
            if kept and kept[-1].alike(segment):
                kept[-1].stop = segment.stop
            else:
                kept.append(segment)
        self._segments, self._starts = kept, [s.start for s in kept]
        self._sweep_at = max(_SWEEP, 2 * len(kept))


def add_new(deps: list[T], found: Sequence[T]) -> None:
    """Add those that a list does not hold yet, few or many."""
    if not deps:
        deps += found  # a history gives each once
    elif len(found) < _FEW:
        deps += [t for t in found if t not in deps]
    else:
        known = set(deps)
        deps += [t for t in found if t not in known]


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
