"""SYCL's ``sycl::khr`` namespace: the names of its extensions that kernels use.

Written in the kernel language: the common interface of groups (khr_group_interface), beside the
queries of ``this`` (khr_work_item_queries) and the casts of ``pointer``. Non-goals: group functions
over these groups; they take the ``group`` that each was made from, as C++ converts them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from unisycl.base.enums import memory_scope
from unisycl.lang.index import this
from unisycl.lang.memory import pointer

__kernel_language__ = True


@dataclass(eq=False)
class work_group:
    """A work-group: ``khr.work_group(it.get_group())``; ``group`` is what it was made from."""

    group: Any
    fence_scope: ClassVar[memory_scope] = memory_scope.work_group

    @property
    def dimensions(self) -> Any:
        """How many dimensions it has."""
        return self.group.dimensions

    def id(self) -> Any:
        """Return which of the groups in ``range()`` this is."""
        return self.group.get_group_id()

    def linear_id(self) -> Any:
        """Return the row-major number of this group in ``range()``."""
        return self.group.get_group_linear_id()

    def range(self) -> Any:
        """Return how many such groups there are."""
        return self.group.get_group_range()

    def extents(self) -> Any:
        """Return how many work-items it has in each dimension."""
        return self.group.get_local_range()

    def extent(self, r: Any) -> Any:
        """Return how many work-items it has in one dimension."""
        return self.group.get_local_range()[r]

    def rank(self) -> Any:
        """Return how many extents there are."""
        return self.group.dimensions

    def rank_dynamic(self) -> Any:
        """Return how many extents are known only while it runs: all of them."""
        return self.group.dimensions

    def size(self) -> Any:
        """Return how many work-items it has."""
        return self.group.get_local_linear_range()


@dataclass(eq=False)
class sub_group(work_group):
    """A sub-group: ``khr.sub_group(it.get_sub_group())``, of one dimension."""

    fence_scope: ClassVar[memory_scope] = memory_scope.sub_group

    def max_size(self) -> Any:
        """Return how many work-items any sub-group of the kernel may have."""
        return self.group.get_max_local_range()[0]


@dataclass(eq=False)
class work_item:
    """One work-item in a group, by ``get_item(group)``: a group of its own, of size 1."""

    parent: Any
    fence_scope: ClassVar[memory_scope] = memory_scope.work_item

    @property
    def dimensions(self) -> Any:
        """How many dimensions its group has."""
        return self.parent.group.dimensions

    def id(self) -> Any:
        """Return where in its group it is."""
        return self.parent.group.get_local_id()

    def linear_id(self) -> Any:
        """Return the row-major number of its place in its group."""
        return self.parent.group.get_local_linear_id()

    def range(self) -> Any:
        """Return how many work-items its group has in each dimension."""
        return self.parent.group.get_local_range()

    def extents(self) -> Any:
        """Return 1 in each dimension."""
        whole = self.parent.group.get_local_range()
        return whole // whole

    def extent(self, r: Any) -> Any:
        """Return 1."""
        return self.extents()[r]

    def rank(self) -> Any:
        """Return how many extents there are."""
        return self.dimensions

    def rank_dynamic(self) -> Any:
        """Return 0: its extents are always 1."""
        return 0

    def size(self) -> Any:
        """Return 1."""
        return 1


def get_item(group: Any) -> Any:
    """Return the calling work-item as a member of a ``khr.work_group`` or ``khr.sub_group``."""
    return work_item(group)


def leader_of(group: Any) -> Any:
    """Say whether the calling work-item is the first of a group, of either interface."""
    if isinstance(group, work_item):
        return True
    if isinstance(group, work_group):
        return group.group.get_local_linear_id() == 0
    return group.leader()


class khr(pointer.khr):
    """SYCL's ``sycl::khr`` namespace."""

    work_group = work_group
    sub_group = sub_group
    work_item = member_item = work_item
    get_item = get_member_item = staticmethod(get_item)
    leader_of = staticmethod(leader_of)
    this_nd_item = staticmethod(this.this_nd_item)
    this_group = staticmethod(this.this_group)
    this_sub_group = staticmethod(this.this_sub_group)


__all__ = ["khr"]
