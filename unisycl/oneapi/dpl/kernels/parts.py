"""Kernels that sort by ranks: elements are divided into parts of a cache's size, then part by part.

Written in the kernel language. A sample says where ranks are dense; the range of ranks is cut into
cells, dense ones into finer cells, so that parts are of a size whatever the keys are. Elements go
to their parts chunk by chunk, by way of a line of each part that is written out whole; then one
work-item sorts each part by the digits in which it differs. Non-goals: orders that are functions
(``merging``). Invariant: each distribution is stable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl

__kernel_language__ = True
FEW = 24
"""As many elements, or fewer, are inserted one by one."""
TOGETHER = 2
"""Digits that are counted in one pass."""
LINE = 64
"""Bytes that are written out at once."""


@dataclass(eq=False)
class division:
    """How ranks are cut into parts.

    Args:
        rank: what tells the rank of an element.
        kind: the unsigned type that ranks are compared in, of 32 or 64 bits.
        ends: memory of the lowest rank of the sample, and of what stands for all beyond it.
        cells: memory of, for each cell, how far to shift ranks and what to add; first, the shift
            that makes cells.
        bits: there are ``1 << bits`` cells, and one for what lies beyond the sample.
        most: how many parts there are at most.
    """

    rank: Any
    kind: Any
    ends: Any
    cells: Any
    bits: Any
    most: Any

    def place(self, item: Any, low: Any, high: Any, shift: Any) -> Any:
        """Return the part of an element."""
        rank = self.kind(self.rank.of(item))
        above = min(rank - low if rank > low else self.kind(0), high)
        last = self.kind(np.iinfo(self.kind).bits - 1)  # what is shifted by, at most
        cell = 2 * int(above >> (shift & last))
        finer = self.kind(self.cells.load(cell + 2)) & last
        return int(above >> finer) + int(self.cells.load(cell + 3))


def differing(items: Any, by: Any, first: Any, last: Any) -> Any:
    """Return the bits in which ranks differ from the first one's."""
    start = by.of(items.load(first))
    found = start ^ start
    for k in range(first, last):
        found = found | (by.of(items.load(k)) ^ start)
    return np.uint64(found)


# ---- where to cut
def cut(items: Any, by: Any, counts: Any, count: Any, samples: Any, size: Any) -> None:
    """Find cells from a sample, in one work-item, so that parts have about ``size`` elements."""
    step = max(count // samples, 1)
    low = by.kind(by.rank.of(items.load(0)))
    high = low
    for k in range(samples):
        rank = by.kind(by.rank.of(items.load(sampled(k, step, count))))
        low = min(low, rank)
        high = max(high, rank)
    width = np.iinfo(by.kind).bits - int(sycl.clz(high - low))
    shift = max(width - by.bits, 0)
    cells = 1 << by.bits
    beyond = by.kind(np.iinfo(by.kind).max)
    if shift + by.bits < np.iinfo(by.kind).bits:
        beyond = by.kind(1) << by.kind(shift + by.bits)
    by.ends.store(0, low)
    by.ends.store(1, beyond)
    for d in range(cells + 1):
        counts[d] = np.int32(0)
    for k in range(samples):
        rank = by.kind(by.rank.of(items.load(sampled(k, step, count))))
        counts[int((rank - low) >> by.kind(shift))] += np.int32(1)
    assign(by, counts, shift, size * samples // count + 1)


def sampled(k: Any, step: Any, count: Any) -> Any:
    """Return the position of a sample, at an odd place of its stretch."""
    return min(k * step + k * 40503 % step, count - 1)


def assign(by: Any, counts: Any, shift: Any, size: Any) -> None:
    """Give each cell its parts, as many as its samples ask for."""
    cells = 1 << by.bits
    by.cells.store(0, np.int32(shift))
    parts = by.most + 1
    while parts > by.most:
        parts = 0
        for d in range(cells):
            finer = 0
            while finer < shift and (size << finer) < int(counts[d]):
                finer += 1
            by.cells.store(2 * d + 2, np.int32(shift - finer))
            by.cells.store(2 * d + 3, np.int32(parts - (d << finer)))
            parts += 1 << finer
        by.cells.store(2 * cells + 2, np.int32(shift))
        by.cells.store(2 * cells + 3, np.int32(parts - cells))
        parts += 1
        size *= 2


# ---- to their parts
def count_parts(it: Any, items: Any, counts: Any, by: Any, plan: Any) -> None:
    """Count the elements of a chunk for each part."""
    c, chunks, own = it.get_group(0), it.get_group_range(0), plan.noted
    low, high, shift = by.ends.load(0), by.ends.load(1), by.kind(by.cells.load(0))
    for d in range(by.most):
        own[d] = np.int64(0)
    for k in range(c * plan.part, min((c + 1) * plan.part, plan.count)):
        own[by.place(items.load(k), low, high, shift)] += np.int64(1)
    for d in range(by.most):
        counts.store(d * chunks + c, own[d])


def distribute(it: Any, items: Any, target: Any, counts: Any, by: Any, plan: Any) -> None:
    """Write each element of a chunk to its part."""
    c, chunks, own = it.get_group(0), it.get_group_range(0), plan.noted
    low, high, shift = by.ends.load(0), by.ends.load(1), by.kind(by.cells.load(0))
    for d in range(by.most):
        own[d] = counts.load(d * chunks + c)
    for k in range(c * plan.part, min((c + 1) * plan.part, plan.count)):
        item = items.load(k)
        d = by.place(item, low, high, shift)
        at = own[d]
        own[d] = at + np.int64(1)
        target.store(at, item)


def distribute_first(it: Any, items: Any, target: Any, counts: Any, by: Any, plan: Any) -> None:
    """Write the elements of a chunk whose parts begin before ``plan.others`` to these."""
    c, chunks, own = it.get_group(0), it.get_group_range(0), plan.noted
    low, high, shift = by.ends.load(0), by.ends.load(1), by.kind(by.cells.load(0))
    for d in range(by.most):
        wanted = counts.load(d * chunks) < plan.others
        own[d] = counts.load(d * chunks + c) if wanted else np.int64(-1)
    for k in range(c * plan.part, min((c + 1) * plan.part, plan.count)):
        item = items.load(k)
        d = by.place(item, low, high, shift)
        at = own[d]
        if at >= 0:
            own[d] = at + np.int64(1)
            target.store(at, item)


@dataclass(eq=False)
class lines:
    """Local memory of a chunk: for each part a line, where it goes, and where the part begins.

    ``like`` is a tuple as long as a line has elements.
    """

    cells: Any
    goes: Any
    begins: Any
    like: Any

    def put(self, d: Any, item: Any, target: Any) -> None:
        """Add an element to the line of a part; write it out if it is full."""
        size = len(self.like)
        at = self.goes[d]
        self.goes[d] = at + np.int64(1)
        column = int(at) & (size - 1)
        self.cells.store(d * size + column, item)
        if column == size - 1:
            if at - column >= self.begins[d]:
                self.cells.write_out(d * size, target, at - column)
            else:
                self.flush(d, self.begins[d], at + 1, target)

    def flush(self, d: Any, first: Any, last: Any, target: Any) -> None:
        """Write a part of a line."""
        size = len(self.like)
        for j in range(first, last):
            target.store(j, self.cells.load(d * size + (int(j) & (size - 1))))


@dataclass(eq=False)
class one_line:
    """Lines of elements that are numbers; ``kind`` is the vector of a line."""

    at: Any
    kind: Any

    def load(self, i: Any) -> Any:
        """Return an element."""
        return self.at[i]

    def store(self, i: Any, value: Any) -> None:
        """Note an element."""
        self.at[i] = value

    def write_out(self, i: Any, target: Any, to: Any) -> None:
        """Write a line from its first element on."""
        line = self.kind()
        line.load(0, sycl.local_ptr(self.at) + i)
        line.store(0, sycl.global_ptr(target.at) + to, streaming=True)


@dataclass(eq=False)
class two_lines:
    """Lines of keys, and of values."""

    a: Any
    b: Any

    def load(self, i: Any) -> Any:
        """Return a key and its value."""
        return self.a.load(i), self.b.load(i)

    def store(self, i: Any, value: Any) -> None:
        """Note a key and its value."""
        self.a.store(i, value[0])
        self.b.store(i, value[1])

    def write_out(self, i: Any, target: Any, to: Any) -> None:
        """Write both lines from their first elements on."""
        self.a.write_out(i, target.a, to)
        self.b.write_out(i, target.b, to)


def distribute_by_lines(it: Any, items: Any, target: Any, counts: Any, by: Any,
                        plan: Any) -> None:
    """Write each element of a chunk to its part, a line at a time."""
    c, chunks, own = it.get_group(0), it.get_group_range(0), plan.noted
    low, high, shift = by.ends.load(0), by.ends.load(1), by.kind(by.cells.load(0))
    for d in range(by.most):
        own.begins[d] = counts.load(d * chunks + c)
        own.goes[d] = own.begins[d]
    for k in range(c * plan.part, min((c + 1) * plan.part, plan.count)):
        item = items.load(k)
        own.put(by.place(item, low, high, shift), item, target)
    for d in range(by.most):
        end = own.goes[d]
        begin = end - (int(end) & (len(own.like) - 1))
        own.flush(d, max(begin, own.begins[d]), end, target)


# ---- part by part
@dataclass(eq=False)
class digits:
    """How parts are sorted: what ranks are, local memory for counts, and bits at most."""

    rank: Any
    own: Any
    bits: Any


@dataclass(eq=False)
class wanted:
    """Which parts are sorted: those with positions from ``first`` to ``last``.

    There are counts of so many ``chunks``; ``rest`` says whether other parts are copied as they
    are.
    """

    chunks: Any
    first: Any
    last: Any
    rest: Any


def sort_parts(it: Any, items: Any, target: Any, counts: Any, by: Any, which: Any) -> None:
    """Sort a part if it is wanted; it ends in the target."""
    d = it.get_group(0)
    begin, end = counts.load(d * which.chunks), counts.load((d + 1) * which.chunks)
    if begin < which.last and end > which.first:
        sort_part(items, target, by, (begin, end))
    elif which.rest:
        for k in range(begin, end):
            target.store(k, items.load(k))


def sort_whole(it: Any, items: Any, target: Any, by: Any, count: Any) -> None:
    """Sort all elements in one work-item; they end in the target."""
    sort_part(items, target, by, (0, count))


def sort_part(items: Any, target: Any, by: Any, bounds: Any) -> None:
    """Sort elements from one position to another into the target, digit by digit."""
    rank, own, bits = by.rank, by.own, by.bits
    first, last = bounds
    if last - first <= FEW:
        insert(items, target, rank, first, last)
    else:
        varying = differing(items, rank, first, last)
        high = 64 - int(sycl.clz(varying))
        low = min(int(sycl.ctz(varying)), high)
        most = min(bits, 11 if last - first > 4096 else 8 if last - first > 512 else 6)
        turns = (high - low + most - 1) // most
        width = (high - low + turns - 1) // max(turns, 1)
        for turn in range(turns):
            shift = low + turn * width
            if turn % TOGETHER == 0:
                if turn % 2 == 0:
                    count_digits(items, own, rank, bounds, (shift, width))
                else:
                    count_digits(target, own, rank, bounds, (shift, width))
            row = (turn % TOGETHER) << width
            if turn % 2 == 0:
                one_digit(items, target, own, rank, bounds, (shift, width, row))
            else:
                one_digit(target, items, own, rank, bounds, (shift, width, row))
        if turns % 2 == 0:
            for k in range(first, last):
                target.store(k, items.load(k))


def count_digits(items: Any, own: Any, rank: Any, bounds: Any, how: Any) -> None:
    """Count a few digits of all elements, and make places of the counts."""
    first, last = bounds
    shift, width = how
    size, mask = 1 << width, (1 << width) - 1
    for d in range(size * TOGETHER):
        own[d] = np.uint32(0)
    for k in range(first, last):
        found = rank.of(items.load(k))
        for row in sycl.ext.intel.unroll(range(TOGETHER)):
            own[row * size + digit(found, shift + row * width, mask)] += np.uint32(1)
    for row in range(TOGETHER):
        at = np.uint32(0)
        for d in range(row * size, (row + 1) * size):
            here = own[d]
            own[d] = at
            at += here


def digit(rank: Any, shift: Any, width: Any) -> Any:
    """Return the digit of a rank; the shift is less than the rank has bits."""
    kind = rank.dtype.type
    return int(rank >> kind(shift & (np.iinfo(rank.dtype).bits - 1))) & width


def one_digit(items: Any, target: Any, own: Any, rank: Any, bounds: Any, how: Any) -> None:
    """Distribute a part by one digit."""
    first, last = bounds
    shift, width, row = how
    mask = (1 << width) - 1
    for k in range(first, last):
        item = items.load(k)
        d = row + digit(rank.of(item), shift, mask)
        at = own[d]
        own[d] = at + np.uint32(1)
        target.store(first + np.int64(at), item)


def insert(items: Any, target: Any, by: Any, first: Any, last: Any) -> None:
    """Sort a few elements by putting each where it belongs."""
    for k in range(first, last):
        item = items.load(k)
        rank = by.of(item)
        j = k
        while j > first and rank < by.of(target.load(j - 1)):
            target.store(j, target.load(j - 1))
            j -= 1
        target.store(j, item)
