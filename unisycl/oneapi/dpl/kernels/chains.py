"""How work-groups that go through tiles tell those behind them what stands before.

Written in the kernel language. A tile is claimed by number, so all before it have begun; a value
goes through memory in words of 64 bits, each of which says that it is there. Tiles form windows: a
tile combines the totals of its window, and those of the windows before it, always in the same
order, so floats are rounded alike in every run; nothing is handed on from tile to tile. Non-goals:
devices on which a group that has begun may stop for ever. Invariant: all words are 0 before the
launch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl

__kernel_language__ = True
THERE = 1 << 32
"""The bit of a word that says that its value was written."""
MARK = 33
"""The place of the bit that says something else of a value."""


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

    def peek(self, words: Any, at: Any) -> Any:
        """Look at a value that may be there; ``heard`` waits for it."""
        return sycl.atomic_ref(words, at).load()

    def heard(self, words: Any, at: Any, seen: Any) -> Any:
        """Return a value that was looked at; wait for it if it was not there."""
        word = seen
        if word < np.uint64(THERE):
            word = awaited(words, at)
        return sycl.bit_cast(self.kind, self.bits(word & np.uint64(THERE - 1)))

    def tell_marked(self, words: Any, at: Any, value: Any, mark: Any) -> None:
        """Write a value, and a mark: 0 or 1."""
        word = np.uint64(THERE) | np.uint64(sycl.bit_cast(self.bits, value))
        sycl.atomic_ref(words, at).store(word | np.uint64(mark) << np.uint64(MARK))

    def hear_marked(self, words: Any, at: Any) -> Any:
        """Wait for a value and its mark."""
        word = awaited(words, at)
        return (sycl.bit_cast(self.kind, self.bits(word & np.uint64(THERE - 1))),
                np.int32(word >> np.uint64(MARK)))


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

    def peek(self, words: Any, at: Any) -> Any:
        """Do nothing: such a value is waited for."""
        return np.uint64(0)

    def heard(self, words: Any, at: Any, seen: Any) -> Any:
        """Wait for a value."""
        return self.hear(words, at)

    def tell_marked(self, words: Any, at: Any, value: Any, mark: Any) -> None:
        """Write a value, and a mark: 0 or 1."""
        both = sycl.bit_cast(np.uint64, value)
        there, low = np.uint64(THERE), np.uint64(THERE - 1)
        sycl.atomic_ref(words, 2 * at).store(
            there | (both & low) | np.uint64(mark) << np.uint64(MARK))
        sycl.atomic_ref(words, 2 * at + 1).store(there | (both >> np.uint64(32)))

    def hear_marked(self, words: Any, at: Any) -> Any:
        """Wait for a value and its mark."""
        word = awaited(words, 2 * at)
        high = awaited(words, 2 * at + 1) & np.uint64(THERE - 1)
        both = (word & np.uint64(THERE - 1)) | (high << np.uint64(32))
        return sycl.bit_cast(self.kind, both), np.int32(word >> np.uint64(MARK))


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

    ``words`` has a cell for each tile, then one for the total of each window; its last word counts
    the tiles that were begun.
    """

    words: Any
    how: Any
    tiles: Any
    own: Any

    def claim(self, it: Any) -> Any:
        """Return the tile of a group: the next one that nobody has."""
        if it.get_local_id(0) == 0:
            claims = sycl.atomic_ref(self.words.at, len(self.words.at) - 1)
            self.own[0] = np.uint32(claims.fetch_add(np.uint64(1)))
        sycl.group_barrier(it.get_group())
        return int(self.own[0])

    def tell(self, it: Any, tile: Any, total: Any) -> None:
        """Tell the total of a tile: the sooner, the less those behind it wait."""
        if it.get_local_id(0) == 0:
            self.how.tell(self.words.at, tile, total)

    def before(self, it: Any, tile: Any, total: Any, op: Any, ends: Any) -> Any:
        """Return what stands before a tile whose total was told.

        ``ends`` are the identity of the operator, and what stands before the first tile.
        """
        group, width, mine = it.get_group(), it.get_local_range(0), it.get_local_id(0)
        place = tile % width
        window = tile // width
        seen = self.how.peek(self.words.at, self.tiles + min(mine, window))
        other = ends[0]
        if mine < place:
            other = self.how.hear(self.words.at, tile - place + mine)
        kind = self.how.kind
        inside = kind(sycl.reduce_over_group(group, other, op))
        if mine == 0 and place == width - 1:
            self.how.tell(self.words.at, self.tiles + window, kind(op(inside, total)))
        if window == 0:
            return kind(op(ends[1], inside))
        earlier = ends[0]
        if mine < window:
            earlier = kind(op(earlier, self.how.heard(self.words.at, self.tiles + mine, seen)))
        for w in range(mine + width, window, width):
            earlier = kind(op(earlier, self.how.hear(self.words.at, self.tiles + w)))
        start = kind(op(ends[1], kind(sycl.reduce_over_group(group, earlier, op))))
        return kind(op(start, inside))


@dataclass(eq=False)
class runs:
    """What tiles of runs tell one another: of ``links``, a ``chain``, the last values of a run.

    These are marked where a run begins in the tile. ``counts`` are words by which ``many`` tells
    how many runs begin; ``many`` is None where nobody asks.
    """

    links: Any
    many: Any
    counts: Any

    def claim(self, it: Any) -> Any:
        """Return the tile of a group: the next one that nobody has."""
        return self.links.claim(it)

    def before(self, it: Any, tile: Any, told: Any, op: Any, identity: Any) -> Any:
        """Tell the last value of a tile, its mark, and its runs; return what stands before it."""
        group, width, mine = it.get_group(), it.get_local_range(0), it.get_local_id(0)
        links, (total, mark, begun) = self.links, told
        place, window = tile % width, tile // width
        kind, count = links.how.kind, np.int64(0)
        if mine == 0:
            links.how.tell_marked(links.words.at, tile, total, mark)
            if self.many is not None:
                self.many.tell(self.counts.at, tile, self.many.kind(begun))
        other, marked = identity, np.int32(-1)
        if mine < place:
            other, there = links.how.hear_marked(links.words.at, tile - place + mine)
            marked = np.int32(mine) if there > 0 else marked
            if self.many is not None:
                count = np.int64(self.many.hear(self.counts.at, tile - place + mine))
        last = np.int32(sycl.reduce_over_group(group, marked, sycl.maximum))
        other = other if np.int32(mine) >= last else identity
        inside = kind(sycl.reduce_over_group(group, other, op))
        if self.many is not None:
            count = np.int64(sycl.reduce_over_group(group, count, sycl.plus))
        if mine == 0 and place == width - 1:
            whole = total if mark > 0 else kind(op(inside, total))
            there = np.int32(1) if last >= 0 or mark > 0 else np.int32(0)
            links.how.tell_marked(links.words.at, links.tiles + window, whole, there)
            if self.many is not None:
                self.many.tell(self.counts.at, links.tiles + window,
                               self.many.kind(count + np.int64(begun)))
        if window > 0:
            start, earlier = self.windows_before(it, window, op, identity)
            count += earlier
            if last < 0:
                inside = kind(op(start, inside))
        return inside, count

    def windows_before(self, it: Any, window: Any, op: Any, identity: Any) -> Any:
        """Return what of a run stands before a window of tiles, and how many runs."""
        group, width, mine = it.get_group(), it.get_local_range(0), it.get_local_id(0)
        links, kind, count = self.links, self.links.how.kind, np.int64(0)
        marked = np.int64(-1)
        for w in range(mine, window, width):
            _, there = links.how.hear_marked(links.words.at, links.tiles + w)
            marked = np.int64(w) if there > 0 else marked
            if self.many is not None:
                count += np.int64(self.many.hear(self.counts.at, links.tiles + w))
        last = np.int64(sycl.reduce_over_group(group, marked, sycl.maximum))
        total = identity
        for w in range(mine, window, width):
            if w >= last:
                total = kind(op(total, links.how.hear(links.words.at, links.tiles + w)))
        if self.many is not None:
            count = np.int64(sycl.reduce_over_group(group, count, sycl.plus))
        return kind(sycl.reduce_over_group(group, total, op)), count
