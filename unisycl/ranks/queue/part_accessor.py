"""Accessors of distributed buffers: what ``sycl.accessor`` makes for one.

Non-goals: planning. Invariant: until its command's index space is known, an accessor stands for
nothing; then for the elements that its mapper gives for this rank's part.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from unisycl.api.memory.access import Array
from unisycl.api.memory.accessor import accessor
from unisycl.api.properties import property as properties
from unisycl.base.errors import UsageError, errc
from unisycl.ranks.graph import plan
from unisycl.ranks.graph.boxes import Box
from unisycl.ranks.graph.mappers import Mapper, chunk, mapper_of
from unisycl.ranks.queue.part_view import PartView
from unisycl.runtime.graph.command_group import BoundView, Group
from unisycl.runtime.graph.deps import Access


class PartBound(BoundView):
    """A view argument of a launch that has declared a part of the buffer."""

    host_view: Any
    """What makes the view of a kernel on the host device."""


class part_accessor(accessor):
    """Access to a ``distr_buffer`` from one command group of a ``distr_queue``.

    Args:
        source: the buffer.
        args: as for ``accessor``, and a range mapper.
    """

    __slots__ = ("declared", "mapper")
    __host_view__ = PartView

    def __init__(self, source: Any = None, *args: Any, **named: Any) -> None:
        self.mapper: Mapper | None = None
        self.declared: Box | None = None
        rest = []
        for a in args:
            mapper = mapper_of(a)
            if mapper is None:
                rest.append(a)
            elif self.mapper is None:
                self.mapper = mapper
            else:
                raise UsageError(errc.invalid, "accessor: more than one range mapper was given")
        super().__init__(source, *rest, **named)
        if self._shape != self._region.shape:
            raise UsageError(errc.invalid, "accessor: of a distr_buffer the range mapper says "
                             "which part is used; leave range and offset out")

    def join(self, group: Group) -> None:
        """Become part of a command group (internal)."""
        use = getattr(group, "use", None)
        if use is None:
            raise UsageError(errc.invalid, "accessor: a distr_buffer is used in command groups of "
                             "a distr_queue")
        group.check_alive()
        self._region.memory.check_open()
        for channel in group.channels():
            self._check_device(channel)
        use(self)
        group.remember(self)
        self._group = group

    def _as_before(self, source: Any, group: Any, how: Any) -> bool:
        """Become what an accessor of the same buffer and tag was, but for what it stands for."""
        found = hasattr(group, "use") and super()._as_before(source, group, how)
        self._template = None  # what it stands for is another thing each time
        return found

    @property
    def owner(self) -> Any:
        """The distr_buffer (internal)."""
        return self.buffer

    @property
    def reads(self) -> bool:
        """Whether what was there before counts (internal)."""
        return not self.has_property(properties.no_init)

    def bind(self, group: Group | None, channel: Any) -> BoundView:
        """Return the argument of a launch; where views are made later, with what is declared."""
        view = super().bind(group, channel)
        if channel.driver.repeats or self.declared is None:
            return view
        made = PartBound(view.memory, view.offset, view.shape, view.pitches)
        made.host_view = partial(PartView.of, self.declared)
        return made

    def declare(self, group: Group, box: Box | None) -> None:
        """Stand for a part of the buffer (internal)."""
        self.declared = box
        if box is not None:
            known = self.owner.accesses
            key = box, self.mode, self.target, self.reads
            found = known.get(key)
            if found is None:
                if len(known) > 64:
                    known.clear()
                found = known[key] = access_to(self, box, self.mode)
            group.add_access(found)

    def part(self) -> Array:
        """Return the elements that the mapper gives this rank, in a host task."""
        whole = self._elements()
        return whole[self.part_slices()]

    def part_slices(self) -> tuple[slice, ...]:
        """Return where in the buffer the elements of ``part`` lie."""
        if self.declared is None:
            return tuple(slice(0, 0) for _ in self._region.shape)
        return self.declared.slices()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.part(), dtype=dtype, copy=copy)


def access_to(of: Any, box: Box, mode: Any, where: Any = None) -> Access:
    """Return the access to a box of a buffer: to the bytes from its first to its last element."""
    region = of._region if isinstance(of, accessor) else of.region
    low = sum(a * p for a, p in zip(box.low, region.pitches, strict=True))
    high = sum((b - 1) * p for b, p in zip(box.high, region.pitches, strict=True)) + 1
    size = region.dtype.itemsize
    fresh = high - low == box.size() and (
        mode.writes and (not isinstance(of, accessor) or not getattr(of, "reads", True)))
    return Access(region.memory, region.start + low * size, region.start + high * size, mode,
                  bool(fresh), of.target if where is None else where)


def mapper_given(one: part_accessor) -> Mapper:
    """Return an accessor's range mapper; refuses one that has none."""
    if one.mapper is None:
        raise UsageError(errc.invalid, f"{one!r} has no range mapper; give one: one_to_one, "
                         "neighborhood(1), slice(d), all, fixed(start, extent) or a function")
    return one.mapper


def boxes_of(one: part_accessor, parts: Sequence[chunk | None]) -> plan.Parts:
    """Return the elements that an accessor uses for each of these parts."""
    mapper = mapper_given(one)
    if not mapper.pure:
        return tuple([None if p is None else mapper.box(p, one.shape) for p in parts])
    key = mapper, tuple(parts), one.shape
    found = _known.get(key)
    if found is None:
        if len(_known) > 256:
            _known.clear()
        found = _known[key] = tuple([None if p is None else mapper.box(p, one.shape)
                                     for p in parts])
    return found


_known: dict[Any, plan.Parts] = {}
