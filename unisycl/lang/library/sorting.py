"""Sorting by a group: values of its work-items, keys with values, and ranges of memory.

Written in the kernel language (sycl_ext_oneapi_group_sort). Values are ranked in blocks, and blocks
are merged by binary search, so equal ones keep their order; memory is sorted in place by a network,
which does not keep it. Non-goals: what sorters are there (``default_sorters``, ``radix_sorters``).
Invariant: all work-items of the group call together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unisycl.base.enums import input_data_placement, memory_scope, output_data_placement
from unisycl.base.errors import UsageError, errc
from unisycl.lang.groups.group_functions import group_barrier, group_cells, group_size
from unisycl.lang.memory.pointer import multi_ptr
from unisycl.lang.memory.views import HostView

__kernel_language__ = True
BLOCK = 32
_PROPERTIES = (input_data_placement, output_data_placement, tuple)


def less(a: Any, b: Any) -> Any:
    """Say whether ``a`` comes before ``b``: the order if none is given."""
    return a < b


class sorter:
    """The base of sorters: a sort calls one with the group and the elements."""


@dataclass(eq=False)
class group_with_scratchpad:
    """A group, and memory that sorting may use.

    Args:
        group: the work-group or sub-group.
        scratch: memory of as many bytes as a default sorter's ``memory_required`` says.
    """

    group: Any
    scratch: Any

    def get_group(self) -> Any:
        """Return the group."""
        return self.group

    def get_memory(self) -> Any:
        """Return the memory."""
        return self.scratch


def needed(dtype: Any, scope: Any, range_size: int) -> int:
    """Return the bytes of scratch memory for a range: a value each, though none is used."""
    if scope not in (memory_scope.work_group, memory_scope.sub_group):
        raise UsageError(errc.invalid, "memory_required: the scope is memory_scope.work_group or "
                         f"sub_group, not {scope!r}")
    return int(np.dtype(dtype).itemsize * range_size)


def _group(helper: Any) -> Any:
    """Return the group of a group or of a helper with scratch memory."""
    if isinstance(helper, group_with_scratchpad):
        return helper.group
    return helper


def sort_over_group(group: Any, value: Any, comp: Any = less, properties: Any = ()) -> Any:
    """Return the value at this work-item's place when those of the group are sorted.

    Args:
        group: the work-group or sub-group, or a ``group_with_scratchpad``.
        value: a number, or a private array, as long for each work-item; its elements are then
            replaced and nothing is returned.
        comp: a function of two that says whether the first comes before the second, or a sorter.
        properties: for arrays, where elements lie: ``input_data_placement.striped`` (stable sorts
            ask), ``output_data_placement.striped``, a tuple of these; instead of ``comp``, too.
    """
    if isinstance(value, HostView):
        if isinstance(comp, _PROPERTIES):
            sort_array(_group(group), value, less, comp)
        elif isinstance(comp, sorter):
            comp(_group(group), value, properties)  # type: ignore[operator]
        else:
            sort_array(_group(group), value, comp, properties)
        return None
    if isinstance(comp, sorter):
        return comp(_group(group), value)  # type: ignore[operator]
    return sort_cells(_group(group), value, comp)


def sort_key_value_over_group(group: Any, key: Any, value: Any, comp: Any = less,
                              properties: Any = ()) -> Any:
    """Return (key, value) at this work-item's place when those of the group are sorted by key.

    Args:
        group: the work-group or sub-group, or a ``group_with_scratchpad``.
        key: a number, or a private array as in ``sort_over_group``.
        value: what goes along with it, a number, or a private array as long as that of keys.
        comp: a function of two keys that says whether the first comes before the second, or a
            sorter.
        properties: as in ``sort_over_group``.
    """
    if isinstance(key, HostView):
        if isinstance(comp, _PROPERTIES):
            sort_arrays(_group(group), key, value, less, comp)
        elif isinstance(comp, sorter):
            comp(_group(group), key, value, properties)  # type: ignore[operator]
        else:
            sort_arrays(_group(group), key, value, comp, properties)
        return None
    if isinstance(comp, sorter):
        return comp(_group(group), key, value)  # type: ignore[operator]
    return sort_pairs(_group(group), key, value, comp)


def sort_cells(group: Any, value: Any, comp: Any) -> Any:
    """Return the value at this work-item's place; equal ones keep their order."""
    keys = group_cells(group, value, 0)
    return keys[_sorted(group, value, value, keys, keys, comp)]


def sort_pairs(group: Any, key: Any, value: Any, comp: Any) -> Any:
    """Return (key, value) at this work-item's place; equal keys keep their order."""
    keys, values = group_cells(group, key, 0), group_cells(group, value, 1)
    place = _sorted(group, key, value, keys, values, comp)
    return keys[place], values[place]


def sort_array(group: Any, keys: Any, comp: Any, properties: Any) -> None:
    """Sort the elements of all work-items' arrays; equal ones keep their order."""
    cells = group_cells(group, keys[0], 0, keys)
    _sorted_arrays(group, keys, keys, cells, cells, comp, properties)


def sort_arrays(group: Any, keys: Any, values: Any, comp: Any, properties: Any) -> None:
    """Sort the elements of all work-items' arrays by their keys; equal keys keep their order."""
    _sorted_arrays(group, keys, values, group_cells(group, keys[0], 0, keys),
                   group_cells(group, values[0], 1, keys), comp, properties)


def _sorted_arrays(group: Any, keys: Any, values: Any, cells: Any, others: Any, comp: Any,
                   properties: Any) -> None:
    """Merge sorted runs, from one half of the cells to the other and back."""
    size, me, each = group_size(group), group.get_local_linear_id(), len(keys)
    total = size * each
    group_barrier(group)
    for k in range(each):
        at = k * size + me if _is(properties, input_data_placement.striped) else me * each + k
        cells[at] = keys[k]
        others[at] = values[k]
    group_barrier(group)
    source = 0
    width = 1
    while width < total:
        for k in range(each):
            at = me * each + k
            mine, carried = cells[source + at], others[source + at]
            place = total - source + _merged(cells[source:source + total], total, at, mine, width,
                                             comp)
            cells[place] = mine
            others[place] = carried
        group_barrier(group)
        source = total - source
        width *= 2
    for k in range(each):
        at = k * size + me if _is(properties, output_data_placement.striped) else me * each + k
        keys[k] = cells[source + at]
        values[k] = others[source + at]
    group_barrier(group)


def _is(properties: Any, wanted: Any) -> Any:
    """Say whether a property is among those given."""
    if isinstance(properties, tuple):
        return wanted in properties
    return properties == wanted


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
        group: the work-group or sub-group, or a ``group_with_scratchpad``.
        data: one-dimensional memory of numbers, a slice of it, or two pointers, to the first
            element and past the last one.
        comp: a function of two that says whether the first comes before the second, or a sorter.
        more: room for ``comp`` where ``data`` is two pointers.
    """
    if isinstance(data, multi_ptr):
        if isinstance(more, sorter):
            more(_group(group), data, comp)  # type: ignore[operator]
        elif more is None:
            sort_memory(_group(group), data, comp - data, less)
        else:
            sort_memory(_group(group), data, comp - data, more)
    elif isinstance(comp, sorter):
        first = multi_ptr(data)
        comp(_group(group), first, first + len(data))  # type: ignore[operator]
    else:
        sort_memory(_group(group), data, len(data), comp)


def sort_memory(group: Any, data: Any, count: Any, comp: Any) -> None:
    """Sort memory in place by a network; equal elements may change places."""
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
