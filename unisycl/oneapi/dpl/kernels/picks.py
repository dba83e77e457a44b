"""Kernels that find elements by their place in an order, without sorting the others.

Written in the kernel language. A sample, sorted, gives two ranks between which the wanted places
lie. Elements are below, among or above them; they are counted block by block, then either those
that are not above are gathered, or each class goes to other memory and back. What is among them is
sorted by one work-item, on its way back. Non-goals: wide windows, which are sorted in parts
(``parts``). Invariant: the sample decides of the time alone; what it misjudges is sorted, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dpl.kernels.parts import sampled, sort_part
from unisycl.oneapi.dpl.kernels.selections import ROW, move_packed, pack, since

__kernel_language__ = True
BLOCK = 1 << 10
"""Elements that are counted together."""
TOGETHER = 16
"""Blocks that a work-group counts, or a work-item moves."""


@dataclass(eq=False)
class picked:
    """What is wanted, and what is known of it.

    Args:
        rank: what tells the rank of an element.
        kind: the unsigned type of ranks.
        ends: memory of the lowest and the highest rank of those among which the window is.
        counts: memory of, for each block, how many elements are below and among them; later, where
            what the block moves goes.
        found: memory of where what is to be sorted begins and ends.
        count: how many elements there are.
    """

    rank: Any
    kind: Any
    ends: Any
    counts: Any
    found: Any
    count: Any

    def of(self, x: Any) -> Any:
        """Return the rank of an element."""
        return self.kind(self.rank.of(x))


# ---- two ranks
def choose(keys: Any, pool: Any, by: Any, ends: Any, digits: Any, at: Any) -> None:
    """Sort a sample of keys and note the ranks at two of its places, if they are in it.

    ``pool`` are two memories as large as the sample, ``at`` its size and these places.
    """
    samples, lowest, highest = at
    step = max(by.count // samples, 1)
    for k in range(samples):
        pool.a.store(k, keys.load(sampled(k, step, by.count)))
    sort_part(pool.a, pool.b, digits, (0, samples))
    low, high = by.kind(0), by.kind(np.iinfo(by.kind).max)
    if lowest >= 0:
        low = by.kind(digits.rank.of(pool.b.load(lowest)))
    if highest < samples:
        high = by.kind(digits.rank.of(pool.b.load(highest)))
    ends.store(0, low)
    ends.store(1, high)


def count_classes(it: Any, items: Any, by: Any) -> None:
    """Count the elements of some blocks that are below, and those that are among the ranks."""
    group, width, mine = it.get_group(), it.get_local_range(0), it.get_local_id(0)
    low, span = by.ends.load(0), by.ends.load(1) - by.ends.load(0)
    blocks = (by.count + BLOCK - 1) // BLOCK
    start = it.get_group(0) * TOGETHER
    for b in range(start, min(start + TOGETHER, blocks)):
        below, among = np.int32(0), np.int32(0)
        first = b * BLOCK
        if first + BLOCK <= by.count:
            for turn in range(BLOCK // width):
                rank = by.of(items.load(first + turn * width + mine))
                below += np.int32(1) if rank < low else np.int32(0)
                among += np.int32(1) if rank - low <= span else np.int32(0)
        else:
            for turn in range((by.count - first + width - 1) // width):
                k = first + turn * width + mine
                if k < by.count:
                    rank = by.of(items.load(k))
                    below += np.int32(1) if rank < low else np.int32(0)
                    among += np.int32(1) if rank - low <= span else np.int32(0)
        below = sycl.reduce_over_group(group, below, sycl.plus)
        among = sycl.reduce_over_group(group, among, sycl.plus)
        if group.leader():
            by.counts.store(3 * b, np.int64(below))
            by.counts.store(3 * b + 1, np.int64(among))


# ---- the first ones, elsewhere
def place_first(by: Any, wanted: Any) -> None:
    """Say where each block's elements that are not above go; all are taken if these are too few."""
    blocks = (by.count + BLOCK - 1) // BLOCK
    total = np.int64(0)
    for b in range(blocks):
        total += by.counts.load(3 * b) + by.counts.load(3 * b + 1)
    enough = total >= wanted
    if not enough:
        by.ends.store(1, by.kind(np.iinfo(by.kind).max))
    at = np.int64(0)
    for b in range(blocks):
        here = np.int64(min(BLOCK, by.count - b * BLOCK))
        if enough:
            here = by.counts.load(3 * b) + by.counts.load(3 * b + 1)
        by.counts.store(3 * b, at)
        by.counts.store(3 * b + 1, here)
        at += here
    by.found.store(0, np.int64(0))
    by.found.store(1, at)


def gather(it: Any, items: Any, target: Any, by: Any, noted: Any) -> None:
    """Write the elements of some blocks that are not above, in their order."""
    high = by.ends.load(1)
    blocks = (by.count + BLOCK - 1) // BLOCK
    start = it.get_group(0) * TOGETHER
    for b in range(start, min(start + TOGETHER, blocks)):
        if by.counts.load(3 * b + 1) > 0:
            first, at = b * BLOCK, by.counts.load(3 * b)
            kept = np.int32(0)
            for k in range(first, min(first + BLOCK, by.count)):
                noted[kept] = np.int32(k - first)
                kept += np.int32(1) if by.of(items.load(k)) <= high else np.int32(0)
            for j in range(kept):
                target.store(at + j, items.load(first + int(noted[j])))


def sort_first(items: Any, target: Any, by: Any, digits: Any) -> None:
    """Sort what was gathered into the target."""
    sort_part(items, target, digits, (0, by.found.load(1)))


# ---- each class to its place
def place_classes(by: Any, window: Any) -> None:
    """Say where each block's elements of each class go, and between which places all are sorted."""
    blocks = (by.count + BLOCK - 1) // BLOCK
    below, among = np.int64(0), np.int64(0)
    for b in range(blocks):
        below += by.counts.load(3 * b)
        among += by.counts.load(3 * b + 1)
    to0, to1, to2 = np.int64(0), below, below + among
    by.found.store(0, np.int64(0) if window[0] < to1 else to1 if window[0] < to2 else to2)
    by.found.store(1, to1 if window[1] <= to1 else to2 if window[1] <= to2 else np.int64(by.count))
    for b in range(blocks):
        here0, here1 = by.counts.load(3 * b), by.counts.load(3 * b + 1)
        by.counts.store(3 * b, to0)
        by.counts.store(3 * b + 1, to1)
        by.counts.store(3 * b + 2, to2)
        to0 += here0
        to1 += here1
        to2 += np.int64(min(BLOCK, by.count - b * BLOCK)) - here0 - here1


def move_classes(it: Any, items: Any, other: Any, by: Any) -> None:
    """Write the elements of some blocks to where their classes are in other memory."""
    low, high = by.ends.load(0), by.ends.load(1)
    blocks = (by.count + BLOCK - 1) // BLOCK
    start = it.get_group(0) * TOGETHER
    for b in range(start, min(start + TOGETHER, blocks)):
        to0, to1, to2 = by.counts.load(3 * b), by.counts.load(3 * b + 1), by.counts.load(3 * b + 2)
        for k in range(b * BLOCK, min(b * BLOCK + BLOCK, by.count)):
            item = items.load(k)
            rank = by.of(item)
            other.store(to0 if rank < low else to1 if rank <= high else to2, item)
            to0 += np.int64(1 if rank < low else 0)
            to2 += np.int64(1 if rank > high else 0)
            to1 += np.int64(1 if low <= rank and rank <= high else 0)


@dataclass(eq=False)
class packs:
    """Local memory for the elements of a block of each class, or for where they stand in it."""

    below: Any
    among: Any
    above: Any
    direct: Any


def pack_row(it: Any, own: Any, x: Any, rank: Any, ends: Any, *of: Any) -> Any:
    """Pack the elements of a row; return how many there are of each class.

    ``ends`` are the lowest rank and how far the highest is from it; ``of`` are which lanes have an
    element, and how many there were.
    """
    there, (below, among, above) = of
    group, (low, span) = it.get_sub_group(), ends
    lower = there and rank < low
    inside = there and rank - low <= span
    votes0 = np.uint32(sycl.ext.oneapi.group_ballot(group, lower).bits)
    votes1 = np.uint32(sycl.ext.oneapi.group_ballot(group, inside).bits)
    votes2 = np.uint32(sycl.ext.oneapi.group_ballot(group, there).bits) ^ votes0 ^ votes1
    below = pack(it, own.below, below, x, votes0)
    if votes1 != 0:
        among = pack(it, own.among, among, x, votes1)
    above = pack(it, own.above, above, x, votes2)
    return below, among, above


@sycl.kernel(reqd_sub_group_size=ROW)
def pack_classes(it: Any, items: Any, other: Any, by: Any, own: Any) -> None:
    """Do so where a row of elements votes which class they are of."""
    lane, low = np.int32(it.get_local_id(0)), by.ends.load(0)
    ends = low, by.ends.load(1) - low
    blocks = (by.count + BLOCK - 1) // BLOCK
    start = it.get_group(0) * TOGETHER
    last: Any = np.int64(by.count)
    for block in range(start * BLOCK, min(start + TOGETHER, blocks) * BLOCK, BLOCK):
        b = block // BLOCK
        many = np.int32(min(BLOCK, last - block))
        kept = np.int32(0), np.int32(0), np.int32(0)
        elements = items if own.direct else since(block)
        for row in range(many // ROW):
            k = np.int64(block) + (row * ROW + lane)
            kept = pack_row(it, own, elements.load(k), by.of(items.load(k)), ends, True, kept)
        if many % ROW != 0:
            j = many // ROW * ROW + lane
            k = np.int64(block) + min(j, many - np.int32(1))
            kept = pack_row(it, own, elements.load(k), by.of(items.load(k)), ends, j < many, kept)
        sycl.group_barrier(it.get_group())
        move_packed(it, own.below, items, other, own, block, by.counts.load(3 * b), kept[0])
        move_packed(it, own.among, items, other, own, block, by.counts.load(3 * b + 1), kept[1])
        move_packed(it, own.above, items, other, own, block, by.counts.load(3 * b + 2), kept[2])
        sycl.group_barrier(it.get_group())


def sort_wanted(items: Any, other: Any, by: Any, digits: Any) -> None:
    """Sort the classes that have positions of the window into the target."""
    sort_part(other, items, digits, (by.found.load(0), by.found.load(1)))


def copy_others(it: Any, items: Any, other: Any, by: Any) -> None:
    """Write the elements of some blocks back that are of no such class."""
    first = it.get_group(0) * TOGETHER * BLOCK
    last = min(first + TOGETHER * BLOCK, by.count)
    for k in range(first, min(last, int(by.found.load(0)))):
        items.store(k, other.load(k))
    for k in range(max(first, int(by.found.load(1))), last):
        items.store(k, other.load(k))
