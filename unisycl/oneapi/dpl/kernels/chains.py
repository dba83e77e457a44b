"""How work-groups that go through tiles tell those behind them what stands before.

Written in the kernel language. A tile is claimed by number, so all before it have begun; a value
goes through memory in words of 64 bits, each of which says that it is there. Tiles form windows: a
tile combines the totals of its window and what stood before the window, always in the same order,
so floats are rounded alike in every run. Non-goals: devices on which a group that has begun may
stop for ever. Invariant: all words are 0 before the launch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl

__kernel_language__ = True
THERE = 1 << 32
"""The bit of a word that says that its value was written."""


@dataclass(eq=False)
class one_word:
    """How values of 32 bits and less are told: in one word."""

    kind: Any
    bits: Any

    def tell(self, words: Any, at: Any, value: Any) -> None:
        """Write a value."""
        word = np.uint64(THERE) | np.uint64(sycl.bit_cast(self.bits, value))
        sycl.atomic_ref(words, at).store(word)

    def hear(self, words: Any, at: Any) -> Any:
        """Wait for a value."""
        word = awaited(words, at)
        return sycl.bit_cast(self.kind, self.bits(word & np.uint64(THERE - 1)))


@dataclass(eq=False)
class two_words:
    """How values of 64 bits are told: in two words."""

    kind: Any
    bits: Any

    def tell(self, words: Any, at: Any, value: Any) -> None:
        """Write a value."""
        both = sycl.bit_cast(np.uint64, value)
        there, low = np.uint64(THERE), np.uint64(THERE - 1)
        sycl.atomic_ref(words, 2 * at).store(there | (both & low))
        sycl.atomic_ref(words, 2 * at + 1).store(there | (both >> np.uint64(32)))

    def hear(self, words: Any, at: Any) -> Any:
        """Wait for a value."""
        low = awaited(words, 2 * at) & np.uint64(THERE - 1)
        high = awaited(words, 2 * at + 1) & np.uint64(THERE - 1)
        return sycl.bit_cast(self.kind, low | (high << np.uint64(32)))


def awaited(words: Any, at: Any) -> Any:
    """Wait until a word was written; return it."""
    ref = sycl.atomic_ref(words, at)
    word = ref.load()
    while word < np.uint64(THERE):
        word = ref.load()
    return word


@dataclass(eq=False)
class chain:
    """What tiles tell one another, and local memory for one of them.

    ``words`` has a cell for each tile, then one for the start of each window; ``claims`` counts the
    tiles that were begun.
    """

    words: Any
    claims: Any
    how: Any
    tiles: Any
    own: Any
    value: Any

    def claim(self, it: Any) -> Any:
        """Return the tile of a group: the next one that nobody has."""
        if it.get_local_id(0) == 0:
            self.own[0] = sycl.atomic_ref(self.claims.at, 0).fetch_add(np.uint32(1))
        sycl.group_barrier(it.get_group())
        return int(self.own[0])

    def before(self, it: Any, tile: Any, total: Any, op: Any, ends: Any) -> Any:
        """Tell the total of a tile; return what stands before it.

        ``ends`` are the identity of the operator, and what stands before the first tile.
        """
        group, width, mine = it.get_group(), it.get_local_range(0), it.get_local_id(0)
        place = tile % width
        window = tile // width
        if mine == 0:
            self.how.tell(self.words.at, tile, total)
        other = ends[0]
        if mine < place:
            other = self.how.hear(self.words.at, tile - place + mine)
        kind = self.how.kind
        inside = kind(sycl.reduce_over_group(group, other, op))
        if mine == 0:
            start = ends[1]
            if window > 0:
                start = self.how.hear(self.words.at, self.tiles + window)
            found = kind(op(start, inside))
            self.value[0] = found
            if place == width - 1:
                self.how.tell(self.words.at, self.tiles + window + 1, kind(op(found, total)))
        sycl.group_barrier(group)
        return self.value[0]
