"""``nd_item``, and the other index objects under one roof (SYCL 2020 §4.9.1.4 to §4.9.1.8).

Non-goals: making work-items (the host device). Invariants: users
cannot construct these; single ids are Python ints, whole ids are ``unisycl.id`` objects.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, TypeVar, overload

from unisycl.base.enums import fence_space
from unisycl.base.errors import UsageError, errc
from unisycl.base.geometry import id, linear_id, nd_range
from unisycl.lang.index.groups import device_event, group, h_item, sub_group
from unisycl.lang.index.item import item
from unisycl.lang.index.place import Place, Unconstructible, pick
from unisycl.lang.index.queries import id_query, range_query

__all__ = ["device_event", "group", "group_of_all_items", "h_item", "item", "nd_item", "sub_group"]

_Class = TypeVar("_Class")

class nd_item(Unconstructible):
    """A work-item of a ``parallel_for`` over an ``nd_range`` (SYCL 2020 §4.9.1.5).

    ``get_global_id(d)`` is ``get_group(d) * get_local_range(d) + get_local_id(d)``, plus the offset
    if the launch has one. Methods without a dimension return the whole ``id`` or ``range``.

    Example:
        >>> def kernel(it):
        ...     tile[it.get_local_id(0)] = x[it.get_global_id(0)]
        ...     group_barrier(it.get_group())
    """

    __slots__ = ("_group", "_linear", "_local", "_place", "_sub_group")
    _root_class: ClassVar[Any] = None
    """What ``ext_oneapi_get_root_group`` makes: what ``@group_of_all_items`` stands above."""
    _place: Place
    _local: tuple[int, ...]
    _linear: int
    _group: group
    _sub_group: sub_group

    @classmethod
    def _make(cls, place: Place, local: tuple[int, ...]) -> nd_item:
        made = object.__new__(cls)
        made._place = place
        made._local = local
        made._linear = linear_id(local, place.local_range)
        made._group = group._make(place, local)
        made._sub_group = sub_group._make(place, made._linear)
        return made

    @property
    def dimensions(self) -> int:
        """The number of dimensions, 1 to 3."""
        return len(self._local)

    @overload
    def get_global_id(self) -> id: ...
    @overload
    def get_global_id(self, dimension: int) -> int: ...
    def get_global_id(self, dimension: int | None = None) -> id | int:
        """Return the position in the global range, or that of one dimension."""
        if dimension is None:
            return id._make(self._place.global_id(self._local))
        return pick(self._local, dimension, "nd_item.get_global_id") + self._place.origin[dimension]

    def get_global_linear_id(self) -> int:
        """Return the row-major position in the global range, the offset not counted."""
        place = self._place
        start = zip(place.origin, place.offset, self._local, strict=True)
        return linear_id((g - o + x for g, o, x in start), place.global_range)

    get_local_id = id_query(
        "nd_item.get_local_id", lambda it: it._local,
        "the position in the work-group")

    def get_local_linear_id(self) -> int:
        """Return the row-major position in the work-group."""
        return self._linear

    @overload
    def get_group(self) -> group: ...
    @overload
    def get_group(self, dimension: int) -> int: ...
    def get_group(self, dimension: int | None = None) -> group | int:
        """Return the work-group, or its position in one dimension."""
        if dimension is None:
            return self._group
        return pick(self._place.group, dimension, "nd_item.get_group")

    get_group_id = id_query(
        "nd_item.get_group_id", lambda it: it._place.group,
        "the position of the work-group (SYCL 1.2 §3.7.1.5)")

    def get_sub_group(self) -> sub_group:
        """Return the sub-group."""
        return self._sub_group

    def get_group_linear_id(self) -> int:
        """Return the row-major number of the work-group."""
        return self._place.group_linear()

    get_group_range = range_query(
        "nd_item.get_group_range", lambda it: it._place.group_range,
        "the number of work-groups")
    get_global_range = range_query(
        "nd_item.get_global_range", lambda it: it._place.global_range,
        "the number of work-items")
    get_local_range = range_query(
        "nd_item.get_local_range", lambda it: it._place.local_range,
        "the size of a work-group")

    def get_offset(self) -> id:
        """Return the offset of the launch (deprecated in SYCL 2020)."""
        return id._make(self._place.offset)

    def ext_oneapi_get_root_group(self) -> Any:
        """Return all work-items of the launch as a group (sycl_ext_oneapi_root_group)."""
        return self._root_class(math.prod(self._place.group_range))

    def get_nd_range(self) -> nd_range:
        """Return the ``nd_range`` of the launch."""
        place = self._place
        return nd_range._make(place.global_range, place.max_local, place.offset)

    def barrier(self, space: fence_space = fence_space.global_and_local) -> None:
        """Wait for the work-group (SYCL 1.2 §3.5.1.4); SYCL 2020 spells it ``group_barrier``."""
        raise UsageError(errc.invalid, "nd_item.barrier can only be called from a kernel over an "
                         "nd_range")

    def async_work_group_copy(self, dest: Any, src: Any, num_elements: int,
                              stride: int = 1) -> device_event:
        """Copy between local and global memory; see ``group.async_work_group_copy``."""
        return self._group.async_work_group_copy(dest, src, num_elements, stride)

    def wait_for(self, *events: device_event) -> None:
        """Wait for copies; all work-items of the group wait together (SYCL 2020 §4.9.1.5)."""
        raise UsageError(errc.invalid, "nd_item.wait_for can only be called from a kernel")

    def mem_fence(self, space: fence_space = fence_space.global_and_local) -> None:
        """Order this work-item's memory operations (SYCL 1.2 §3.5.1.4); here they already are."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, nd_item):
            return NotImplemented
        return self.get_global_id() == other.get_global_id() and self._local == other._local

    def __hash__(self) -> int:
        return hash((self._place.global_id(self._local), self._local))

    def __repr__(self) -> str:
        return (f"nd_item(global {self._place.global_id(self._local)}, local {self._local}, "
                f"group {self._place.group})")


def group_of_all_items(cls: type[_Class]) -> type[_Class]:
    """Decorate the one class of the group of all work-items, which an ``nd_item`` makes."""
    nd_item._root_class = cls
    return cls
