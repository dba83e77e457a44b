"""Kernels that sort numbers by a function of two, by comparing them with a sorted sample.

Written in the kernel language, for processors of our own. Many elements go down a table of sorted
samples at once, lane beside lane, which takes a step for each halving and no branch; so they are
divided into buckets, these into leaves, and in a leaf an element's place is the number of those
before it. Elements that equal a sample have a bucket of their own, which needs no sort. Non-goals:
records, tuples and other devices (``merging``, ``tiles``). Invariants: every step is stable; what
is no strict weak order still moves each element somewhere: a leaf whose places are not all
different is merged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dpl.kernels.parts import sampled

__kernel_language__ = True
LANES = 32
"""Elements that go down a table together."""
ROW = 16
"""Elements of a leaf that find their places together."""
LEAF = 1 << 10
"""Elements of a leaf at most, else it is merged."""


@dataclass(eq=False)
class division:
    """How stretches of elements are divided, between samples of their own.

    Args:
        tables: memory of sorted samples, one less than a power of two for each stretch.
        bits: that power at most.
        aim: how many elements shall stand between two samples; 0 if ``bits`` is the power.
        over: how many samples are sorted for each that divides.
        chunks: how many numbers apart the bounds of stretches are.
        odd: 1 if stretches with odd numbers are of equal elements, which are not divided.
        stride: how far apart tables are; 0 if all stretches share one.
        count: how many elements there are.
        before: the order.
    """

    tables: Any
    bits: Any
    aim: Any
    over: Any
    chunks: Any
    odd: Any
    stride: Any
    count: Any
    before: Any

    def bounds(self, at: Any, d: Any) -> Any:
        """Return where stretch ``d`` begins and ends."""
        return at.load(d * self.chunks), min(at.load((d + 1) * self.chunks), self.count)

    def power(self, d: Any, size: Any) -> Any:
        """Return into which power of two a stretch is divided."""
        found = np.int32(0)
        if (d & self.odd) == 0:
            while found < self.bits and (self.aim << np.int64(found)) < size:
                found += np.int32(1)
        return found


def place(x: Any, own: Any, bits: Any, before: Any) -> Any:
    """Return twice how many of a sorted table are not behind an element.

    It is one less if the last of these is its equal.
    """
    found, step = np.int32(0), np.int32(1) << bits
    for _ in range(bits):
        step = step >> np.int32(1)
        found += np.int32(0) if before(x, own[found + step - np.int32(1)]) else step
    last = own[max(found - np.int32(1), np.int32(0))]
    other = found == np.int32(0) or bool(before(last, x))
    return np.int32(2) * found - (np.int32(0) if other else np.int32(1))


def rank(own: Any, x: Any, i: Any, row: Any, *of: Any) -> Any:
    """Return how many of the elements in local memory stand before element ``i``, which is ``x``.

    ``row`` is where the row of work-items begins; ``of`` are how many there are, and the order.
    """
    count, before = of
    found = np.int32(0)
    for j in range(row):
        found += np.int32(0) if before(x, own[j]) else np.int32(1)
    for j in range(row, min(row + ROW, count)):
        y = own[j]
        first = bool(before(y, x))
        if j < i:
            first = not before(x, y)
        found += np.int32(1) if first and j != i else np.int32(0)
    for j in range(min(row + ROW, count), count):
        found += np.int32(1) if before(own[j], x) else np.int32(0)
    return found


def write_samples(it: Any, own: Any, count: Any, target: Any, to: Any, *of: Any) -> None:
    """Write each ``SAMPLES``-th or so of the elements in local memory in their order.

    ``of`` are how many are written, and the order. Places that nothing claims, which no strict weak
    order leaves, have the first element.
    """
    many, before = of
    lane, step = np.int32(it.get_local_id(0)), count // (many + np.int32(1))
    for row in range(0, many, ROW):
        if row + lane < many:
            target.store(to + row + lane, own[0])
    sycl.group_barrier(it.get_group())
    for row in range(0, count, ROW):
        i = min(np.int32(row) + lane, count - np.int32(1))
        place = rank(own, own[i], i, np.int32(row), count, before)
        k = place // step - np.int32(1)
        if row + lane < count and place % step == 0 and k >= 0 and k < many:
            target.store(to + k, own[i])


@sycl.kernel(reqd_sub_group_size=ROW)
def choose(it: Any, items: Any, bounds: Any, own: Any, by: Any) -> None:
    """Sort a sample of a stretch, which is to divide it."""
    d, lane = it.get_group(0), np.int32(it.get_local_id(0))
    begin, end = by.bounds(bounds, d)
    bits = by.power(d, end - begin)
    if bits > 0:
        count = np.int32(by.over) << bits
        step = max((end - begin) // count, 1)
        for row in range(0, count, ROW):
            if row + lane < count:
                own[row + lane] = items.load(
                    begin + sampled(np.int64(row + lane), step, end - begin))
        sycl.group_barrier(it.get_group())
        write_samples(it, own, count, by.tables, d * by.stride,
                      (np.int32(1) << bits) - np.int32(1), by.before)


@sycl.kernel(reqd_sub_group_size=LANES)
def classify(it: Any, items: Any, ids: Any, bounds: Any, own: Any, by: Any) -> None:
    """Note between which samples each element of a stretch belongs."""
    d, lane = it.get_group(0), np.int32(it.get_local_id(0))
    begin, end = by.bounds(bounds, d)
    bits = by.power(d, end - begin)
    if bits > 0:
        many = (np.int32(1) << bits) - np.int32(1)
        for row in range(0, many, LANES):
            if row + lane < many:
                own[row + lane] = by.tables.load(d * by.stride + row + lane)
        sycl.group_barrier(it.get_group())
        for base in range(begin, end, LANES):
            if base + lane < end:
                ids.store(base + lane, np.uint16(
                    place(items.load(base + lane), own, bits, by.before)))


def count_ids(it: Any, ids: Any, counts: Any, plan: Any) -> None:
    """Count the elements of a chunk for each bucket."""
    c, chunks, own = it.get_group(0), it.get_group_range(0), plan.noted
    for d in range(plan.others):
        own[d] = np.uint32(0)
    for k in range(c * plan.part, min((c + 1) * plan.part, plan.count)):
        own[int(ids.load(k))] += np.uint32(1)
    for d in range(plan.others):
        counts.store(d * chunks + c, np.int64(own[d]))


def distribute_ids(it: Any, items: Any, target: Any, ids: Any, counts: Any, plan: Any) -> None:
    """Write each element of a chunk to its bucket, a line at a time."""
    c, chunks, own = it.get_group(0), it.get_group_range(0), plan.noted
    for d in range(plan.others):
        own.begins[d] = counts.load(d * chunks + c)
        own.goes[d] = own.begins[d]
    for k in range(c * plan.part, min((c + 1) * plan.part, plan.count)):
        own.put(int(ids.load(k)), items.load(k), target)
    for d in range(plan.others):
        end = own.goes[d]
        begin = end - (int(end) & (len(own.like) - 1))
        own.flush(d, max(begin, own.begins[d]), end, target)


# ---- leaf by leaf
def divide(it: Any, items: Any, target: Any, ids: Any, bounds: Any, *of: Any) -> None:
    """Write each element of a bucket to its leaf, and where leaves end.

    ``of`` are local memory for counts, memory for ends, one for each leaf, for those of equal
    elements, and a last one that says whether the bucket has to be merged, and the division.
    """
    own, ends, by = of
    d = it.get_group(0)
    begin, end = by.bounds(bounds, d)
    bits, row = by.power(d, end - begin), d * (2 * by.stride)
    many = 2 << bits
    for leaf in range(many):
        own[leaf] = np.int32(0)
    if bits > 0:
        for k in range(begin, end):
            own[int(ids.load(k))] += np.int32(1)
    at = np.int32(0)
    for leaf in range(many):
        here = own[leaf]
        own[leaf] = at
        at += here
    for k in range(begin, end):
        leaf = int(ids.load(k)) if bits > 0 else 0
        to = own[leaf]
        own[leaf] = to + np.int32(1)
        target.store(begin + to, items.load(k))
    for leaf in range(many):
        ends.store(row + leaf, own[leaf])


@dataclass(eq=False)
class one_leaf:
    """Local memory of a leaf: where elements go, and the elements."""

    goes: Any
    keys: Any

    def note(self, j: Any, item: Any) -> None:
        """Keep an element."""
        self.keys[j] = item

    def put(self, j: Any, target: Any, to: Any) -> None:
        """Write an element."""
        target.store(to, self.keys[j])


@dataclass(eq=False)
class two_leaves:
    """Local memory of a leaf of keys with values."""

    goes: Any
    keys: Any
    values: Any

    def note(self, j: Any, item: Any) -> None:
        """Keep an element."""
        self.keys[j] = item[0]
        self.values[j] = item[1]

    def put(self, j: Any, target: Any, to: Any) -> None:
        """Write an element."""
        target.store(to, (self.keys[j], self.values[j]))


def sort_leaf(it: Any, items: Any, own: Any, start: Any, count: Any, before: Any) -> Any:
    """Sort a few elements in place; return 1 if their places are not all different, else 0."""
    lane, group = np.int32(it.get_local_id(0)), it.get_group()
    for at in range(0, count, ROW):
        if at + lane < count:
            own.note(at + lane, items.load(start + at + lane))
    sycl.group_barrier(group)
    squares, wrong = np.int32(0), np.int32(1)
    for at in range(0, count, ROW):
        i = min(np.int32(at) + lane, count - np.int32(1))
        place = rank(own.keys, own.keys[i], i, np.int32(at), count, before)
        if at + lane < count:
            own.goes[i] = place
            squares += place * place
    total = sycl.reduce_over_group(group, squares, sycl.plus)
    if total == (count - 1) * count * (2 * count - 1) // 6:
        wrong = np.int32(0)
        for at in range(0, count, ROW):
            if at + lane < count:
                own.put(at + lane, items, start + own.goes[at + lane])
    sycl.group_barrier(group)
    return wrong


@sycl.kernel(reqd_sub_group_size=ROW)
def sort_leaves(it: Any, items: Any, bounds: Any, ends: Any, own: Any, by: Any) -> None:
    """Sort the leaves of a bucket in place; note whether it has to be merged."""
    d, lane = it.get_group(0), np.int32(it.get_local_id(0))
    begin, end = by.bounds(bounds, d)
    if (d & by.odd) == 0 and end > begin:
        many, row = np.int32(1) << by.power(d, end - begin), d * (2 * by.stride)
        first, merged = np.int32(0), np.int32(0)
        for leaf in range(many):
            last = ends.load(row + 2 * leaf)
            count = last - first
            if count > LEAF:
                merged = np.int32(1)
            elif count > 1:
                merged = merged | sort_leaf(it, items, own, begin + first, count, by.before)
            if leaf < many - 1:
                first = ends.load(row + 2 * leaf + 1)
        if lane == 0:
            ends.store(row + 2 * many - 1, merged)


def merge_rest(it: Any, items: Any, other: Any, bounds: Any, ends: Any, *of: Any) -> None:
    """Merge a bucket that its leaves did not sort, which is seldom; ``of`` are order, division.

    That is few steps to compile rather than to run.
    """
    order, by = of
    d = it.get_group(0)
    begin, after = by.bounds(bounds, d)
    first, last = int(begin), int(after)
    many = 2 << by.power(d, last - first)
    if (d & by.odd) == 0 and last > first and ends.load(d * (2 * by.stride) + many - 1) != 0:
        width = 1
        while width < last - first:
            for left in range(first, last, 2 * width):
                middle, end = min(left + width, last), min(left + 2 * width, last)
                i, j = left, middle
                for k in range(left, end):
                    behind = j < end and (i >= middle or bool(order.of(
                        items.load(min(j, last - 1)), items.load(min(i, last - 1)))))
                    other.store(k, items.load(j if behind else i))
                    j += 1 if behind else 0
                    i += 0 if behind else 1
            for k in range(first, last):
                items.store(k, other.load(k))
            width *= 2
