"""Dividing sub-groups into fragments, and what group functions over fragments compile to.

Written in the kernel language. The newer names of sycl_ext_oneapi_non_uniform_groups and
sycl_ext_oneapi_tangle stand beside the older ones. Members find each other by their lanes: a scan
follows, from every member, the way to the one before it, in steps that double. Non-goals: the host
device, where fragments meet as every group does. Invariant: only members' values are read.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.lang.groups.group_functions import (
    ballot_bits,
    exchange,
    lane_count,
    match_bits,
    present_bits,
)
from unisycl.lang.index.this import this_sub_group
from unisycl.lang.library.fragments import chunk, fragment, lower, tangle
from unisycl.lang.numbers.math import clz, ctz, popcount

__kernel_language__ = True


# ---- making fragments
def binary_partition(group: Any, predicate: Any) -> Any:
    """Divide a group in two: the work-items where a predicate is false, and those where it is true.

    All work-items of the group call together; each gets the part that it is in.

    Args:
        group: a sub-group, or a part of one.
        predicate: a truth value.
    """
    chosen = bool(predicate)
    every = ballot_bits(group, True)
    true = ballot_bits(group, chosen)
    return fragment(true if chosen else every & ~true, lane_of(group), int(chosen), 2)


def value_partition(group: Any, x: Any) -> Any:
    """Divide a group into parts of work-items that have the same integer.

    All work-items of the group call together; each gets the part that it is in. Parts are
    numbered by their first work-items.

    Args:
        group: a sub-group, or a part of one.
        x: an integer or a truth value; compare other numbers by their bits (``bit_cast``).
    """
    bits = match_bits(group, x) & ballot_bits(group, True)
    firsts = ballot_bits(group, bits & lower(lane_of(group)) == 0)
    number = int(popcount(firsts & lower(int(ctz(bits)))))
    return fragment(bits, lane_of(group), number, int(popcount(firsts)))


def chunked_partition(group: Any, size: int) -> Any:
    """Divide a group into parts of neighbouring work-items.

    All work-items of the group call together. Where ``size`` does not divide the group,
    the rest is a part of its own.

    Args:
        group: a sub-group, or a chunk.
        size: how many work-items a part has: a power of two, known while compiling.
    """
    every = ballot_bits(group, True)
    me = group.get_local_linear_id()
    first = lane_of(group) - me % size
    bits = every & (lower(size) << np.uint64(first))
    whole = group.get_local_linear_range()
    return chunk(bits, lane_of(group), me // size, (whole + size - 1) // size)


def entangle(group: Any) -> Any:
    """Return the work-items of a sub-group that reach this call in the same control flow.

    Args:
        group: the sub-group; not all its work-items need to come by.
    """
    return tangle(present_bits(group), lane_of(group), 0, 1)


def get_opportunistic_group() -> Any:
    """Return the work-items of the calling one's sub-group that call this together.

    Which those are is for the device to say; here they are those of ``entangle``.
    """
    group = this_sub_group()
    return fragment(present_bits(group), lane_of(group), 0, 1)


def lane_of(group: Any) -> Any:
    """Return the calling work-item's local id in its sub-group."""
    if isinstance(group, fragment):
        return group.lane
    return group.get_local_linear_id()


get_ballot_group = binary_partition
"""The older name of ``binary_partition``."""
get_fixed_size_group = chunked_partition
"""The older name of ``chunked_partition``."""
get_tangle_group = entangle
"""The older name of ``entangle``."""


# ---- functions over fragments, as compiled
def member(group: Any, k: Any) -> Any:
    """Return the lane of member ``k``; some lane if there is no such member."""
    if isinstance(group, chunk):
        return int(ctz(group.bits)) + k
    bits, left, lane = group.bits, k, 0
    width = 32
    while width > 0:
        below = int(popcount(bits & lower(width)))
        beyond = left >= below
        bits = bits >> np.uint64(width) if beyond else bits
        lane = lane + width if beyond else lane
        left = left - below if beyond else left
        width //= 2
    return lane


def broadcast(group: Any, x: Any, k: Any) -> Any:
    """Return the value of member ``k`` (``group_broadcast``, ``select_from_group``)."""
    return exchange(x, member(group, k))


def shift_left(group: Any, x: Any, k: Any) -> Any:
    """Return the value of the member ``k`` places higher."""
    return exchange(x, member(group, group.get_local_linear_id() + k))


def shift_right(group: Any, x: Any, k: Any) -> Any:
    """Return the value of the member ``k`` places lower."""
    return exchange(x, member(group, group.get_local_linear_id() - k))


def permute_xor(group: Any, x: Any, k: Any) -> Any:
    """Return the value of the member whose position is this one's ``^ k``."""
    return exchange(x, member(group, group.get_local_linear_id() ^ k))


def reduce(group: Any, x: Any, op: Any) -> Any:
    """Return all members' values combined."""
    return exchange(inclusive_scan(group, x, op), 63 - int(clz(group.bits)))


def inclusive_scan(group: Any, x: Any, op: Any) -> Any:
    """Return the values of the members up to this one combined."""
    total = x
    before = previous(group)
    reach = 1
    while reach < lane_count():
        other = exchange(total, before)
        further = exchange(before, before)
        total = op(other, total) if before >= 0 else total
        before = further if before >= 0 else before
        reach *= 2
    return total


def exclusive_scan(group: Any, x: Any, init: Any, op: Any) -> Any:
    """Return an initial value combined with those of the members before this one."""
    before = previous(group)
    found = op(init, exchange(inclusive_scan(group, x, op), before))
    return found if before >= 0 else init


def previous(group: Any) -> Any:
    """Return the lane of the member before this one, as an int32; -1 if there is none."""
    return np.int32(63) - np.int32(clz(group.bits & lower(group.lane)))
