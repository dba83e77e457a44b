"""Group algorithms over memory: the work-items of a group share a range (SYCL 2020 §4.17.4).

They take two pointers, as in C++, or the memory or a slice of it: ``x``, ``x[i:j]``. The functions
are written in the kernel language and compiled with the kernel that calls them, so they mean the
same on every device. Non-goals: algorithms over values (``lang.groups.group_functions``).
Invariant: all work-items of the group call them together, with the same arguments.
"""

from __future__ import annotations

from typing import Any

from unisycl.lang.groups.group_functions import (
    any_of_group,
    exclusive_scan_over_group,
    group_broadcast,
    group_size,
    inclusive_scan_over_group,
    none_of_group,
    reduce_over_group,
    same_range,
)
from unisycl.lang.memory.pointer import multi_ptr
from unisycl.lang.numbers.function_objects import known_identity, neutral

__kernel_language__ = True


def joint_any_of(group: Any, data: Any, pred: Any, more: Any = None) -> Any:
    """Say whether ``pred`` is true of any element (SYCL 2020 §4.17.4.1).

    Args:
        group: the work-group or sub-group.
        data: one-dimensional memory, or a slice of it. As everywhere here, two pointers, to the
            first element and past the last one, may stand in its place.
        pred: a function of one element.
        more: room for ``pred`` where ``data`` is two pointers.
    """
    if isinstance(data, multi_ptr):
        return any_of_group(group, _finds(group, data, pred - data, more, answer=True))
    return any_of_group(group, _finds(group, data, len(data), pred, answer=True))


def joint_all_of(group: Any, data: Any, pred: Any, more: Any = None) -> Any:
    """Say whether ``pred`` is true of every element (SYCL 2020 §4.17.4.2); see joint_any_of."""
    if isinstance(data, multi_ptr):
        return none_of_group(group, _finds(group, data, pred - data, more, answer=False))
    return none_of_group(group, _finds(group, data, len(data), pred, answer=False))


def joint_none_of(group: Any, data: Any, pred: Any, more: Any = None) -> Any:
    """Say whether ``pred`` is true of no element (SYCL 2020 §4.17.4.3); see joint_any_of."""
    if isinstance(data, multi_ptr):
        return none_of_group(group, _finds(group, data, pred - data, more, answer=True))
    return none_of_group(group, _finds(group, data, len(data), pred, answer=True))


def _finds(group: Any, data: Any, count: Any, pred: Any, *, answer: bool) -> Any:
    """Say whether this work-item finds an element of which ``pred`` says ``answer``."""
    same_range(group, "a joint vote", data, count)
    found = False
    size = group_size(group)
    for turn in range((count + size - 1) // size):
        k = turn * size + group.get_local_linear_id()
        if k < count:
            found = found or bool(pred(data[k])) == answer
    return found


def joint_reduce(group: Any, data: Any, init: Any, op: Any = None, more: Any = None) -> Any:
    """Combine all elements; every work-item gets the result (SYCL 2020 §4.17.4.5).

    Args:
        group: the work-group or sub-group.
        data: one-dimensional memory, a slice of it, or two pointers.
        init: the initial value; left out, the operator stands here.
        op: one of SYCL's function objects.
        more: room for the last argument where ``data`` is two pointers.
    """
    if isinstance(data, multi_ptr):
        if more is None:
            return reduce_over_group(group, _share(group, data, init - data, op), op)
        return reduce_over_group(group, _share(group, data, init - data, more), op, more)
    if op is None:
        return reduce_over_group(group, _share(group, data, len(data), init), init)
    return reduce_over_group(group, _share(group, data, len(data), op), init, op)


def _share(group: Any, data: Any, count: Any, op: Any) -> Any:
    """Return the combination of every group-size-th element from this item's on."""
    same_range(group, "joint_reduce", data, count)
    size = group_size(group)
    turns = count // size
    mine = group.get_local_linear_id()
    total = neutral(op, data.dtype)
    for turn in range(turns):
        total = op(total, data[turn * size + mine])
    if turns * size + mine < count:
        total = op(total, data[turns * size + mine])
    return total


def joint_inclusive_scan(group: Any, data: Any, result: Any, op: Any, init: Any = None,
                         more: Any = None) -> Any:
    """Write the running combinations up to each element (SYCL 2020 §4.17.4.7).

    Args:
        group: the work-group or sub-group.
        data: one-dimensional memory, a slice of it, or two pointers.
        result: where they go, the same memory if you like; at least as long.
        op: one of SYCL's function objects.
        init: an initial value.
        more: room for the last argument where ``data`` is two pointers.

    Returns how many elements were written; with pointers, the one past the last written.
    """
    if isinstance(data, multi_ptr):
        _scan_up_to(group, data, result - data, op, init, more)
        return op + (result - data)
    return _scan_up_to(group, data, len(data), result, op, init)


def _scan_up_to(group: Any, data: Any, count: Any, result: Any, op: Any, init: Any) -> Any:
    same_range(group, "joint_inclusive_scan", data, count)
    size = group_size(group)
    turns = (count + size - 1) // size
    carry = neutral(op, data.dtype) if init is None else init
    for turn in range(turns):
        k = turn * size + group.get_local_linear_id()
        x = data[k] if k < count else neutral(op, data.dtype)
        found = inclusive_scan_over_group(group, x, op, carry)
        if k < count:
            result[k] = found
        carry = group_broadcast(group, found, size - 1)
    return count


def joint_exclusive_scan(group: Any, data: Any, result: Any, init: Any, op: Any = None,
                         more: Any = None) -> Any:
    """Write the running combinations before each element (SYCL 2020 §4.17.4.6).

    Args:
        group: the work-group or sub-group.
        data: one-dimensional memory, a slice of it, or two pointers.
        result: where they go, the same memory if you like; at least as long.
        init: what the first gets, by default the operator's identity; left out, the operator
            stands here.
        op: one of SYCL's function objects.
        more: room for the last argument where ``data`` is two pointers.

    Returns how many elements were written; with pointers, the one past the last written.
    """
    if isinstance(data, multi_ptr):
        if more is None:
            _scan_before(group, data, result - data, init, known_identity(op, data.dtype), op)
        else:
            _scan_before(group, data, result - data, init, op, more)
        return init + (result - data)
    if op is None:
        return _scan_before(group, data, len(data), result, known_identity(init, data.dtype), init)
    return _scan_before(group, data, len(data), result, init, op)


def _scan_before(group: Any, data: Any, count: Any, result: Any, init: Any, op: Any) -> Any:
    same_range(group, "joint_exclusive_scan", data, count)
    size = group_size(group)
    turns = (count + size - 1) // size
    carry = init
    for turn in range(turns):
        k = turn * size + group.get_local_linear_id()
        x = data[k] if k < count else neutral(op, data.dtype)
        found = exclusive_scan_over_group(group, x, carry, op)
        if k < count:
            result[k] = found
        carry = group_broadcast(group, op(found, x), size - 1)
    return count


def copy_by_items(group: Any, dest: Any, src: Any, count: Any, to: Any, by: Any) -> None:
    """Copy elements, each work-item every group-size-th of them (``async_work_group_copy``)."""
    same_range(group, "async_work_group_copy", src, count)
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
