"""``group``, ``sub_group`` and ``h_item`` (SYCL 2020 §4.9.1.6 to §4.9.1.8).

Non-goals: the functions of a group (``lang.group``). Invariants: users cannot construct these;
single ids are Python ints, whole ids are ``unisycl.id`` objects.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias, overload

from unisycl.base.enums import memory_scope
from unisycl.base.errors import UsageError, errc
from unisycl.base.geometry import as_range, id, linear_id, range
from unisycl.lang.place import Place, Space, Unconstructible, pick, points
from unisycl.lang.range_item import item

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

    @overload
    def get_group_id(self) -> id: ...
    @overload
    def get_group_id(self, dimension: int) -> int: ...
    def get_group_id(self, dimension: int | None = None) -> id | int:
        """Return the position among the work-groups, or that of one dimension."""
        at = self._place.group
        return id._make(at) if dimension is None else pick(at, dimension, "group.get_group_id")

    get_id = get_group_id
    """SYCL 1.2's name of ``get_group_id``."""

    @overload
    def get_local_id(self) -> id: ...
    @overload
    def get_local_id(self, dimension: int) -> int: ...
    def get_local_id(self, dimension: int | None = None) -> id | int:
        """Return the calling work-item's position in the group, or that of one dimension."""
        at = self._item("get_local_id")
        return id._make(at) if dimension is None else pick(at, dimension, "group.get_local_id")

    @overload
    def get_local_range(self) -> range: ...
    @overload
    def get_local_range(self, dimension: int) -> int: ...
    def get_local_range(self, dimension: int | None = None) -> range | int:
        """Return the size of the group in each dimension or in one."""
        extent = self._place.local_range
        if dimension is None:
            return range._make(extent)
        return pick(extent, dimension, "group.get_local_range")

    @overload
    def get_group_range(self) -> range: ...
    @overload
    def get_group_range(self, dimension: int) -> int: ...
    def get_group_range(self, dimension: int | None = None) -> range | int:
        """Return the number of groups in each dimension or in one."""
        extent = self._place.group_range
        if dimension is None:
            return range._make(extent)
        return pick(extent, dimension, "group.get_group_range")

    @overload
    def get_global_range(self) -> range: ...
    @overload
    def get_global_range(self, dimension: int) -> int: ...
    def get_global_range(self, dimension: int | None = None) -> range | int:
        """Return the number of work-items in each dimension or in one (SYCL 1.2)."""
        extent = self._place.global_range
        if dimension is None:
            return range._make(extent)
        return pick(extent, dimension, "group.get_global_range")

    def get_max_local_range(self) -> range:
        """Return the largest size of any group of the launch; all groups have the same."""
        return range._make(self._place.local_range)

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
        for logical in points(extent):
            body(h_item._make(place, logical, extent))

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

    @overload
    def get_group_id(self) -> id: ...
    @overload
    def get_group_id(self, dimension: int) -> int: ...
    def get_group_id(self, dimension: int | None = None) -> id | int:
        """Return the number of this sub-group in its work-group, as a one-dimensional id."""
        at = (self.get_group_linear_id(),)
        return id._make(at) if dimension is None else pick(at, dimension, "sub_group.get_group_id")

    @overload
    def get_local_id(self) -> id: ...
    @overload
    def get_local_id(self, dimension: int) -> int: ...
    def get_local_id(self, dimension: int | None = None) -> id | int:
        """Return the work-item's position in the sub-group, as a one-dimensional id."""
        at = (self.get_local_linear_id(),)
        return id._make(at) if dimension is None else pick(at, dimension, "sub_group.get_local_id")

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
        return tuple(x % s for x, s in zip(self._logical, self._place.local_range, strict=True))

    @overload
    def get_global_id(self) -> id: ...
    @overload
    def get_global_id(self, dimension: int) -> int: ...
    def get_global_id(self, dimension: int | None = None) -> id | int:
        """Return the physical work-item's global id, or one dimension of it."""
        at = self._place.global_id(self._physical())
        return id._make(at) if dimension is None else pick(at, dimension, "h_item.get_global_id")

    @overload
    def get_global_range(self) -> range: ...
    @overload
    def get_global_range(self, dimension: int) -> int: ...
    def get_global_range(self, dimension: int | None = None) -> range | int:
        """Return the number of physical work-items in each dimension or in one."""
        extent = self._place.global_range
        if dimension is None:
            return range._make(extent)
        return pick(extent, dimension, "h_item.get_global_range")

    @overload
    def get_logical_local_id(self) -> id: ...
    @overload
    def get_logical_local_id(self, dimension: int) -> int: ...
    def get_logical_local_id(self, dimension: int | None = None) -> id | int:
        """Return the position in the logical range, or that of one dimension."""
        at = self._logical
        return id._make(at) if dimension is None else pick(at, dimension, "h_item.get_local_id")

    get_local_id = get_logical_local_id

    @overload
    def get_logical_local_range(self) -> range: ...
    @overload
    def get_logical_local_range(self, dimension: int) -> int: ...
    def get_logical_local_range(self, dimension: int | None = None) -> range | int:
        """Return the logical range, or one dimension of it."""
        if dimension is None:
            return range._make(self._extent)
        return pick(self._extent, dimension, "h_item.get_local_range")

    get_local_range = get_logical_local_range

    @overload
    def get_physical_local_id(self) -> id: ...
    @overload
    def get_physical_local_id(self, dimension: int) -> int: ...
    def get_physical_local_id(self, dimension: int | None = None) -> id | int:
        """Return the executing work-item's position in the group, or that of one dimension."""
        at = self._physical()
        if dimension is None:
            return id._make(at)
        return pick(at, dimension, "h_item.get_physical_local_id")

    @overload
    def get_physical_local_range(self) -> range: ...
    @overload
    def get_physical_local_range(self, dimension: int) -> int: ...
    def get_physical_local_range(self, dimension: int | None = None) -> range | int:
        """Return the size of the work-group in each dimension or in one."""
        extent = self._place.local_range
        if dimension is None:
            return range._make(extent)
        return pick(extent, dimension, "h_item.get_physical_local_range")

    def get_global(self) -> item:
        """Return the physical work-item's place in the launch, as an ``item``."""
        place = self._place
        at = place.global_id(self._physical())
        return item._make(at, Space(place.global_range, place.offset))

    def get_logical_local(self) -> item:
        """Return the place in the logical range, as an ``item``."""
        return item._make(self._logical, Space(self._extent, (0,) * len(self._extent)))

    get_local = get_logical_local

    def get_physical_local(self) -> item:
        """Return the executing work-item's place in the group, as an ``item``."""
        extent = self._place.local_range
        return item._make(self._physical(), Space(extent, (0,) * len(extent)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, h_item):
            return NotImplemented
        return self._logical == other._logical and self._place.group == other._place.group

    def __hash__(self) -> int:
        return hash((self._place.group, self._logical))

    def __repr__(self) -> str:
        return f"h_item(logical {self._logical} of {self._extent}, group {self._place.group})"
