"""``group``, ``sub_group`` and ``h_item`` (SYCL 2020 §4.9.1.6 to §4.9.1.8).

Non-goals: the functions of a group (``lang.groups.group_functions``). Invariants: users cannot
construct these; single ids are Python ints, whole ids are ``unisycl.id`` objects.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from unisycl.base.enums import memory_scope
from unisycl.base.errors import UsageError, errc
from unisycl.base.geometry import as_range, id, linear_id, nd_range, range
from unisycl.lang.index.environment import here
from unisycl.lang.index.item import item
from unisycl.lang.index.place import Place, Space, Unconstructible, pick, points
from unisycl.lang.index.queries import id_query, range_query
from unisycl.lang.memory.views import HostView, own_memory, scratch

_Body: TypeAlias = "Callable[[h_item], object]"


class group(Unconstructible):
    """The work-group of a work-item (SYCL 2020 §4.9.1.7).

    A hierarchical kernel receives one and runs work-items with ``parallel_for_work_item``.
    """

    __slots__ = ("_local", "_place")
    _place: Place
    _local: tuple[int, ...] | None
    fence_scope = memory_scope.work_group

    @classmethod
    def _make(cls, place: Place, local: tuple[int, ...] | None) -> group:
        made = object.__new__(cls)
        made._place = place
        made._local = local
        return made

    @property
    def dimensions(self) -> int:
        """The number of dimensions, 1 to 3."""
        return len(self._place.group)

    get_group_id = id_query(
        "group.get_group_id", lambda it: it._place.group,
        "the position among the work-groups")
    get = get_id = get_group_id
    """SYCL 1.2's names of ``get_group_id``."""

    get_local_id = id_query(
        "group.get_local_id", lambda it: it._item("get_local_id"),
        "the calling work-item's position in the group")
    get_local_range = range_query(
        "group.get_local_range", lambda it: it._place.local_range,
        "the size of the group")
    get_group_range = range_query(
        "group.get_group_range", lambda it: it._place.group_range,
        "the number of groups")
    get_global_range = range_query(
        "group.get_global_range", lambda it: it._place.global_range,
        "the number of work-items (SYCL 1.2)")

    def get_offset(self) -> id:
        """Return the offset of the launch (SYCL 1.2)."""
        return id._make(self._place.offset)

    def get_nd_range(self) -> nd_range:
        """Return the ``nd_range`` of the launch (SYCL 1.2)."""
        place = self._place
        return nd_range._make(place.global_range, place.max_local, place.offset)

    def get_max_local_range(self) -> range:
        """Return the largest size of any group of the launch; the last ones may be smaller."""
        return range._make(self._place.max_local)

    def get_group_linear_id(self) -> int:
        """Return the row-major number of the group."""
        return self._place.group_linear()

    get_linear_id = get_group_linear_id
    """SYCL 1.2's name of ``get_group_linear_id``."""

    def get_local_linear_id(self) -> int:
        """Return the calling work-item's row-major position in the group."""
        return linear_id(self._item("get_local_linear_id"), self._place.local_range)

    def get_group_linear_range(self) -> int:
        """Return the number of groups."""
        return math.prod(self._place.group_range)

    def get_local_linear_range(self) -> int:
        """Return the number of work-items in the group."""
        return self._place.items

    def leader(self) -> bool:
        """Say whether the calling work-item is the one with local id 0."""
        return not any(self._item("leader"))

    def async_work_group_copy(self, dest: Any, src: Any, num_elements: int,
                              stride: int = 1) -> device_event:
        """Copy between local and global memory, all work-items together (SYCL 2020 §4.9.1.7).

        Args:
            dest: one-dimensional memory, or a slice of it, of the same element type as ``src``.
            src: where from; one of the two is local memory.
            num_elements: how many elements.
            stride: the distance of elements in global memory.

        The copy has ended when the event, or ``wait_for``, was waited for.
        """
        whole = self._local is None
        first, step = (0, 1) if whole else (self.get_local_linear_id(), self._place.items)
        copy_share(dest, src, num_elements, stride, first, step)
        return device_event._make(whole=whole)

    def wait_for(self, *events: device_event) -> None:
        """Wait for copies; all work-items of the group wait together (SYCL 2020 §4.9.1.7)."""
        if self._local is not None:
            raise UsageError(errc.invalid, "group.wait_for can only be called from a kernel")

    def parallel_for_work_item(self, *arguments: Any) -> Any:
        """Run a function once for each work-item of the group (SYCL 2020 §4.9.4.2.3).

        Args:
            arguments: ``([logical_range,] fn)``; ``fn`` receives an ``h_item``. Without ``fn`` a
                decorator is returned.

        All work-items have finished when it returns.
        """
        body = arguments[-1] if arguments and callable(arguments[-1]) else None
        rest = arguments[:-1] if body is not None else arguments
        if len(rest) > 1:
            raise UsageError(errc.invalid, "parallel_for_work_item: expected ([range,] function), "
                             f"got {len(arguments)} arguments")
        extent = tuple(as_range(rest[0])) if rest else None
        if body is None:
            return lambda fn: self._run_items(extent, fn)
        return self._run_items(extent, body)

    def _run_items(self, extent: tuple[int, ...] | None, body: _Body) -> None:
        place = self._place
        if self._local is not None:
            raise UsageError(errc.invalid, "parallel_for_work_item can only be called from the "
                             "group scope of parallel_for_work_group")
        if extent is None:
            if not place.sized:
                raise UsageError(errc.invalid, "parallel_for_work_item needs a range here: "
                                 "parallel_for_work_group was given no local size")
            extent = place.local_range
        if len(extent) != len(place.group):
            raise UsageError(errc.invalid, f"parallel_for_work_item: the range has {len(extent)} "
                             f"dimension(s), the work-group {len(place.group)}")
        items = (h_item._make(place, logical, extent) for logical in points(extent))
        if here.watch is not None:
            items = here.watch.loop(items)
        it = None
        try:
            for it in items:
                body(it)
        except Exception as error:
            error.work_item = it  # type: ignore[attr-defined]  # whom the message names
            raise

    def _item(self, what: str) -> tuple[int, ...]:
        if self._local is None:
            raise UsageError(errc.invalid, f"group.{what} has no meaning at group scope: no single "
                             "work-item is calling; use the h_item of parallel_for_work_item")
        return self._local

    def __getitem__(self, dimension: int) -> int:
        return pick(self._place.group, dimension, "group")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, group):
            return NotImplemented
        return self._place.group == other._place.group and (
            self._place.group_range == other._place.group_range)

    def __hash__(self) -> int:
        return hash(self._place.group)

    def __repr__(self) -> str:
        return f"group({', '.join(map(str, self._place.group))})"


class sub_group(Unconstructible):
    """The sub-group of a work-item: consecutive linear ids of a group (SYCL 2020 §4.9.1.8)."""

    __slots__ = ("_linear", "_place")
    _place: Place
    _linear: int
    fence_scope = memory_scope.sub_group
    dimensions = 1

    @classmethod
    def _make(cls, place: Place, linear: int) -> sub_group:
        made = object.__new__(cls)
        made._place = place
        made._linear = linear
        return made

    get_group_id = id_query(
        "sub_group.get_group_id", lambda it: (it.get_group_linear_id(),),
        "the number of this sub-group in its work-group")
    get_local_id = id_query(
        "sub_group.get_local_id", lambda it: (it.get_local_linear_id(),),
        "the work-item's position in the sub-group")

    def get_local_range(self) -> range:
        """Return the number of work-items in this sub-group."""
        return range._make((self.get_local_linear_range(),))

    def get_group_range(self) -> range:
        """Return the number of sub-groups in the work-group."""
        return range._make((self.get_group_linear_range(),))

    def get_max_local_range(self) -> range:
        """Return the number of work-items in a full sub-group of this launch."""
        return range._make((min(self._place.sub_group, self._place.items),))

    def get_group_linear_id(self) -> int:
        """Return the number of this sub-group in its work-group."""
        return self._linear // self._place.sub_group

    def get_local_linear_id(self) -> int:
        """Return the work-item's position in the sub-group."""
        return self._linear % self._place.sub_group

    def get_group_linear_range(self) -> int:
        """Return the number of sub-groups in the work-group."""
        return -(-self._place.items // self._place.sub_group)

    def get_local_linear_range(self) -> int:
        """Return the number of work-items in this sub-group; only the last may be smaller."""
        size = self._place.sub_group
        return min(size, self._place.items - self._linear // size * size)

    def leader(self) -> bool:
        """Say whether the calling work-item is the first of the sub-group."""
        return self._linear % self._place.sub_group == 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, sub_group):
            return NotImplemented
        return (self._place.group == other._place.group
                and self.get_group_linear_id() == other.get_group_linear_id())

    def __hash__(self) -> int:
        return hash((self._place.group, self.get_group_linear_id()))

    def __repr__(self) -> str:
        return f"sub_group({self.get_group_linear_id()})"


class h_item(Unconstructible):
    """A work-item of ``group.parallel_for_work_item`` (SYCL 2020 §4.9.1.6).

    ``local`` queries speak of the logical range given there, ``physical_local`` and ``global`` ones
    of the work-group of the launch. Logical item ``l`` runs on physical item ``l % size``.
    """

    __slots__ = ("_extent", "_logical", "_place")
    _place: Place
    _logical: tuple[int, ...]
    _extent: tuple[int, ...]

    @classmethod
    def _make(cls, place: Place, logical: tuple[int, ...], extent: tuple[int, ...]) -> h_item:
        made = object.__new__(cls)
        made._place = place
        made._logical = logical
        made._extent = extent
        return made

    def _physical(self) -> tuple[int, ...]:
        return tuple(x % s for x, s in zip(self._logical, self._whole(), strict=True))

    def _whole(self) -> tuple[int, ...]:
        """Return the physical range: as launched, or that of this loop if none was given."""
        return self._place.local_range if self._place.sized else self._extent

    def _global_id(self) -> tuple[int, ...]:
        start = zip(self._place.group, self._whole(), self._physical(), strict=True)
        return tuple(g * s + x for g, s, x in start)

    def _global_range(self) -> tuple[int, ...]:
        return tuple(g * s for g, s in zip(self._place.group_range, self._whole(), strict=True))

    get_global_id = id_query(
        "h_item.get_global_id", lambda it: it._global_id(),
        "the physical work-item's global id")
    get_global_range = range_query(
        "h_item.get_global_range", lambda it: it._global_range(),
        "the number of physical work-items")
    get_logical_local_id = id_query(
        "h_item.get_logical_local_id", lambda it: it._logical,
        "the position in the logical range")
    get_local_id = get_logical_local_id

    get_logical_local_range = range_query(
        "h_item.get_logical_local_range", lambda it: it._extent,
        "the logical range")
    get_local_range = get_logical_local_range

    get_physical_local_id = id_query(
        "h_item.get_physical_local_id", lambda it: it._physical(),
        "the executing work-item's position in the group")
    get_physical_local_range = range_query(
        "h_item.get_physical_local_range", lambda it: it._whole(),
        "the size of the work-group")

    def get_global(self) -> item:
        """Return the physical work-item's place in the launch, as an ``item``."""
        extent = self._global_range()
        return item._make(self._global_id(), Space(extent, (0,) * len(extent)))

    def get_logical_local(self) -> item:
        """Return the place in the logical range, as an ``item``."""
        return item._make(self._logical, Space(self._extent, (0,) * len(self._extent)))

    get_local = get_logical_local

    def get_physical_local(self) -> item:
        """Return the executing work-item's place in the group, as an ``item``."""
        extent = self._whole()
        return item._make(self._physical(), Space(extent, (0,) * len(extent)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, h_item):
            return NotImplemented
        return self._logical == other._logical and self._place.group == other._place.group

    def __hash__(self) -> int:
        return hash((self._place.group, self._logical))

    def __repr__(self) -> str:
        return f"h_item(logical {self._logical} of {self._extent}, group {self._place.group})"


class device_event(Unconstructible):
    """The end of an ``async_work_group_copy`` (SYCL 2020 §4.9.1.5, §4.15.2)."""

    __slots__ = ("_whole",)
    _whole: bool

    @classmethod
    def _make(cls, *, whole: bool) -> device_event:
        made = object.__new__(cls)
        made._whole = whole
        return made

    def wait(self) -> None:
        """Wait until the copy has ended; all work-items of the group wait together."""
        if not self._whole:
            raise UsageError(errc.invalid, "device_event.wait can only be called from a kernel")

    def __repr__(self) -> str:
        return "<device_event of async_work_group_copy>"


def copy_share(dest: Any, src: Any, count: int, stride: int, first: int, step: int) -> None:
    """Copy every ``step``-th element from ``first`` on; the stride is that of global memory."""
    local = [_is_local(memory) for memory in (dest, src)]
    if set(local) != {False, True}:
        raise UsageError(errc.invalid, "async_work_group_copy copies between local and global "
                         "memory")
    if dest.dtype != src.dtype:
        raise UsageError(errc.invalid, f"async_work_group_copy: the elements are {dest.dtype} and "
                         f"{src.dtype}; they must be of one type")
    to, by = (1, stride) if local[0] else (stride, 1)
    for k in builtins.range(first, count, step):
        dest[k * to] = src[k * by]


def _is_local(memory: Any) -> bool | None:
    """Say whether memory, or what a pointer points into, is local; None if it is neither."""
    view = memory._view if isinstance(memory, HostView.pointer_class) else memory
    return view._local if isinstance(view, HostView) else None


class private_memory:
    """An element for each work-item of a group, kept from loop to loop (SYCL 2020 §4.9.4.2.3).

    Made at the group scope of ``parallel_for_work_group``, indexed by the ``h_item`` inside
    ``parallel_for_work_item``: ``p[it]``, or ``p(it)`` to read as in C++. Logical items that share
    a physical one share its element.

    Args:
        dtype: the element type.
        group: the group; the launch must have given its local size.
    """

    __slots__ = ("_elements",)
    _elements: HostView

    def __init__(self, dtype: npt.DTypeLike, group: Any) -> None:
        if not isinstance(group, _GROUP) or group._local is not None:
            raise UsageError(errc.invalid, "private_memory is made at the group scope of "
                             "parallel_for_work_group, of the group that the kernel got")
        if not group._place.sized:
            raise UsageError(errc.invalid, "private_memory needs the local size, which "
                             "parallel_for_work_group was not given")
        extent = group._place.local_range
        self._elements = own_memory(scratch(np.dtype(dtype), extent), "private_memory")

    def __getitem__(self, it: h_item) -> Any:
        return self._elements[_element_of(it)]

    def __setitem__(self, it: h_item, value: Any) -> None:
        self._elements[_element_of(it)] = value

    def __call__(self, it: h_item) -> Any:
        """Return the element of a work-item."""
        return self[it]


_GROUP = group


def _element_of(it: h_item) -> tuple[int, ...]:
    if not isinstance(it, h_item):
        raise UsageError(errc.invalid, "private_memory is indexed by the h_item that "
                         f"parallel_for_work_item passes, not by {type(it).__name__}")
    return it._physical()
