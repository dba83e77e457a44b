"""Kernels that keep some of the elements, in their order.

Written in the kernel language. A work-item goes through a chunk in blocks: the positions of what is
kept are noted without a branch, then the elements are moved. Non-goals: what is kept; flags say so.
On processors of our own a vector of flags says at once where its elements go (``..._packed``).
Invariant: a flag is asked for twice and must say the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl

__kernel_language__ = True
BLOCK = 1 << 10
ROW = 8
"""Elements that vote together where they are packed."""
_PACKED = tuple(
    sum(lane << 3 * to for to, lane in enumerate(k for k in range(ROW) if votes >> k & 1))
    for votes in range(1 << ROW))
"""Of each set of lanes the lanes one after the other, three bits each."""


@dataclass(eq=False)
class heads:
    """Flags of the elements that differ from the one before them."""

    base: Any
    same: Any

    def load(self, i: Any) -> Any:
        """Say whether element ``i`` begins a run of equal ones."""
        return i == 0 or not self.same(self.base.load(max(i - 1, 0)), self.base.load(i))

    def within(self, i: Any) -> Any:
        """Say so of an element that is not the first."""
        return not self.same(self.base.load(i - 1), self.base.load(i))


def count_kept(it: Any, flags: Any, counts: Any, plan: Any) -> None:
    """Count the flags of a chunk."""
    first = it.get_group(0) * plan.part
    kept = np.int64(0)
    for k in range(first, min(first + plan.part, plan.count)):
        kept += np.int64(1) if flags.load(k) else np.int64(0)
    counts.store(it.get_group(0), kept)


def keep(it: Any, flags: Any, source: Any, target: Any, counts: Any, plan: Any) -> None:
    """Write the elements of a chunk that are kept."""
    first = it.get_group(0) * plan.part
    last = min(first + plan.part, plan.count)
    at = counts.load(it.get_group(0))
    for block in range(first, last, BLOCK):
        kept = np.int32(0)
        for k in range(block, min(block + BLOCK, last)):
            plan.noted[kept] = np.int32(k - block)
            kept += np.int32(1) if flags.load(k) else np.int32(0)
        for j in range(kept):
            target.store(at + j, source.load(block + int(plan.noted[j])))
        at += kept


def divide(it: Any, flags: Any, source: Any, targets: Any, counts: Any, plan: Any) -> None:
    """Write the elements of a chunk that are kept to one place, and the others to another."""
    first = it.get_group(0) * plan.part
    last = min(first + plan.part, plan.count)
    at = counts.load(it.get_group(0))
    rest_at = first - at
    for block in range(first, last, BLOCK):
        kept = np.int32(0)
        rest = np.int32(0)
        for k in range(block, min(block + BLOCK, last)):
            flag = np.int32(1) if flags.load(k) else np.int32(0)
            plan.noted[kept] = np.int32(k - block)
            plan.others[rest] = np.int32(k - block)
            kept += flag
            rest += np.int32(1) - flag
        for j in range(kept):
            targets.a.store(at + j, source.load(block + int(plan.noted[j])))
        for j in range(rest):
            targets.b.store(rest_at + j, source.load(block + int(plan.others[j])))
        at += kept
        rest_at += rest


@dataclass(eq=False)
class since:
    """Positions from one on, in 32 bits."""

    first: Any

    def load(self, i: Any) -> Any:
        """Return how far a position is."""
        return np.int32(i - self.first)


def mark_of(flags: Any, k: Any, row: Any, plan: Any) -> Any:
    """Return the flag of each lane's element in a row that is whole."""
    if plan.runs:
        found = bool(flags.within(k)) if row > 0 else bool(flags.load(k))
    else:
        found = bool(flags.load(k))
    return found


def count_packed(it: Any, flags: Any, counts: Any, plan: Any) -> None:
    """Count the flags of a chunk, by a group of many work-items."""
    size, mine = it.get_local_range(0), it.get_local_id(0)
    first = it.get_group(0) * plan.part
    many = min(plan.part, plan.count - first)
    kept = np.int32(0)
    for turn in range(many // size):
        mark = mark_of(flags, first + turn * size + mine, turn, plan)
        kept += np.int32(1) if mark else np.int32(0)
    rest = many // size * size + mine
    if rest < many:
        kept += np.int32(1) if flags.load(first + rest) else np.int32(0)
    total = sycl.reduce_over_group(it.get_group(), kept, sycl.plus)
    if it.get_group().leader():
        counts.store(it.get_group(0), np.int64(total))


def pack(it: Any, own: Any, at: Any, x: Any, votes: Any) -> Any:
    """Write the elements of lanes that vote one after the other; return where the next one goes."""
    lane = np.int32(it.get_local_id(0))
    giver = (np.uint32(_PACKED[votes]) >> np.uint32(3 * lane)) & np.uint32(ROW - 1)
    own[at + lane] = sycl.select_from_group(it.get_sub_group(), x, np.int32(giver))
    return at + np.int32(sycl.popcount(votes))


def move_packed(it: Any, own: Any, source: Any, target: Any, plan: Any, *of: Any) -> None:
    """Write what a block has packed; ``of`` are where the block is, where it goes, how many."""
    block, at, many = of
    lane = np.int32(it.get_local_id(0))
    for row in range(many // ROW):
        j = row * ROW + lane
        target.store(at + j, own[j] if plan.direct else source.load(block + int(own[j])))
    j = many // ROW * ROW + lane
    if j < many:
        target.store(at + j, own[j] if plan.direct else source.load(block + int(own[j])))


@sycl.kernel(reqd_sub_group_size=ROW)
def keep_packed(it: Any, flags: Any, source: Any, target: Any, counts: Any, plan: Any) -> None:
    """Write the elements of a chunk that are kept, by a group of one row."""
    group, lane = it.get_sub_group(), np.int32(it.get_local_id(0))
    first = np.int64(it.get_group(0) * plan.part)
    last = min(first + plan.part, np.int64(plan.count))
    at = counts.load(it.get_group(0))
    for block in range(first, last, BLOCK):
        size, kept = np.int32(min(BLOCK, last - block)), np.int32(0)
        elements = source if plan.direct else since(block)
        for row in range(size // ROW):
            k = np.int64(block) + (row * ROW + lane)
            votes = sycl.ext.oneapi.group_ballot(group, mark_of(flags, k, row, plan)).bits
            kept = pack(it, plan.noted, kept, elements.load(k), votes)
        tail = np.int64(block) + (size // ROW * ROW + lane)
        if size % ROW != 0:
            mark = bool(flags.load(min(tail, last - np.int64(1))))
            votes = sycl.ext.oneapi.group_ballot(group, mark and tail < last).bits
            kept = pack(it, plan.noted, kept, elements.load(min(tail, last - np.int64(1))), votes)
        sycl.group_barrier(it.get_group())
        move_packed(it, plan.noted, source, target, plan, block, at, kept)
        sycl.group_barrier(it.get_group())
        at += kept


@sycl.kernel(reqd_sub_group_size=ROW)
def divide_packed(it: Any, flags: Any, source: Any, targets: Any, counts: Any, plan: Any) -> None:
    """Write those of a chunk that are kept to one place, the others to another one."""
    group, lane = it.get_sub_group(), np.int32(it.get_local_id(0))
    first = np.int64(it.get_group(0) * plan.part)
    last = min(first + plan.part, np.int64(plan.count))
    at = counts.load(it.get_group(0))
    rest_at = first - at
    for block in range(first, last, BLOCK):
        size, kept, rest = np.int32(min(BLOCK, last - block)), np.int32(0), np.int32(0)
        elements = source if plan.direct else since(block)
        for row in range(size // ROW):
            k = np.int64(block) + (row * ROW + lane)
            x = elements.load(k)
            votes = np.uint32(sycl.ext.oneapi.group_ballot(group, bool(flags.load(k))).bits)
            kept = pack(it, plan.noted, kept, x, votes)
            rest = pack(it, plan.others, rest, x, votes ^ np.uint32((1 << ROW) - 1))
        tail = np.int64(block) + (size // ROW * ROW + lane)
        if size % ROW != 0:
            x = elements.load(min(tail, last - np.int64(1)))
            mark = bool(flags.load(min(tail, last - np.int64(1))))
            votes = np.uint32(sycl.ext.oneapi.group_ballot(group, mark and tail < last).bits)
            others = np.uint32(sycl.ext.oneapi.group_ballot(group, not mark and tail < last).bits)
            kept = pack(it, plan.noted, kept, x, votes)
            rest = pack(it, plan.others, rest, x, others)
        sycl.group_barrier(it.get_group())
        move_packed(it, plan.noted, source, targets.a, plan, block, at, kept)
        move_packed(it, plan.others, source, targets.b, plan, block, rest_at, rest)
        sycl.group_barrier(it.get_group())
        at += kept
        rest_at += rest


def copy_counted(k: Any, source: Any, target: Any, counts: Any, which: Any) -> None:
    """Copy an element if it is among as many as a count says."""
    if k < counts.load(which):
        target.store(k, source.load(k))


def join(k: Any, kept: Any, rest: Any, target: Any, counts: Any, which: Any) -> None:
    """Copy an element of those that were kept, or behind them of the others."""
    n = counts.load(which)
    if k < n:
        target.store(k, kept.load(k))
    else:
        target.store(k, rest.load(k - n))
