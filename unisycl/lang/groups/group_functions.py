"""Functions over a work-group or sub-group, reached by all its work-items (SYCL 2020 §4.17.2 to 3).

Non-goals: running them; a device does, and the host device turns each call into a meeting point of
its work-items. Invariant: called anywhere else they raise ``UsageError`` and change nothing.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from unisycl.base.enums import memory_scope
from unisycl.base.errors import UsageError, errc
from unisycl.lang.index.groups import group, sub_group
from unisycl.lang.library.fragments import fragment

_Group = group | sub_group | fragment
_Part = sub_group | fragment


def _outside(name: str) -> NoReturn:
    raise UsageError(errc.invalid, f"{name} is a group function: every work-item of a kernel over "
                     "an nd_range calls it. It cannot be called on the host, at the group scope of "
                     "parallel_for_work_group, or in a kernel over a plain range")


def group_barrier(group: _Group, fence_scope: memory_scope | None = None) -> None:
    """Wait until every work-item of the group is here (SYCL 2020 §4.17.3.1 ``group_barrier``).

    What any of them wrote to local or global memory before is visible to all of them after.

    Args:
        group: ``it.get_group()`` or ``it.get_sub_group()``.
        fence_scope: how far the writes must be visible; by default the group itself.
    """
    _outside("group_barrier")


def group_size(group: _Group) -> int:
    """Return the number of work-items of a group; refuse what is none."""
    if not isinstance(group, _Group):
        raise UsageError(errc.invalid, "the first argument must be a group or sub_group, such as "
                         f"it.get_group(), not {type(group).__name__}")
    size: int = group.get_local_linear_range()
    return size


def group_broadcast(group: _Group, x: Any, local_id: Any = 0) -> Any:
    """Return the ``x`` of one work-item to all (SYCL 2020 §4.17.3.2).

    Args:
        group: the work-group or sub-group.
        x: a number.
        local_id: the giver's linear id in the group, or its ``id``; the same for all work-items.
    """
    _outside("group_broadcast")


def any_of_group(group: _Group, x: Any, pred: Any = None) -> bool:
    """Say whether ``x``, or ``pred(x)``, is true for any work-item (SYCL 2020 §4.17.4.1)."""
    _outside("any_of_group")


def all_of_group(group: _Group, x: Any, pred: Any = None) -> bool:
    """Say whether ``x``, or ``pred(x)``, is true for every work-item (SYCL 2020 §4.17.4.2)."""
    _outside("all_of_group")


def none_of_group(group: _Group, x: Any, pred: Any = None) -> bool:
    """Say whether ``x``, or ``pred(x)``, is true for no work-item (SYCL 2020 §4.17.4.3)."""
    _outside("none_of_group")


def group_cells(group: _Group, like: Any, number: int, room: Any = None) -> Any:
    """Return memory that a group shares: one cell of a value's type for each work-item.

    Calls of one function that need several at a time give them numbers. ``room``: an array of the
    work-item's; there are then two cells for each element that the arrays of all have.
    """
    _outside("sort_over_group")


def same_range(group: _Group, name: str, data: Any, count: Any) -> None:
    """Have kernels that are debugged check that a group gives one range to a function.

    Args:
        group: the group.
        name: the function's name.
        data: where the range begins.
        count: how many elements it has.
    """


def group_local_memory_for_overwrite(dtype: Any, group: Any) -> Any:
    """Return local memory that a work-group shares, of no particular content.

    Args:
        dtype: an element type, or ``(element type, shape)``; constants.
        group: the work-group, all of whose work-items call together.

    One place in the program is one memory, however often it is reached
    (sycl_ext_oneapi_local_memory). A single element is ``memory[0]``.
    """
    _outside("group_local_memory")


def zero_element(dtype: Any) -> Any:
    """Return what memory of a type, or of ``(type, shape)``, holds where all bytes are zero."""
    return np.zeros((), dtype[0] if isinstance(dtype, tuple) else dtype)[()]


def ballot_bits(group: _Part, predicate: Any) -> Any:
    """Return the truths of all work-items of a group as a uint64, the sub-group's item 0 lowest."""
    _outside("group_ballot")


def match_bits(group: _Part, x: Any) -> Any:
    """Return which work-items of a group have the same integer, as ``ballot_bits`` does."""
    _outside("group_match")


def present_bits(group: sub_group) -> Any:
    """Return which work-items of a sub-group are here in the same control flow, as a uint64."""
    _outside("entangle")


def exchange(x: Any, lane: Any) -> Any:
    """Return the ``x`` of a work-item of the sub-group; called by compiled code only."""
    _outside("exchange")


def lane_count() -> int:
    """Return the size of a full sub-group; called by compiled code only."""
    _outside("lane_count")


def shift_group_left(group: _Part, x: Any, delta: int = 1) -> Any:
    """Return the ``x`` of the work-item ``delta`` places higher (SYCL 2020 §4.17.4.4).

    Where there is none the result is unspecified.
    """
    _outside("shift_group_left")


def shift_group_right(group: _Part, x: Any, delta: int = 1) -> Any:
    """Return the ``x`` of the work-item ``delta`` places lower (SYCL 2020 §4.17.4.4).

    Where there is none the result is unspecified.
    """
    _outside("shift_group_right")


def permute_group_by_xor(group: _Part, x: Any, mask: int) -> Any:
    """Return the ``x`` of the work-item whose id is this one's ``^ mask`` (SYCL 2020 §4.17.4.5).

    ``mask`` is the same for all work-items. Where there is no such item the result is unspecified.
    """
    _outside("permute_group_by_xor")


def select_from_group(group: _Part, x: Any, remote_local_id: Any) -> Any:
    """Return the ``x`` of the work-item of a given id (SYCL 2020 §4.17.4.6).

    Where there is no such item the result is unspecified.
    """
    _outside("select_from_group")


def reduce_over_group(group: _Group, x: Any, *init_and_op: Any) -> Any:
    """Combine the ``x`` of all work-items; all get the result (SYCL 2020 §4.17.4.5).

    Args:
        group: the work-group or sub-group.
        x: a number.
        init_and_op: ``([init,] op)``; ``op`` is one of SYCL's function objects such as ``plus``.
    """
    _outside("reduce_over_group")


def inclusive_scan_over_group(group: _Group, x: Any, *op_and_init: Any) -> Any:
    """Combine ``x`` over the work-items up to this one (SYCL 2020 §4.17.4.7).

    Args:
        group: the work-group or sub-group.
        x: a number.
        op_and_init: ``(op[, init])``; ``op`` is one of SYCL's function objects such as ``plus``.
    """
    _outside("inclusive_scan_over_group")


def exclusive_scan_over_group(group: _Group, x: Any, *init_and_op: Any) -> Any:
    """Combine ``x`` over the work-items before this one (SYCL 2020 §4.17.4.6).

    The first gets ``init``, by default the operator's identity.

    Args:
        group: the work-group or sub-group.
        x: a number.
        init_and_op: ``([init,] op)``; ``op`` is one of SYCL's function objects such as ``plus``.
    """
    _outside("exclusive_scan_over_group")


group_reduce = reduce_over_group
"""The older name of ``reduce_over_group``, which tutorials use."""
group_scan_inclusive = inclusive_scan_over_group
"""The older name of ``inclusive_scan_over_group``."""
group_scan_exclusive = exclusive_scan_over_group
"""The older name of ``exclusive_scan_over_group``."""
