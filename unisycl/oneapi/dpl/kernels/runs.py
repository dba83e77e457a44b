"""Kernels of one pass over runs: neighbours whose keys are equal.

Written in the kernel language. A tile is turned round in local memory, so that a work-item has
neighbours; its items learn by shuffles what of a run stands before them in the tile, and from tiles
that began earlier what stands before that. Non-goals: devices that promise no progress or have no
sub-groups of 32 (``segments``). Invariants: values of a run are combined in their order, in groups
that depend on positions alone; a tile is read before it is written, by the same group.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.frame.views import sides

__kernel_language__ = True
VOTERS = 32
"""Work-items of a sub-group."""


@dataclass(eq=False)
class room:
    """Local memory of a tile: keys, values, and the last value of each sub-group.

    ``marks`` says whether a run begins in that sub-group.
    """

    keys: Any
    values: Any
    tails: Any
    marks: Any


@dataclass(eq=False)
class order:
    """What runs are and how values are combined.

    ``ends`` are the operator's identity, and the start of an exclusive scan. ``items`` is a tuple
    as long as a work-item has elements, known while compiling. ``found`` takes how many runs there
    are.
    """

    count: Any
    same: Any
    op: Any
    kind: Any
    ends: Any
    items: Any
    found: Any


def read(it: Any, data: Any, own: Any, first: Any, size: Any, by: Any) -> None:
    """Bring a tile to local memory; behind the last element stands that again."""
    width, mine = it.get_local_range(0), np.int32(it.get_local_id(0))
    for turn in sycl.ext.intel.unroll(range(len(by.items))):
        k = np.int32(turn * width) + mine
        own.keys[k] = data.a.load(first + min(k, size - 1))
        own.values[k] = by.kind(data.b.load(first + min(k, size - 1)))
    sycl.group_barrier(it.get_group())


def heads_of(it: Any, data: Any, own: Any, first: Any, size: Any, by: Any) -> Any:
    """Return which elements of a work-item begin a run, as bits."""
    row = np.int32(it.get_local_id(0)) * len(by.items)
    previous = own.keys[max(row - 1, 0)]
    if row == 0 and first > 0:
        previous = data.a.load(first - 1)
    found = np.uint32(0)
    for j in sycl.ext.intel.unroll(range(len(by.items))):
        key = own.keys[row + j]
        begins = (row + j == 0 and first == 0) or not by.same(previous, key)
        if begins and row + j < size:
            found = found | np.uint32(1 << j)
        previous = key
    return found


def last_run(it: Any, own: Any, heads: Any, by: Any) -> Any:
    """Return the combination of a work-item's last values that are of one run."""
    row = np.int32(it.get_local_id(0)) * len(by.items)
    total = own.values[row]
    for j in sycl.ext.intel.unroll(range(1, len(by.items))):
        x = own.values[row + j]
        together = by.kind(by.op(total, x))
        total = x if (heads >> np.uint32(j)) & np.uint32(1) else together
    return total


def up_to(it: Any, total: Any, mark: Any, own: Any, by: Any) -> Any:
    """Combine what work-items have of a run with those before them in the tile.

    Returns what stands before an item, whether a run begins in that, and both for the whole tile.
    Before the first item stands nothing: it gets its own value, which is not for use.
    """
    part, mine = it.get_sub_group(), np.int32(it.get_local_id(0))
    lane, row = mine % VOTERS, mine // VOTERS
    value, flag = total, mark
    for step in sycl.ext.intel.unroll(range(5)):
        before = by.kind(sycl.shift_group_right(part, value, 1 << step))
        begun = np.int32(sycl.shift_group_right(part, flag, 1 << step))
        if lane >= 1 << step:
            value = value if flag > 0 else by.kind(by.op(before, value))
            flag = flag | begun
    if lane == VOTERS - 1:
        own.tails[row] = value
        own.marks[row] = flag
    value = by.kind(sycl.shift_group_right(part, value, 1))
    flag = np.int32(sycl.shift_group_right(part, flag, 1))
    sycl.group_barrier(it.get_group())
    whole, marked = own.tails[0], own.marks[0]
    earlier, earlier_marked = whole, np.int32(0)
    for r in range(1, it.get_local_range(0) // VOTERS):
        if r == row:
            earlier = whole
            earlier_marked = marked
        x = own.tails[r]
        together = by.kind(by.op(whole, x))
        whole = x if own.marks[r] > 0 else together
        marked = marked | own.marks[r]
    if lane == 0:
        value = earlier
        flag = earlier_marked
    elif row > 0:
        together = by.kind(by.op(earlier, value))
        value = value if flag > 0 else together
        flag = flag | earlier_marked
    return value, flag, whole, marked


def entering(it: Any, data: Any, own: Any, heads: Any, place: Any, by: Any) -> Any:
    """Return what of a run enters a work-item's elements, the runs before, and those of a tile.

    ``place`` is the tile, and the chain of tiles.
    """
    group, mine = it.get_group(), it.get_local_id(0)
    begun = np.int32(sycl.popcount(heads))
    upto = np.int32(sycl.exclusive_scan_over_group(group, begun, sycl.plus))
    many = np.int32(sycl.group_broadcast(group, upto + begun, it.get_local_range(0) - 1))
    total = last_run(it, own, heads, by)
    value, flag, whole, marked = up_to(it, total, np.int32(1) if heads else np.int32(0), own, by)
    carry, runs = place.b.before(it, place.a, (whole, marked, many), by.op, by.ends[0])
    entered = value
    if mine == 0:
        entered = carry
    elif flag == 0:
        entered = by.kind(by.op(carry, value))
    return entered, runs, (upto, many)


@sycl.kernel(reqd_sub_group_size=VOTERS)
def reduce(it: Any, data: Any, targets: Any, own: Any, chain: Any, by: Any) -> None:
    """Write the key of each run that begins in a tile, the total of each that ends there."""
    width, mine = it.get_local_range(0), np.int32(it.get_local_id(0))
    items = len(by.items)
    tile = chain.claim(it)
    first = np.int64(tile) * (width * items)
    size = np.int32(min(width * items, by.count - first))
    read(it, data, own, first, size, by)
    heads = heads_of(it, data, own, first, size, by)
    total, runs, (at, many) = entering(it, data, own, heads, sides(tile, chain), by)
    row = mine * items
    keys = sycl.private_array(own.keys.dtype, items)
    values = sycl.private_array(own.values.dtype, items)
    for j in sycl.ext.intel.unroll(range(items)):
        keys[j] = own.keys[row + j]
        values[j] = own.values[row + j]
    sycl.group_barrier(it.get_group())
    for j in sycl.ext.intel.unroll(range(items)):
        if (heads >> np.uint32(j)) & np.uint32(1):
            own.keys[at] = keys[j]
            own.values[at] = total
            at += 1
            total = values[j]
        else:
            total = by.kind(by.op(total, values[j]))
        if row + j == size - 1 and first + size == by.count:
            targets.b.store(runs + many - 1, total)
            by.found.store(0, runs + many)
    sycl.group_barrier(it.get_group())
    for turn in sycl.ext.intel.unroll(range(items)):
        k = np.int32(turn * width) + mine
        if k < many:
            targets.a.store(runs + k, own.keys[k])
            if runs + k > 0:
                targets.b.store(runs + k - 1, own.values[k])


@sycl.kernel(reqd_sub_group_size=VOTERS)
def scan(it: Any, data: Any, target: Any, own: Any, chain: Any, by: Any) -> None:
    """Write the combinations of the values of a run up to each one, or before it.

    Before it where ``by.found`` is None, from the start on.
    """
    width, mine = it.get_local_range(0), np.int32(it.get_local_id(0))
    items = len(by.items)
    tile = chain.claim(it)
    first = np.int64(tile) * (width * items)
    size = np.int32(min(width * items, by.count - first))
    read(it, data, own, first, size, by)
    heads = heads_of(it, data, own, first, size, by)
    total, _, _ = entering(it, data, own, heads, sides(tile, chain), by)
    row = mine * items
    if by.found is None:
        total = by.kind(by.op(by.ends[1], total))
    for j in sycl.ext.intel.unroll(range(items)):
        x = own.values[row + j]
        begins = (heads >> np.uint32(j)) & np.uint32(1)
        if by.found is None:
            total = by.ends[1] if begins else total
            own.values[row + j] = total
            total = by.kind(by.op(total, x))
        else:
            together = by.kind(by.op(total, x))
            total = x if begins else together
            own.values[row + j] = total
    sycl.group_barrier(it.get_group())
    for turn in sycl.ext.intel.unroll(range(items)):
        k = np.int32(turn * width) + mine
        if k < size:
            target.store(first + k, own.values[k])
