"""Kernels that find elements by their place in an order, without sorting the others.

Written in the kernel language. A sample, sorted, gives two ranks between which the wanted places
lie. Elements are below, among or above them; they are counted block by block, then either those
that are not above are gathered, or those that stand where another class belongs change places. What
is among them is sorted by one work-item. Non-goals: wide windows, which are sorted in parts
(``parts``). Invariant: the sample decides of the time alone; what it misjudges is sorted, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dpl.kernels.parts import sampled, sort_part

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
        found: memory of where what is among them begins and ends, and where lists begin.
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
def region(by: Any, k: Any) -> Any:
    """Return the class that belongs to a position."""
    return 0 if k < by.found.load(0) else 1 if k < by.found.load(1) else 2


def class_of(rank: Any, low: Any, high: Any) -> Any:
    """Return 0 of a rank below, 1 of one among, 2 of one above two ranks."""
    return 0 if rank < low else 1 if rank <= high else 2


def place_classes(items: Any, by: Any) -> None:
    """Say where classes begin, and where each block lists its elements that stand elsewhere."""
    blocks = (by.count + BLOCK - 1) // BLOCK
    low, high = by.ends.load(0), by.ends.load(1)
    below, among = np.int64(0), np.int64(0)
    for b in range(blocks):
        below += by.counts.load(3 * b)
        among += by.counts.load(3 * b + 1)
    by.found.store(0, below)
    by.found.store(1, below + among)
    at = sycl.private_array(np.int64, 3)
    here = sycl.private_array(np.int64, 3)
    for c in range(3):
        at[c] = np.int64(0)
    for b in range(blocks):
        first, last = b * BLOCK, min(b * BLOCK + BLOCK, by.count)
        mine = region(by, first)
        if mine == region(by, last - 1):
            here[0] = by.counts.load(3 * b)
            here[1] = by.counts.load(3 * b + 1)
            here[2] = np.int64(last - first) - here[0] - here[1]
            here[mine] = np.int64(0)
        else:
            for c in range(3):
                here[c] = np.int64(0)
            for k in range(first, last):
                c = class_of(by.of(items.load(k)), low, high)
                here[c] += np.int64(1 if c != region(by, k) else 0)
        for c in range(3):
            by.counts.store(3 * b + c, at[c])
            at[c] += here[c]
    for c in range(3):
        by.counts.store(3 * blocks + c, at[c])
    by.found.store(2, at[0])
    by.found.store(3, at[0] + at[1])
    by.found.store(4, at[0] + at[1] + at[2])


def list_strays(it: Any, items: Any, lists: Any, by: Any, noted: Any) -> None:
    """List the elements of some blocks that stand where another class belongs, and where.

    ``lists`` are elements, class after class, and positions in their order: as many stand where a
    class belongs as there are of it elsewhere, so the two lists fit.
    """
    low, high = by.ends.load(0), by.ends.load(1)
    blocks = (by.count + BLOCK - 1) // BLOCK
    start = it.get_group(0) * TOGETHER
    for b in range(start, min(start + TOGETHER, blocks)):
        to0, to1, to2 = by.counts.load(3 * b), by.counts.load(3 * b + 1), by.counts.load(3 * b + 2)
        hole = to0 + to1 + to2
        after = by.counts.load(3 * b + 3) + by.counts.load(3 * b + 4) + by.counts.load(3 * b + 5)
        if after > hole:
            to1 += by.found.load(2)
            to2 += by.found.load(3)
            first = np.int64(b * BLOCK)
            last = np.int64(min(first + BLOCK, by.count))
            strays = np.int32(0)
            for r in range(3):
                begin = first if r == 0 else min(max(by.found.load(r - 1), first), last)
                end = last if r == 2 else min(max(by.found.load(r), first), last)
                least = by.kind(0) if r == 0 else low if r == 1 else by.kind(high + by.kind(1))
                most = by.kind(low - by.kind(1)) if r == 0 else high if r == 1 else by.kind(
                    np.iinfo(by.kind).max)
                span = by.kind(most - least)
                for k in range(begin, end):
                    noted[strays] = np.int32(k - first)
                    strays += np.int32(1) if by.kind(
                        by.of(items.load(k)) - least) > span else np.int32(0)
            for j in range(strays):
                item = items.load(first + noted[j])
                rank = by.of(item)
                to = to0 if rank < low else to1 if rank <= high else to2
                lists.a.store(to, item)
                lists.b.store(hole + j, first + noted[j])
                to0 += np.int64(1 if rank < low else 0)
                to2 += np.int64(1 if rank > high else 0)
                to1 += np.int64(1 if low <= rank and rank <= high else 0)


def fill_holes(it: Any, items: Any, lists: Any, by: Any) -> None:
    """Write listed elements to the listed positions."""
    strays = by.found.load(4)
    part = (strays + it.get_group_range(0) - 1) // it.get_group_range(0)
    first = it.get_group(0) * part
    for k in range(first, min(first + part, strays)):
        items.store(lists.b.load(k), lists.a.load(k))


def sort_wanted(it: Any, items: Any, other: Any, by: Any, digits: Any, window: Any) -> None:
    """Sort a class if it has positions of a window, by way of other memory."""
    c = it.get_group(0)
    begin = np.int64(0) if c == 0 else by.found.load(c - 1)
    end = np.int64(by.count) if c == 2 else by.found.load(c)
    first, last = window
    if begin < last and end > first and begin < end:
        sort_part(items, other, digits, (begin, end))
        for k in range(begin, end):
            items.store(k, other.load(k))
