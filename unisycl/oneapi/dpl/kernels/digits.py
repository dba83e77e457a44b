"""Kernels that sort by digits on many work-groups: one pass over memory for each digit.

Written in the kernel language. A tile ranks its keys by votes of sub-groups, learns how many keys
of each digit stand before it from the tiles that began earlier, brings them into order in local
memory and writes them run by run. Non-goals: processors, on which a work-item sorts what fits its
cache (``radix``). Invariant: every pass is stable, and words are 0 before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl

__kernel_language__ = True
BITS = 8
DIGITS = 1 << BITS
"""Digits, and work-items of a group: each looks after one."""
VOTERS = 32
"""Work-items of a sub-group."""
ROWS = DIGITS // VOTERS
AHEAD = 4
"""Tiles before its own that a work-item looks at together."""
READ = 8
"""Keys that a work-item reads before it counts their digits."""


@dataclass(eq=False)
class sweep:
    """One pass: what ranks are, the digit's first bit, and how many keys there are.

    ``words`` are of ``kind``, which has two bits more than counts need; ``begins`` says where each
    digit's keys begin, and ``place`` is the type of positions. ``items`` is a tuple as long as a
    work-item has keys, known while compiling; ``one`` is what ``peers`` says. ``whole`` says that
    all tiles are, so that nothing asks where they end.
    """

    rank: Any
    shift: Any
    count: Any
    kind: Any
    words: Any
    begins: Any
    claims: Any
    items: Any
    place: Any
    one: Any
    whole: Any = None

    def digit(self, key: Any) -> Any:
        """Return the digit of a key."""
        rank = self.rank.of(key)
        kind = rank.dtype.type
        inside = kind(self.shift) & kind(np.iinfo(kind).bits - 1)  # a shift that needs no test
        return int((rank >> inside) & kind(DIGITS - 1))

    def before(self, tile: Any, digit: Any, mine: Any) -> Any:
        """Tell how many keys of a digit a tile has; return how many stand before them."""
        kind = self.kind
        some = kind(1) << kind(np.iinfo(kind).bits - 2)
        all = some << kind(1)
        here = tile * DIGITS + digit
        found = kind(0)
        if tile > 0:
            sycl.atomic_ref(self.words.at, here).store(some | kind(mine))
            at, known = tile - 1, False
            while not known:
                words = sycl.private_array(kind, AHEAD)
                for j in sycl.ext.intel.unroll(range(AHEAD)):
                    words[j] = sycl.atomic_ref(
                        self.words.at, max(at - j, 0) * DIGITS + digit).load()
                there = True
                for j in sycl.ext.intel.unroll(range(AHEAD)):
                    word = words[j]
                    there = there and not known and word >= some
                    if there:
                        known = word >= all
                        found += word - (all if known else some)
                        at -= 1
        sycl.atomic_ref(self.words.at, here).store(all | (found + kind(mine)))
        return found


@dataclass(eq=False)
class shared:
    """Local memory of a tile: counts of each sub-group, where digits go, elements, a number."""

    counts: Any
    goes: Any
    keys: Any
    values: Any
    own: Any


def count_all(it: Any, keys: Any, counts: Any, rank: Any, own: Any, plan: Any) -> None:
    """Count every digit of all keys; ``plan.part`` is how many digits there are."""
    group, mine = it.get_group(), it.get_local_id(0)
    for row in range(plan.part):
        own[row * DIGITS + mine] = np.uint32(0)
    sycl.group_barrier(group)
    step = DIGITS * READ
    for first in range(it.get_group(0) * step, plan.count, it.get_group_range(0) * step):
        read = sycl.private_array(plan.kind, READ)
        for j in sycl.ext.intel.unroll(range(READ)):
            k = first + j * DIGITS + mine
            if k < plan.count:
                read[j] = plan.kind(rank.of(keys.load(k)))
        for j in sycl.ext.intel.unroll(range(READ)):
            if first + j * DIGITS + mine < plan.count:
                found = read[j]
                for row in range(plan.part):
                    digit = int(found & plan.kind(DIGITS - 1))
                    sycl.atomic_ref(own, row * DIGITS + digit, sycl.memory_order.relaxed,
                                    sycl.memory_scope.work_group).fetch_add(np.uint32(1))
                    found = found >> plan.kind(plan.identity)
    sycl.group_barrier(group)
    for row in range(plan.part):
        found = own[row * DIGITS + mine]
        if found > 0:
            sycl.atomic_ref(counts.at, row * DIGITS + mine).fetch_add(np.uint64(found))


def begin_digits(it: Any, counts: Any) -> None:
    """Replace the counts of each digit by where its keys begin; a group for each digit."""
    mine = it.get_group(0) * DIGITS + it.get_local_id(0)
    found = sycl.exclusive_scan_over_group(it.get_group(), counts.load(mine), sycl.plus)
    counts.store(mine, np.uint64(found))


def peers(it: Any, digit: Any, one: Any) -> Any:
    """Return which work-items of the sub-group have the same digit, as bits.

    ``one`` is 1, which compilers are not told: they make shifts of tests of bits that they know.
    """
    group = it.get_sub_group()
    found = np.uint32(0xFFFFFFFF)
    for b in sycl.ext.intel.unroll(range(BITS)):
        on = np.uint32(digit) & (one << np.uint32(b)) != 0
        vote = np.uint32(sycl.ext.oneapi.group_ballot(group, on).bits)
        found = found & (vote ^ (np.uint32(0) if on else np.uint32(0xFFFFFFFF)))
    return found


def rank_keys(it: Any, keys: Any, places: Any, start: Any, size: Any, *of: Any) -> None:
    """Count the digits of a sub-group's keys, and note how many equal ones stand before each."""
    own, by = of
    row, lane = it.get_local_id(0) // VOTERS, it.get_local_id(0) % VOTERS
    below = (np.uint32(1) << np.uint32(lane)) - np.uint32(1)
    above = ~(below + below + np.uint32(1))
    for j in sycl.ext.intel.unroll(range(len(by.items))):
        digit = DIGITS - 1
        if by.whole is not None or start + j * VOTERS < size:
            digit = by.digit(keys[j])
        same = peers(it, digit, by.one)
        at = row * DIGITS + digit
        known = own.counts[at]
        sycl.group_barrier(it.get_sub_group())
        rank = np.int32(sycl.popcount(same & below))
        if same & above == 0:
            own.counts[at] = known + rank + np.int32(1)
        sycl.group_barrier(it.get_sub_group())
        places[j] = known + rank


@sycl.kernel(reqd_sub_group_size=VOTERS, properties=sycl.ext.oneapi.experimental.properties(
    sycl.ext.intel.min_work_groups_per_cu(3)))
def distribute(it: Any, source: Any, target: Any, values: Any, own: Any, by: Any) -> None:
    """Move the keys of a tile to where their digits go, and values along with them.

    ``values`` are those, and where they go; None if there are none.
    """
    group, mine = it.get_group(), np.int32(it.get_local_id(0))
    items = len(by.items)
    if mine == 0:
        own.own[0] = sycl.atomic_ref(by.claims.at, int(by.shift) // BITS).fetch_add(
            np.uint32(1))
    for r in sycl.ext.intel.unroll(range(ROWS)):
        own.counts[r * DIGITS + mine] = np.int32(0)
    sycl.group_barrier(group)
    tile = int(own.own[0])
    first = by.place(tile) * by.place(DIGITS * items)
    size = np.int32(min(DIGITS * items, by.count - first))
    row, lane = mine // VOTERS, mine % VOTERS
    start = row * VOTERS * items + lane
    keys = sycl.private_array(source.load(0).dtype, items)
    places = sycl.private_array(np.int32, items)
    for j in sycl.ext.intel.unroll(range(items)):
        k = start + j * VOTERS
        keys[j] = source.load(first + (k if by.whole is not None else min(k, size - 1)))
    rank_keys(it, keys, places, start, size, own, by)
    sycl.group_barrier(group)
    total = np.int32(0)
    for r in sycl.ext.intel.unroll(range(ROWS)):
        x = own.counts[r * DIGITS + mine]
        own.counts[r * DIGITS + mine] = total
        total += x
    begin = np.int32(sycl.exclusive_scan_over_group(group, total, sycl.plus))
    if mine == DIGITS - 1:
        total -= np.int32(DIGITS * items) - size
    before = by.before(tile, mine, total)
    own.goes[mine] = by.place(by.begins.load(by.shift // BITS * DIGITS + mine)) + by.place(
        before) - by.place(begin)
    for r in sycl.ext.intel.unroll(range(ROWS)):
        own.counts[r * DIGITS + mine] += begin
    sycl.group_barrier(group)
    for j in sycl.ext.intel.unroll(range(items)):
        digit = DIGITS - 1
        if by.whole is not None or start + j * VOTERS < size:
            digit = by.digit(keys[j])
        places[j] += own.counts[row * DIGITS + digit]
        own.keys[places[j]] = keys[j]
    sycl.group_barrier(group)
    goes = sycl.private_array(by.place, items)
    for j in sycl.ext.intel.unroll(range(items)):
        k = j * DIGITS + mine
        if by.whole is not None or k < size:
            key = own.keys[k]
            goes[j] = own.goes[by.digit(key)] + by.place(k)
            target.store(goes[j], key)
    if values is not None:
        for j in sycl.ext.intel.unroll(range(items)):
            k = start + j * VOTERS
            if by.whole is not None or k < size:
                own.values[places[j]] = values.a.load(first + k)
        sycl.group_barrier(group)
        for j in sycl.ext.intel.unroll(range(items)):
            k = j * DIGITS + mine
            if by.whole is not None or k < size:
                values.b.store(goes[j], own.values[k])
