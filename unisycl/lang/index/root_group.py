"""``root_group``: all work-items of a launch as one group (sycl_ext_oneapi_root_group).

Written in the kernel language. Non-goals: that all work-groups run at the same time, which the
kernel property ``use_root_sync`` requires. Invariant: the memory that counts arrivals is the
launch's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unisycl.base.enums import access_mode, memory_order, memory_scope
from unisycl.base.forward_progress import (
    execution_scope,
    forward_progress_guarantee,
    work_group_progress,
)
from unisycl.ir.types import View, global_view
from unisycl.lang.groups.group_functions import group_barrier
from unisycl.lang.index.nd_item import group_of_all_items
from unisycl.lang.index.this import this_group, this_nd_item
from unisycl.lang.memory.atomic import atomic_ref

__kernel_language__ = True
use_root_sync = work_group_progress(forward_progress_guarantee.concurrent,
                                    execution_scope.root_group)
"""The property of kernels that call ``group_barrier`` with a root_group: all its groups run."""


class Meeting:
    """Captured by kernels with barriers over all work-groups: memory of each launch's own."""

    __slots__ = ()
    __kernel_fresh__ = np.dtype(np.int32)

    def __kernel_type__(self) -> View:
        """Return the type kernels see: one number, zero when the launch begins."""
        kind = global_view(self.__kernel_fresh__, 1, access_mode.read_write)
        assert kind is not None
        return kind


meeting = Meeting()


@group_of_all_items
@dataclass(eq=False)
class root_group:
    """All work-items of a launch over an ``nd_range``; ``group_barrier`` waits for them all.

    Kernels get it from ``nd_item.ext_oneapi_get_root_group()`` or ``get_root_group()``; they do
    not make one. Barriers need ``@kernel(properties=use_root_sync)``.

    Args:
        count: the number of work-groups.
    """

    count: int
    fence_scope: ClassVar[memory_scope] = memory_scope.device

    def get_group_id(self) -> Any:
        """Return 0 in each dimension: there is one such group."""
        here: Any = this_nd_item().get_global_id()
        return here - here

    def get_local_id(self) -> Any:
        """Return the work-item's position among all, without the launch's offset."""
        here: Any = this_nd_item().get_global_id()
        return here - this_nd_item().get_offset()

    def get_group_range(self) -> Any:
        """Return 1 in each dimension."""
        whole: Any = this_nd_item().get_global_range()
        return whole // whole

    def get_local_range(self) -> Any:
        """Return the global range of the launch."""
        return this_nd_item().get_global_range()

    def get_max_local_range(self) -> Any:
        """Return the global range of the launch."""
        return this_nd_item().get_global_range()

    def get_group_linear_id(self) -> Any:
        """Return 0."""
        return 0

    def get_local_linear_id(self) -> Any:
        """Return the work-item's row-major position among all."""
        return this_nd_item().get_global_linear_id()

    def get_group_linear_range(self) -> Any:
        """Return 1."""
        return 1

    def get_local_linear_range(self) -> Any:
        """Return the number of work-items of the launch."""
        group = this_group()
        return group.get_group_linear_range() * group.get_local_linear_range()

    def leader(self) -> Any:
        """Say whether this is the first work-item of the launch."""
        return this_nd_item().get_global_linear_id() == 0


def get_root_group() -> root_group:
    """Return all work-items of the launch as a group; in kernels over an nd_range only."""
    return root_group(this_group().get_group_linear_range())


def meet(arrived: Any) -> None:
    """Wait until every work-item of every work-group is here: what the barrier compiles to.

    The first work-item of each group counts it in and waits for the others of its round.
    """
    group = this_group()
    group_barrier(group)
    if group.leader():
        ref = atomic_ref(arrived, 0, memory_order.acq_rel, memory_scope.device)
        count = group.get_group_linear_range()
        before = ref.fetch_add(1)
        left = np.int32(count - before % count)
        while ref.load(memory_order.acquire) - before < left:
            pass
    group_barrier(group)


__all__ = ["get_root_group", "meet", "meeting", "root_group", "use_root_sync"]
