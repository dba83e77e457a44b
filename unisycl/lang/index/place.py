"""Where work-items and work-groups are: the state that index objects read.

Non-goals: the public queries (``lang.index.nd_item``). Invariant: one ``Place`` serves one launch
in one thread; ``move_to`` changes the work-group that every index object of the launch speaks of.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from unisycl.base.errors import UsageError, errc
from unisycl.base.geometry import linear_id


class Space:
    """The index space of a plain ``parallel_for(range)``: extents and (deprecated) offset."""

    __slots__ = ("offset", "range")

    def __init__(self, range: tuple[int, ...], offset: tuple[int, ...]) -> None:
        self.range = range
        self.offset = offset


class Place:
    """The work-group at hand and the shape of the launch it belongs to.

    ``sized`` says whether the user gave the local size; ``sub_group`` is the sub-group size. Of a
    launch that is a part of a larger one, ``within`` makes it speak of that.
    """

    __slots__ = ("first", "global_range", "group", "group_range", "local_range", "max_local",
                 "offset", "origin", "scratch", "scratch_bytes", "sized", "start", "sub_group")

    def __init__(self, global_range: tuple[int, ...], local_range: tuple[int, ...],
                 offset: tuple[int, ...], sub_group: int, *, sized: bool = True) -> None:
        self.global_range = global_range
        self.local_range = self.max_local = local_range
        self.group_range = tuple(g // s for g, s in zip(global_range, local_range, strict=True))
        self.offset = offset
        self.sub_group = sub_group
        self.sized = sized
        self.scratch: Any = None
        self.scratch_bytes: int | None = None
        self.start, self.first = offset, (0,) * len(global_range)
        self.move_to(self.first)

    def within(self, global_range: tuple[int, ...], group_range: tuple[int, ...],
               offset: tuple[int, ...], first: tuple[int, ...], local: tuple[int, ...]) -> None:
        """Be a part of a launch: its ranges and offset, and the group that the part begins at.

        ``local`` is the size of its work-groups but the last ones.
        """
        self.max_local = local
        self.global_range, self.group_range, self.offset = global_range, group_range, offset
        self.first = first
        self.move_to((0,) * len(first))

    def move_to(self, group: tuple[int, ...]) -> None:
        """Make a work-group the one at hand; it is counted from the first of this launch."""
        self.scratch = None  # that of the group before
        self.group = tuple(g + b for g, b in zip(group, self.first, strict=True))
        self.origin = tuple(g * s + o for g, s, o in
                            zip(group, self.local_range, self.start, strict=True))

    @property
    def items(self) -> int:
        """The number of work-items in a work-group."""
        return math.prod(self.local_range)

    def global_id(self, local: Sequence[int]) -> tuple[int, ...]:
        """Return the global id of a work-item of this group."""
        return tuple(o + x for o, x in zip(self.origin, local, strict=True))

    def group_linear(self) -> int:
        """Return the row-major number of this group."""
        return linear_id(self.group, self.group_range)


def points(extent: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield every id below an extent, the last dimension fastest."""
    return product(*(range(e) for e in extent))


def pick(values: tuple[int, ...], dimension: int, what: str) -> int:
    """Return one dimension's value; ``errc.invalid`` if there is no such dimension."""
    if 0 <= dimension < len(values):
        return values[dimension]
    raise UsageError(errc.invalid, f"{what}: dimension {dimension} does not exist; there "
                     f"{'is 1' if len(values) == 1 else f'are {len(values)}'}, counted from 0")


class Unconstructible:
    """A class whose objects only unisycl makes (SYCL 2020 §4.9.1)."""

    __slots__ = ()

    def __init__(self, *_: object, **__: object) -> None:
        raise UsageError(errc.invalid, f"a program cannot make a {type(self).__name__}; unisycl "
                         "passes one to the kernel")


def inside(place: tuple[Any, ...], shape: tuple[int, ...]) -> bool:
    """Say whether a place is ints, one a dimension and all inside; False is no verdict."""
    if len(place) != len(shape):
        return False
    if len(place) == 2:
        y, x = place
        return y.__class__ is int and x.__class__ is int \
            and 0 <= y < shape[0] and 0 <= x < shape[1]
    for i, extent in zip(place, shape):  # noqa: B905 - of one length
        if i.__class__ is not int or not 0 <= i < extent:
            return False
    return True
