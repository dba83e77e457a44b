"""Memory for the words that shadow a launch's memory while races are looked for.

Each cell of ``granule`` bytes has three words of 8 bytes. Views that overlap share theirs; memory
that no view of the launch writes has none. Non-goals: what words mean (``ir.shadow``).
Invariant: words are zero when the launch begins, and live as long as it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unisycl.backends.base import BoundView, Launch, LocalSize
from unisycl.base.record import dataclass
from unisycl.ir import nodes as n
from unisycl.passes import watches

_WORDS = 3


@dataclass(frozen=True, slots=True)
class Plan:
    """Which memories of a kernel have words: for each its parameter or array, and if written.

    ``alone``: the launch has to run on one thread.
    """

    bases: tuple[tuple[n.Param | n.Array, bool], ...]
    granule: int
    alone: bool

    def begin(self, launch: Launch) -> Words:
        """Return words for a launch."""
        return Words(self, launch.values)


def plan(kernel: n.Kernel) -> Plan | None:
    """Return what a kernel, as it is emitted, needs; None if it is not watched."""
    if not watches.wanted(kernel):
        return None
    written = watches.written(kernel)
    return Plan(tuple((x, x in written) for x in watches.bases(kernel)), watches.granule(kernel),
                watches.races(kernel))


class Words:
    """The words of one launch, and the table that its code reads."""

    __slots__ = ("_kept", "address", "table")

    def __init__(self, plan: Plan, values: tuple[Any, ...]) -> None:
        self.table = np.zeros(1 + 2 * len(plan.bases), np.int64)
        self.address: int = self.table.ctypes.data
        self._kept: list[np.ndarray[Any, Any]] = []
        shift = plan.granule.bit_length() - 1
        spans: list[tuple[int, int, int, bool]] = []
        for k, (base, written) in enumerate(plan.bases):
            value = values[base.index] if isinstance(base, n.Param) else None
            if isinstance(value, BoundView):
                low, high = _span(value)
                if high > low:
                    spans.append((low, high, k, written))
            elif written:
                self._give([k], 0, _local_bytes(base, value), shift)
        for low, high, members, written in _merged(spans):
            if written:
                self._give(members, low, high, shift)

    def _give(self, members: list[int], low: int, high: int, shift: int) -> None:
        """Give memories the words of their bytes."""
        first = low >> shift
        count = ((high - 1) >> shift) - first + 1 if high > low else 0
        words = np.zeros(_WORDS * count, np.uint64)
        self._kept.append(words)
        for k in members:
            self.table[1 + 2 * k] = words.ctypes.data - 8 * first
            self.table[2 + 2 * k] = 8 * count


def _local_bytes(base: n.Param | n.Array, value: Any) -> int:
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


def _merged(spans: list[tuple[int, int, int, bool]]
            ) -> list[tuple[int, int, list[int], bool]]:
    """Return regions of memory, each with the views that lie in it."""
    out: list[tuple[int, int, list[int], bool]] = []
    for low, high, k, written in sorted(spans):
        if out and low < out[-1][1]:
            first, last, members, some = out[-1]
            out[-1] = (first, max(last, high), [*members, k], some or written)
        else:
            out.append((low, high, [k], written))
    return out
