"""Memory for the words that shadow a launch's memory while races are looked for.

Each cell of ``granule`` bytes has three words of 8 bytes, of local memory a fourth, which says
whether reads of it need a look. Views that overlap share theirs. USM
memory that the launch only reads has one word a cell, which says who read it: for races with other
commands. What else it only reads has none. Non-goals: what words mean (``ir.shadow_words``).
Invariant: words are zero when the launch begins, and live as long as it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from unisycl.backends.base import BoundView, Launch, LocalSize
from unisycl.backends.footprints import Footprint, Span
from unisycl.base.allocations import block_of
from unisycl.base.dataclass import dataclass
from unisycl.base.later import Later
from unisycl.ir import nodes as n
from unisycl.ir import shadow_words

if TYPE_CHECKING:
    from unisycl.passes.checks import watches
else:
    watches = Later("unisycl.passes.checks.watches")

_WORDS = 3
SYNC, STRIDE, BASES = 0, 1, 2
"""Where the table has the count of what orders, the distance of a cell's words, and each memory.

A memory has two numbers: the address of the word of its cell 0 and whether reads are only marked;
all global memory has that of its regions, and half of their number.
"""
_EVERYWHERE = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Plan:
    """Which memories of a kernel have words: for each its parameter or array, and if written.

    ``alone``: the launch has to run on one thread.
    """

    bases: tuple[tuple[n.Base, bool], ...]
    granule: int
    alone: bool

    def begin(self, launch: Launch) -> Words:
        """Return words for a launch."""
        return Words(self, launch)


def plan(kernel: n.Kernel) -> Plan | None:
    """Return what a kernel, as it is emitted, needs; None if it is not watched."""
    if not watches.wanted(kernel):
        return None
    written = watches.written(kernel)
    return Plan(tuple((x, x in written) for x in watches.bases(kernel)), watches.granule(kernel),
                watches.races(kernel))


@dataclass(slots=True)
class _Region:
    """Memory side by side, and which bases lie in it; ``first`` is where its words begin."""

    low: int
    high: int
    members: list[int]
    written: bool
    first: int = 0

    def cells(self, shift: int) -> int:
        """Return how many cells it has."""
        return ((self.high - 1) >> shift) - (self.low >> shift) + 1 if self.high > self.low else 0


class Words:
    """The words of one launch, and the table that its code reads."""

    __slots__ = ("_count", "_kept", "_launch", "_plan", "_regions", "_shift", "_words", "address",
                 "table")

    def __init__(self, plan: Plan, launch: Launch) -> None:
        self._plan, self._launch = plan, launch
        self.table = np.zeros(BASES + 2 * len(plan.bases), np.int64)
        self.address: int = self.table.ctypes.data
        self._shift = plan.granule.bit_length() - 1
        self._kept: list[np.ndarray[Any, Any]] = []
        self._regions = self._find(launch)
        count = 0
        for region in self._regions:
            if region.written:
                region.first = count
                count += region.cells(self._shift)
        local = sum(r.cells(self._shift) for r in self._regions if r.written and not r.low)
        self._words = np.zeros(_WORDS * count + local, np.uint64)
        self._count = count
        self.table[STRIDE] = 8 * count
        for region in self._regions:
            self._give(region)
        for k, (base, _) in enumerate(plan.bases):
            if isinstance(base, n.Heap):
                self._lead(k)

    def _find(self, launch: Launch) -> list[_Region]:
        """Return the memory that the launch uses: local memory first, then what has addresses."""
        local, spans = [], []
        for k, (base, written) in enumerate(self._plan.bases):
            value = launch.values[base.index] if isinstance(base, n.Param) else None
            if isinstance(base, n.Heap):
                table = next(v for p, v in zip(launch.executable.kernel.params, launch.values,
                                               strict=True) if p.name == n.ALLOCATIONS)
                bounds = table.memory[:table.shape[0]].reshape(-1, 2).tolist()
                spans += [_Region(low, high, [], written) for low, high in bounds if high > low]
            elif isinstance(value, BoundView):
                low, high = _span(value)
                if high > low:
                    spans.append(_Region(low, high, [k], written))
            elif written:
                local.append(_Region(0, _local_bytes(base, value), [k], written))
        return [*local, *_merged(spans)]

    def _give(self, region: _Region) -> None:
        """Tell where the words of a region are."""
        origin = 0
        if region.written:
            origin = self._words.ctypes.data + 8 * region.first
        elif any(self._usm(k) for k in region.members):
            words = np.zeros(region.cells(self._shift), np.uint64)
            region.first = len(self._kept)
            self._kept.append(words)
            origin = words.ctypes.data
        for k in region.members if origin else ():
            self.table[BASES + 2 * k] = origin - 8 * (region.low >> self._shift)
            self.table[BASES + 1 + 2 * k] = not region.written

    def _usm(self, k: int) -> Any:
        """Return the allocation that a memory is of, if other commands may use it unordered."""
        base = self._plan.bases[k][0]
        if self._launch.order is None or not isinstance(base, n.Param) \
                or base.index >= len(self._launch.raw):
            return None
        return block_of(self._launch.raw[base.index])

    def _lead(self, k: int) -> None:
        """Make the list of regions in which pointers read from memory are looked up."""
        known = [r for r in self._regions if r.written and r.low]
        rows = [(0, 0)]
        for r in sorted(known, key=lambda r: r.low):
            first = r.low >> self._shift
            rows.append((first, self._words.ctypes.data + 8 * (r.first - first)))
            rows.append((first + r.cells(self._shift), 0))
        size = 1 << (len(rows) - 1).bit_length()
        table = np.array(rows + [(_EVERYWHERE, 0)] * (size - len(rows)), np.int64)
        self._kept.append(table)
        self.table[BASES + 2 * k] = table.ctypes.data
        self.table[BASES + 1 + 2 * k] = size // 2

    # ------------------------------------------------------------------ what was used
    def shared(self) -> bool:
        """Say whether the launch uses memory that other commands may use unordered."""
        return any(self._usm(k) is not None for k in range(len(self._plan.bases))) or any(
            one.block is not None for one in self._launch.reduction_objects)

    def footprint(self, places: list[str]) -> Footprint:
        """Return which USM memory the launch read and wrote; ``places`` are the lines of sites."""
        found = Footprint(places, syncs=watches.syncs(self._launch.executable.kernel))
        size, count = 1 << self._shift, self._count
        for region in self._regions:
            users = [k for k in region.members if self._usm(k) is not None]
            if not users:
                continue
            if region.written:
                planes = [self._words[p * count + region.first:][:region.cells(self._shift)]
                          for p in range(_WORDS)]
            else:
                read = self._kept[region.first]
                planes = [np.broadcast_to(np.uint64(0), read.shape), read, read]
            written, read = planes[0], np.where(planes[1] != 0, planes[1], planes[2])
            plain = ((written != 0) & (written & np.uint64(shadow_words.ATOMIC) == 0)) | (
                (read != 0) & (read & np.uint64(shadow_words.ATOMIC) == 0))
            views = [(self._plan.bases[k][0].name, self._view(k), self._usm(k)) for k in users]
            found.spans.append(Span(region.low >> self._shift << self._shift, size,
                                    _sites(written), _sites(read), plain, views))
        found.combine(self._launch)
        return found

    def _view(self, k: int) -> BoundView:
        base = self._plan.bases[k][0]
        assert isinstance(base, n.Param)
        view = self._launch.values[base.index]
        assert isinstance(view, BoundView)
        return view


def _sites(words: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the number of each word's site, from 1 on; 0 where there is none."""
    sites = words >> np.uint64(shadow_words.SITE) & np.uint64(shadow_words.SITES)
    found = sites.astype(np.uint16) + 1
    return np.where(words != 0, found, 0).astype(np.uint16)


def _local_bytes(base: n.Base, value: Any) -> int:
    if isinstance(base, n.Array):
        return base.nbytes
    assert isinstance(value, LocalSize)
    return value.itemsize * math.prod(value.shape)


def _span(view: BoundView) -> tuple[int, int]:
    """Return the first byte of a view and the one behind its last."""
    size = int(view.memory.itemsize)
    start = view.slots()[0]
    if 0 in view.shape:
        return start, start
    steps = [(extent - 1) * pitch * size
             for extent, pitch in zip(view.shape, view.pitches, strict=True)]
    return start + sum(min(0, s) for s in steps), start + sum(max(0, s) for s in steps) + size


def _merged(spans: list[_Region]) -> list[_Region]:
    """Return regions that do not overlap, each with the bases that lie in it."""
    out: list[_Region] = []
    for span in sorted(spans, key=lambda s: (s.low, s.high)):
        if out and span.low < out[-1].high:
            last = out[-1]
            last.high = max(last.high, span.high)
            last.members += span.members
            last.written = last.written or span.written
        else:
            out.append(span)
    return out
