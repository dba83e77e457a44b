"""Group algorithms over memory: the work-items of a group share a range (SYCL 2020 §4.17.4).

Where C++ takes two pointers, Python takes the memory or a slice of it: ``x``, ``x[i:j]``. The
functions are written in the kernel language and compiled with the kernel that calls them, so they
mean the same on every device. Non-goals: algorithms over values (``lang.group``). Invariant: all
work-items of the group call them together, with the same arguments.
"""

from __future__ import annotations

from typing import Any

from unisycl.lang.functions import known_identity, neutral
from unisycl.lang.group import (
    all_of_group,
    any_of_group,
    exclusive_scan_over_group,
    group_broadcast,
    group_size,
    inclusive_scan_over_group,
    none_of_group,
    reduce_over_group,
)


def joint_any_of(group: Any, data: Any, pred: Any) -> Any:
    """Say whether ``pred`` is true of any element (SYCL 2020 §4.17.4.1).

    Args:
        group: the work-group or sub-group.
        data: one-dimensional memory, or a slice of it.
        pred: a function of one element.
    """
    found = False
    size = group_size(group)
    for turn in range((len(data) + size - 1) // size):
        k = turn * size + group.get_local_linear_id()
        if k < len(data):
            found = found or bool(pred(data[k]))
    return any_of_group(group, found)


def joint_all_of(group: Any, data: Any, pred: Any) -> Any:
    """Say whether ``pred`` is true of every element (SYCL 2020 §4.17.4.2); see joint_any_of."""
    right = True
    size = group_size(group)
    for turn in range((len(data) + size - 1) // size):
        k = turn * size + group.get_local_linear_id()
        if k < len(data):
            right = right and bool(pred(data[k]))
    return all_of_group(group, right)


def joint_none_of(group: Any, data: Any, pred: Any) -> Any:
    """Say whether ``pred`` is true of no element (SYCL 2020 §4.17.4.3); see joint_any_of."""
    found = False
    size = group_size(group)
    for turn in range((len(data) + size - 1) // size):
        k = turn * size + group.get_local_linear_id()
        if k < len(data):
            found = found or bool(pred(data[k]))
    return none_of_group(group, found)


def joint_reduce(group: Any, data: Any, init: Any, op: Any = None) -> Any:
    """Combine all elements; every work-item gets the result (SYCL 2020 §4.17.4.5).

    Args:
        group: the work-group or sub-group.
        data: one-dimensional memory, or a slice of it.
        init: the initial value; left out, the operator stands here.
        op: one of SYCL's function objects.
    """
    if op is None:
        return reduce_over_group(group, _share(group, data, init), init)
    return reduce_over_group(group, _share(group, data, op), init, op)


def _share(group: Any, data: Any, op: Any) -> Any:
    """Return the combination of every group-size-th element from this item's on."""
    size = group_size(group)
    turns = len(data) // size
    mine = group.get_local_linear_id()
    total = neutral(op, data.dtype)
    for turn in range(turns):
        total = op(total, data[turn * size + mine])
    if turns * size + mine < len(data):
        total = op(total, data[turns * size + mine])
    return total


def joint_inclusive_scan(group: Any, data: Any, result: Any, op: Any, init: Any = None) -> Any:
    """Write the running combinations up to each element (SYCL 2020 §4.17.4.7).

    Args:
        group: the work-group or sub-group.
        data: one-dimensional memory, or a slice of it.
        result: where they go, the same memory if you like; at least as long.
        op: one of SYCL's function objects.
        init: an initial value.

    Returns how many elements were written.
    """
    size = group_size(group)
    turns = (len(data) + size - 1) // size
    carry = neutral(op, data.dtype) if init is None else init
    for turn in range(turns):
        k = turn * size + group.get_local_linear_id()
        x = data[k] if k < len(data) else neutral(op, data.dtype)
        found = inclusive_scan_over_group(group, x, op, carry)
        if k < len(data):
            result[k] = found
        carry = group_broadcast(group, found, size - 1)
    return len(data)


def joint_exclusive_scan(group: Any, data: Any, result: Any, init: Any, op: Any = None) -> Any:
    """Write the running combinations before each element (SYCL 2020 §4.17.4.6).

    Args:
        group: the work-group or sub-group.
        data: one-dimensional memory, or a slice of it.
        result: where they go, the same memory if you like; at least as long.
        init: what the first gets, by default the operator's identity; left out, the operator
            stands here.
        op: one of SYCL's function objects.

    Returns how many elements were written.
    """
    if op is None:
        return _scan_before(group, data, result, known_identity(init, data.dtype), init)
    return _scan_before(group, data, result, init, op)


def _scan_before(group: Any, data: Any, result: Any, init: Any, op: Any) -> Any:
    size = group_size(group)
    turns = (len(data) + size - 1) // size
    carry = init
    for turn in range(turns):
        k = turn * size + group.get_local_linear_id()
        x = data[k] if k < len(data) else neutral(op, data.dtype)
        found = exclusive_scan_over_group(group, x, carry, op)
        if k < len(data):
            result[k] = found
        carry = group_broadcast(group, op(found, x), size - 1)
    return len(data)


def copy_by_items(group: Any, dest: Any, src: Any, count: Any, to: Any, by: Any) -> None:
    """Copy elements, each work-item every group-size-th of them (``async_work_group_copy``)."""
    size = group_size(group)
    for turn in range((count + size - 1) // size):
        k = turn * size + group.get_local_linear_id()
        if k < count:
            dest[k * to] = src[k * by]


def copy_by_group(group: Any, dest: Any, src: Any, extent: Any, to: Any, by: Any) -> None:
    """Copy elements from the group scope of a hierarchical kernel."""
    def one(h: Any) -> None:
        k = h.get_local().get_linear_id()
        dest[k * to] = src[k * by]
    group.parallel_for_work_item(extent, one)
