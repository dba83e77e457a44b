"""``fragment``, ``chunk`` and ``tangle``: some work-items of a sub-group as a group of their own.

Written in the kernel language (sycl_ext_oneapi_non_uniform_groups, sycl_ext_oneapi_tangle).
Non-goals: making them (``partitions``) and the functions over them (``group_functions``).
Invariant: bit k of ``bits`` belongs to the work-item of local id k of the sub-group; that of
``lane`` is always set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unisycl.base.enums import memory_scope
from unisycl.base.geometry import id, range
from unisycl.lang.numbers.math import popcount

__kernel_language__ = True


@dataclass(eq=False)
class fragment:
    """Work-items of a sub-group, in the order of their ids, contiguous or not.

    Kernels get one from ``binary_partition`` or ``get_opportunistic_group``; they do not make one.

    Args:
        bits: the members, the sub-group's work-item 0 lowest.
        lane: the calling work-item's local id in the sub-group.
        number: which of the parts that its parent was divided into this is.
        count: how many parts there are.
    """

    bits: np.uint64
    lane: int
    number: int
    count: int
    dimensions: ClassVar[int] = 1
    fence_scope: ClassVar[memory_scope] = memory_scope.sub_group

    def get_group_id(self) -> Any:
        """Return which part of the parent group this is."""
        return id(self.number)

    def get_local_id(self) -> Any:
        """Return the work-item's position among the members."""
        return id(self.get_local_linear_id())

    def get_group_range(self) -> Any:
        """Return the number of parts the parent group was divided into."""
        return range(self.count)

    def get_local_range(self) -> Any:
        """Return the number of members."""
        return range(self.get_local_linear_range())

    def get_max_local_range(self) -> Any:
        """Return the number of members: there is no fuller group of this kind."""
        return range(self.get_local_linear_range())

    def get_group_linear_id(self) -> Any:
        """Return which part of the parent group this is."""
        return self.number

    def get_local_linear_id(self) -> Any:
        """Return the work-item's position among the members."""
        return int(popcount(self.bits & lower(self.lane)))

    def get_group_linear_range(self) -> Any:
        """Return the number of parts the parent group was divided into."""
        return self.count

    def get_local_linear_range(self) -> Any:
        """Return the number of members."""
        return int(popcount(self.bits))

    def leader(self) -> Any:
        """Say whether the calling work-item is the first member."""
        return self.bits & lower(self.lane) == 0


@dataclass(eq=False)
class chunk(fragment):
    """One of the equal parts of neighbouring work-items that a sub-group was divided into."""


@dataclass(eq=False)
class tangle(fragment):
    """The work-items of a sub-group that reached one place in the same control flow."""


def lower(lane: Any) -> Any:
    """Return the bits of the work-items before one."""
    return (np.uint64(1) << np.uint64(lane)) - np.uint64(1)
