"""Sorting by a group: values of its work-items, keys with values, and ranges of memory.

Written in the kernel language (sycl_ext_oneapi_group_sort). Values are ranked in blocks, and blocks
are merged by binary search, so equal ones keep their order; memory is sorted in place by a network,
which does not keep it. Non-goals: sorters and scratch memory of the user's. Invariant: all
work-items of the group call together.
"""

from __future__ import annotations

from typing import Any

from unisycl.lang.group import group_barrier, group_cells, group_size
from unisycl.lang.pointer import multi_ptr

BLOCK = 32


def less(a: Any, b: Any) -> Any:
    """Say whether ``a`` comes before ``b``: the order if none is given."""
    return a < b


def sort_over_group(group: Any, value: Any, comp: Any = less) -> Any:
    """Return the value at this work-item's place when those of the group are sorted.

    Args:
        group: the work-group or sub-group.
        value: a number.
        comp: a function of two that says whether the first comes before the second.
    """
    keys = group_cells(group, value, 0)
    return keys[_sorted(group, value, value, keys, keys, comp)]


def sort_key_value_over_group(group: Any, key: Any, value: Any, comp: Any = less) -> Any:
    """Return (key, value) at this work-item's place when those of the group are sorted by key.

    Args:
        group: the work-group or sub-group.
        key: a number.
        value: what goes along with it, a number.
        comp: a function of two keys that says whether the first comes before the second.
    """
    keys, values = group_cells(group, key, 0), group_cells(group, value, 1)
    place = _sorted(group, key, value, keys, values, comp)
    return keys[place], values[place]


def _sorted(group: Any, key: Any, value: Any, keys: Any, values: Any, comp: Any) -> Any:
    """Sort the cells of a group; return where this work-item finds its own."""
    size, me = group_size(group), group.get_local_linear_id()
    mine, carried, place = key, value, me
    group_barrier(group)
    keys[place] = mine
    group_barrier(group)
    first = me // BLOCK * BLOCK
    rank = 0
    for k in range(BLOCK):
        if first + k < size:
            other = keys[first + k]
            if comp(other, mine) or (first + k < me and not comp(mine, other)):
                rank += 1
    group_barrier(group)
    place = first + rank
    keys[place] = mine
    values[place] = carried
    width = BLOCK
    while width < size:
        group_barrier(group)
        mine = keys[me]
        carried = values[me]
        place = _merged(keys, size, me, mine, width, comp)
        group_barrier(group)
        keys[place] = mine
        values[place] = carried
        width *= 2
    group_barrier(group)
    return me


def _merged(keys: Any, size: Any, me: Any, mine: Any, width: Any, comp: Any) -> Any:
    """Return where an element of a sorted block goes when the block is merged with its sibling."""
    run = me // width
    left = run % 2 == 0
    start = (run + 1 if left else run - 1) * width
    low, high = min(start, size), min(start + width, size)
    while low < high:
        middle = (low + high) // 2
        other = keys[middle]
        before = comp(other, mine) if left else not comp(mine, other)
        if before:
            low = middle + 1
        else:
            high = middle
    return (run if left else run - 1) * width + me % width + low - min(start, size)


def joint_sort(group: Any, data: Any, comp: Any = less, more: Any = None) -> None:
    """Sort memory in place (sycl_ext_oneapi_group_sort).

    Args:
        group: the work-group or sub-group.
        data: one-dimensional memory of numbers, a slice of it, or two pointers, to the first
            element and past the last one.
        comp: a function of two that says whether the first comes before the second.
        more: room for ``comp`` where ``data`` is two pointers.
    """
    if isinstance(data, multi_ptr):
        if more is None:
            _sort_memory(group, data, comp - data, less)
        else:
            _sort_memory(group, data, comp - data, more)
    else:
        _sort_memory(group, data, len(data), comp)


def _sort_memory(group: Any, data: Any, count: Any, comp: Any) -> None:
    size, me = group_size(group), group.get_local_linear_id()
    turns = (count + size - 1) // size
    span = 2
    while span < 2 * count:
        step = span - 1
        while step > 0:
            group_barrier(group)
            for turn in range(turns):
                k = turn * size + me
                partner = k ^ step
                if k < partner and partner < count:
                    here, there = data[k], data[partner]
                    if comp(there, here):
                        data[k] = there
                        data[partner] = here
            step = span // 4 if step == span - 1 else step // 2
        span *= 2
    group_barrier(group)
