"""Kernels that sort by a function of two elements on many work-groups: tile by tile.

Written in the kernel language. A tile is sorted in local memory; then sorted stretches are merged
two by two, each tile of what comes of them by a group. Where a tile begins in both stretches is
searched for all tiles at once. Non-goals: processors (``merging``), elements that are no numbers.
Invariant: of equal elements those of the first stretch come first, and each keeps its order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl

__kernel_language__ = True


@dataclass(eq=False)
class work:
    """How many elements there are, their order, and how many each work-item has.

    ``items`` is a tuple as long as that, known while compiling. ``keys`` and ``values`` are local
    memory of a tile; ``values`` is None where there are none.
    """

    count: Any
    before: Any
    items: Any
    keys: Any
    values: Any


def read(it: Any, data: Any, first: Any, size: Any, by: Any) -> None:
    """Bring a tile to local memory."""
    for turn in sycl.ext.intel.unroll(range(len(by.items))):
        k = np.int32(turn * it.get_local_range(0) + it.get_local_id(0))
        if k < size:
            by.keys[k] = data.a.load(first + k)
            if by.values is not None:
                by.values[k] = data.b.load(first + k)
    sycl.group_barrier(it.get_group())


def write(it: Any, target: Any, first: Any, size: Any, by: Any) -> None:
    """Write a tile."""
    for turn in sycl.ext.intel.unroll(range(len(by.items))):
        k = np.int32(turn * it.get_local_range(0) + it.get_local_id(0))
        if k < size:
            target.a.store(first + k, by.keys[k])
            if by.values is not None:
                target.b.store(first + k, by.values[k])


def split(keys: Any, begins: Any, sizes: Any, k: Any, before: Any) -> Any:
    """Return how many of the first ``k`` merged elements are of the first stretch."""
    low, high = max(k - sizes[1], type(k)(0)), min(k, sizes[0])
    while low < high:
        middle = (low + high) // type(k)(2)
        if before(keys.load(begins[1] + k - type(k)(1) - middle), keys.load(begins[0] + middle)):
            high = middle
        else:
            low = middle + type(k)(1)
    return low


@dataclass(eq=False)
class local_keys:
    """Local memory that is read as other memory is."""

    at: Any

    def load(self, i: Any) -> Any:
        """Return element ``i``."""
        return self.at[i]


def merge(it: Any, begins: Any, sizes: Any, k: Any, last: Any, by: Any) -> None:
    """Replace elements of a tile in local memory by merged ones, as many as an item has.

    ``begins`` and ``sizes`` are two stretches; an item's first is at ``k`` of what comes of them,
    and goes to position ``last``.
    """
    items = len(by.items)
    keys = sycl.private_array(by.keys.dtype, items)
    values = sycl.private_array(np.int32 if by.values is None else by.values.dtype, items)
    k = min(k, sizes[0] + sizes[1])
    i = split(local_keys(by.keys), begins, sizes, k, by.before)
    j = k - i
    top = np.int32(it.get_local_range(0) * items - 1)
    a = by.keys[min(begins[0] + i, top)]
    b = by.keys[min(begins[1] + j, top)]
    for n in sycl.ext.intel.unroll(range(items)):
        of_b = j < sizes[1]
        if of_b and i < sizes[0]:
            of_b = bool(by.before(b, a))
        place = min(begins[1] + j if of_b else begins[0] + i, top)
        keys[n] = b if of_b else a
        if by.values is not None:
            values[n] = by.values[place]
        following = by.keys[min(place + np.int32(1), top)]
        if of_b:
            b = following
            j += np.int32(1)
        else:
            a = following
            i += np.int32(1)
    sycl.group_barrier(it.get_group())
    for n in sycl.ext.intel.unroll(range(items)):
        by.keys[last + n] = keys[n]
        if by.values is not None:
            by.values[last + n] = values[n]
    sycl.group_barrier(it.get_group())


def sort_row(row: Any, size: Any, by: Any) -> None:
    """Sort the elements of a work-item: neighbours change places where they have to."""
    items = len(by.items)
    keys = sycl.private_array(by.keys.dtype, items)
    values = sycl.private_array(np.int32 if by.values is None else by.values.dtype, items)
    for n in sycl.ext.intel.unroll(range(items)):
        keys[n] = by.keys[row + n]
        if by.values is not None:
            values[n] = by.values[row + n]
    for turn in sycl.ext.intel.unroll(range(items)):
        for n in sycl.ext.intel.unroll(range(turn % 2, items - 1, 2)):
            if row + n + 1 < size and by.before(keys[n + 1], keys[n]):
                keys[n], keys[n + 1] = keys[n + 1], keys[n]
                if by.values is not None:
                    values[n], values[n + 1] = values[n + 1], values[n]
    for n in sycl.ext.intel.unroll(range(items)):
        by.keys[row + n] = keys[n]
        if by.values is not None:
            by.values[row + n] = values[n]


def sort_tile(it: Any, data: Any, target: Any, by: Any) -> None:
    """Sort a tile: the elements of each item, then merged in local memory."""
    width, mine = np.int32(it.get_local_range(0)), np.int32(it.get_local_id(0))
    items = len(by.items)
    first = np.int64(it.get_group(0)) * (width * items)
    size = np.int32(min(width * items, by.count - first))
    read(it, data, first, size, by)
    row = mine * items
    sort_row(row, size, by)
    sycl.group_barrier(it.get_group())
    stretch = np.int32(items)
    while stretch < width * items:
        left = row // (stretch * 2) * (stretch * 2)
        middle, end = min(left + stretch, size), min(left + stretch * 2, size)
        left = min(left, size)
        merge(it, (left, middle), (middle - left, end - middle), row - left, row, by)
        stretch *= 2
    write(it, target, first, size, by)


def split_tiles(k: Any, keys: Any, splits: Any, stretch: Any, by: Any) -> None:
    """Write how many elements of the first of its two stretches stand before a tile.

    ``by.items`` is how many elements a tile has.
    """
    first = np.int64(k) * by.items
    left = first // (2 * stretch) * (2 * stretch)
    middle, end = min(left + stretch, by.count), min(left + 2 * stretch, by.count)
    splits.store(k, split(keys, (left, middle), (middle - left, end - middle), first - left,
                          by.before))


def merge_tile(it: Any, data: Any, target: Any, splits: Any, stretch: Any, by: Any) -> None:
    """Write a tile of two stretches that are merged."""
    width, mine = np.int32(it.get_local_range(0)), np.int32(it.get_local_id(0))
    items, tile = len(by.items), it.get_group(0)
    first = np.int64(tile) * (width * items)
    size = np.int32(min(width * items, by.count - first))
    left = first // (2 * stretch) * (2 * stretch)
    middle, end = min(left + stretch, by.count), min(left + 2 * stretch, by.count)
    of_a = splits.load(tile)
    upto = middle - left
    if first + size < end:
        upto = splits.load(tile + 1)
    begin_a, begin_b = left + of_a, middle + (first - left - of_a)
    mine_a = np.int32(upto - of_a)
    for turn in sycl.ext.intel.unroll(range(items)):
        k = np.int32(turn) * width + mine
        if k < size:
            at = begin_a + k if k < mine_a else begin_b + (k - mine_a)
            by.keys[k] = data.a.load(at)
            if by.values is not None:
                by.values[k] = data.b.load(at)
    sycl.group_barrier(it.get_group())
    row = mine * items
    merge(it, (np.int32(0), mine_a), (mine_a, size - mine_a), row, row, by)
    write(it, target, first, size, by)
