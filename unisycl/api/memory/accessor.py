"""Accessors of command groups (SYCL 2020 §4.7.6.9) and their local memory (§4.7.6.11).

Non-goals: the order of commands (``runtime``), indexing in kernels (``lang``). Invariants: an
accessor works in the one group it was made in or required by; host code sees its elements only
while a host task of that group runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import GenericAlias
from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.api import properties
from unisycl.api.memory.access import Array, Backed, Request, Tag, Window
from unisycl.api.properties import HasProperties
from unisycl.base import geometry as geo
from unisycl.base.dtypes import alike, as_dtype
from unisycl.base.enums import access_mode, address_space, target
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import RAISED, shorten
from unisycl.ir.types import View, element_type, global_view
from unisycl.process.callers import caller
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.command_group import (
    BoundView,
    Capturable,
    Group,
    LocalSize,
    Template,
)
from unisycl.runtime.graph.deps import Access
from unisycl.runtime.memory.regions import Region
from unisycl.runtime.threads.per_process import process


class accessor(Window, Capturable):
    """Access to a buffer from one command group (SYCL 2020 §4.7.6.9).

    Args:
        source: the buffer; left out, the accessor is empty.
        args: in any order after the buffer: the handler (left out: a placeholder, see
            ``handler.require``), a range, then an offset, a tag (``read_only``, ``write_only``,
            ``read_write`` or their ``_host_task`` forms), ``no_init``.
        dimensions: 0 for an accessor of the first element only.

    Example::

        @q.submit
        def _(h):
            X = unisycl.accessor(bx, h, unisycl.read_only)
    """

    __slots__ = ("__weakref__", "_array", "_group", "_placeholder", "_template",
                 "_type")
    __class_getitem__: Any = classmethod(GenericAlias)
    __kernel_type_at__ = "_type"
    """Where ``__kernel_type__`` finds what it returns: asked at every launch (internal)."""

    def __new__(cls, source: Any = None, *args: Any, **named: Any) -> accessor:
        """Make what the buffer's class has for this, where that is not an accessor itself."""
        kind: type[accessor] | None = getattr(type(source), "__accessor__", None)
        return object.__new__(kind if kind is not None and cls is accessor else cls)

    def __init__(self, source: Any = None, *args: Any, dimensions: int | None = None,
                 dtype: npt.DTypeLike | None = None) -> None:
        try:
            self._array: Array | None = None
            plain = dimensions is None and dtype is None and 1 <= len(args) <= 3 and isinstance(
                args[0], Group) and isinstance(source, Backed) and (
                    len(args) == 1 or type(args[1]) in _MODES)
            if plain and self._as_before(source, args[0], args[1:]):
                return
            self._group = self._template = None
            request = Request("accessor", args)
            if source is None:
                self._setup_empty(request, as_dtype(
                    "accessor", np.float64 if dtype is None else dtype))
            else:
                self._setup("accessor", source, request, dimensions)
                if dtype is not None:
                    self._check_dtype(dtype)
            kind = global_view(self._region.dtype, len(self._shape), self.mode)
            if kind is None:
                raise UsageError(errc.invalid,
                                 f"accessor: kernels have no type {self._region.dtype}")
            self._type = kind
            self._placeholder = request.group is None and source is not None
            if request.group is not None:
                self.join(request.group)
                if plain:
                    self._remember(request.group, args[1:])
        except RAISED as error:
            shorten(error)
            raise

    def _as_before(self, source: Backed, group: Group, how: tuple[Any, ...]) -> bool:
        """Become what an accessor of the same buffer, device and tag was; False if none was."""
        region = source.region
        known = region.known.get(id(how[0]) if len(how) == 1 else tuple(map(id, how)))
        if known is None:
            return False
        memory, channel = region.memory, group.channel
        if (known.version != memory.version or memory.closed or memory.borrowed
                or known.device != channel.device.number or memory.bound_context is not None
                or not group.alive or memory.generation != process.generation
                or channel.recorder is not None or group.second is not None):
            return False
        self._group, self.buffer, self._region, self._template = group, source, region, known
        (self.mode, self.target, self._properties, self._shape, self._offset, access, self._type,
         _) = known.fields
        self._placeholder = False
        if type(self) is accessor:
            group._accesses.append(access)
            group._users.append(self)
        else:
            group.take(access, self)
        return True

    def _remember(self, group: Group, how: tuple[Any, ...]) -> None:
        """Have later accessors like this one made as it was; it keeps what it was asked for by."""
        channel, region = group.channel, self._region
        if channel.recorder is None and group.second is None and region.memory is not _NOTHING and (
                how[1:] in _WITH):
            region.known[_name(how)] = Template(channel.device.number, region.memory, (
                self.mode, self.target, self._properties, self._shape, self._offset,
                self._access(), self._type, how))

    def _setup_empty(self, request: Request, dtype: np.dtype[Any]) -> None:
        self.buffer = Backed()
        self._region = Region(_NOTHING, dtype, (0,))
        self.mode = request.mode or access_mode.read_write
        self.target = request.target
        self._properties = request.properties
        self._shape, self._offset = (0,), (0,)

    def _check_dtype(self, dtype: npt.DTypeLike) -> None:
        wanted = as_dtype("accessor", dtype)
        if not alike(wanted, self._region.dtype):
            raise UsageError(errc.invalid, f"accessor: the buffer holds {self._region.dtype}, not "
                             f"{wanted}; use buffer.reinterpret to see it differently")

    def join(self, group: Group) -> None:
        """Become part of a command group (internal; ``handler.require`` for placeholders)."""
        if self._group is group or self._region.memory is _NOTHING:
            return
        group.check_alive()
        self._region.memory.check_open()
        for channel in group.channels():
            self._check_device(channel)
            if channel.recorder is not None:
                self._region.memory.own()  # a graph keeps the memory it was recorded with
        group.add_access(self._access())
        group.remember(self)
        self._group = group

    def rejoin(self, group: Group) -> Access:
        """Stand in a command group of a graph for another accessor (internal)."""
        if not self._placeholder:
            raise UsageError(errc.invalid, "a dynamic_parameter takes placeholder accessors, made "
                             "without a handler")
        self._region.memory.check_open()
        for channel in group.channels():
            self._check_device(channel)
        self._group = group
        return self._access()

    def _check_device(self, channel: Channel) -> None:
        """Sub-buffers must be aligned for the device that uses them (SYCL 2020 §4.7.2.1)."""
        info, size = channel.device.info, self._region.dtype.itemsize
        align = max(1, info.mem_base_addr_align // 8)
        if info.sub_buffers_anywhere:  # but for those that were given larger elements
            align = min(align, size & -size)
        if self._region.start % align:
            raise UsageError(errc.invalid, f"accessor: the sub-buffer starts at byte "
                             f"{self._region.start}, which is not a multiple of the {align} bytes "
                             f"that '{info.name}' needs; start it at a multiple of "
                             f"{max(1, align // size)} elements")
        bound = self._region.memory.bound_context
        if bound is not None and bound is not channel.context:
            raise UsageError(errc.invalid, "accessor: the buffer is bound to another context "
                             "(property.buffer.context_bound); use a queue of that context")

    def is_placeholder(self) -> bool:
        """Say whether the accessor was made without a handler (SYCL 2020 §4.7.6.9)."""
        return self._placeholder

    # ------------------------------------------------------------------ kernels
    def __kernel_type__(self) -> View:
        """Return the type kernels see."""
        return self._type

    def bind(self, group: Group | None, channel: Channel) -> BoundView:
        """Return the argument of a launch in ``group``; refuses any other group."""
        if self._region.memory is _NOTHING:
            return BoundView(_no_elements(self._region.dtype, channel), 0, (0,), (1,))
        if self._group is not group or group is None:
            self._refuse(group)
        if self.target is not target.device:
            raise UsageError(errc.kernel_argument, f"{self!r} is for host tasks; make the "
                             "accessor without a _host_task tag to use it in a kernel")
        return self.bound_window(channel)

    def still(self, group: Group, view: Any) -> bool:
        """Say whether ``bind`` would return this very view of the device's memory."""
        region = self._region
        return (self._group is group and region.is_bound(view, group.channel.driver)
                and self._shape == region.shape and self.target is target.device)

    def lasting(self) -> Any:
        """Return the region, if all of it can be accessed."""
        region = self._region
        return region if self._shape == region.shape and region.memory is not _NOTHING else None

    @property
    def is_ranged(self) -> bool:
        """Whether only a part of the buffer can be accessed (internal)."""
        return bool(self._shape) and self._shape != self._region.shape

    @property
    def whole(self) -> WholeBuffer:
        """What pointers of a ranged accessor point into (internal)."""
        return WholeBuffer(self)

    def from_start(self) -> Array:
        """Return all elements of the buffer, one after another (internal)."""
        return self._region.flat()

    def bound_window(self, channel: Channel) -> BoundView:
        """Return the accessible range in the memory of the channel's device (internal)."""
        region, driver = self._region, channel.driver
        if self._shape == region.shape:
            return region.bound(driver)
        if not self._shape:
            return BoundView(region.bound(driver).memory, 0, (), ())
        return region.window(self._shape, self._offset, driver)

    def on_host(self) -> Access:
        """Return the access that brings the elements to the host (internal)."""
        r = self._region
        return Access(r.memory, r.start, r.stop, access_mode.read, target=target.host_task)

    def _refuse(self, group: Group | None) -> None:
        """Refuse to be used in another group; groups of a graph may share a placeholder."""
        if self._placeholder and group is not None and any(u is self for u in group.users()):
            return
        if group is None:
            raise UsageError(errc.kernel_argument, f"{self!r}: a kernel launched through a "
                             "shortcut of the queue cannot use accessors; use queue.submit and "
                             "make the accessor there, or pass USM memory")
        if self._placeholder:
            raise UsageError(errc.kernel_argument, f"{self!r} is a placeholder that this command "
                             "group does not require; call handler.require(accessor) first")
        raise UsageError(errc.accessor, f"{self!r} is used outside its command group; make an "
                         "accessor with this group's handler")

    # ------------------------------------------------------------------ host tasks
    def open(self) -> None:
        """Let a host task see the elements (internal)."""
        if self.target is target.host_task:
            self._array = self._host_array()

    def shut(self) -> None:
        """End what ``open`` began (internal)."""
        self._array = None

    def _elements(self) -> Array:
        if self._array is None:
            raise UsageError(errc.accessor, f"{self!r}: its elements exist only inside the "
                             "command; use a host_accessor on the host, and in a host task an "
                             "accessor with a tag such as read_write_host_task")
        return self._array

    def get_multi_ptr(self) -> Array:
        """Return the buffer from its start, even if ranged; in host tasks only (§4.7.6.9.1)."""
        self._elements()
        return self._region.flat()

    get_pointer = get_multi_ptr

    def __getitem__(self, index: Any) -> Any:
        return self._elements()[_key(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._elements()[_key(index)] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self._elements().reshape(-1))

    def __reversed__(self) -> Iterator[Any]:
        return iter(self._elements().reshape(-1)[::-1])

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.array(self._elements(), dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        extent = " x ".join(map(str, self._shape)) or "one element"
        state = ", placeholder" if self.is_placeholder() else ""
        return f"<accessor {self.mode.name}: {extent} of {self._region.dtype}{state}>"


class WholeBuffer(Capturable):
    """The buffer behind a ranged accessor, as its pointers see it in kernels (§4.7.6.9.1)."""

    __slots__ = ("_accessor",)

    def __init__(self, of: accessor) -> None:
        self._accessor = of

    def __kernel_type__(self) -> View:
        """Return the type kernels see: one dimension."""
        seen = self._accessor.__kernel_type__()
        return View(seen.elem, 1, seen.space, seen.mode)

    def bind(self, group: Group | None, channel: Channel) -> BoundView:
        """Return the argument of a launch, where the accessor itself may be one."""
        self._accessor.bind(group, channel)
        region = self._accessor._region
        size = math.prod(region.shape)
        return BoundView(region.bound(channel.driver).memory, 0, (size,), (1,))


class local_accessor(HasProperties, Capturable):
    """Memory of a work-group (SYCL 2020 §4.7.6.11); not initialised, not visible to the host.

    Args:
        dtype: the type of an element.
        extent: an int, a tuple or a range; left out: one element.
        rest: the handler (optional here), properties.
    """

    __slots__ = ("__made__", "__weakref__", "_group", "_properties", "_size", "_type", "dtype")
    __class_getitem__: Any = classmethod(GenericAlias)

    def __init__(self, dtype: npt.DTypeLike, extent: Any = None, *rest: Any) -> None:
        self.__made__ = caller()
        if isinstance(extent, Group):
            rest, extent = (extent, *rest), None
        self.dtype = as_dtype("local_accessor", dtype)
        elem = element_type(self.dtype)
        if elem is None:
            raise UsageError(errc.invalid, f"local_accessor: kernels have no type {self.dtype}; "
                             "use bool, an integer, a float or a structured dtype of these")
        shape = () if extent is None or extent == () else tuple(geo.as_range(extent))
        self._size = LocalSize(shape, elem.size)
        self._type = View(elem, len(shape), address_space.local_space, access_mode.read_write)
        self._group = next((r for r in rest if isinstance(r, Group)), None)
        if self._group is not None:
            self._group.check_alive()
        self._properties = properties.check(properties.flatten(
            r for r in rest if not isinstance(r, Group)), "local_accessor")

    def __kernel_type__(self) -> View:
        """Return the type kernels see."""
        return self._type

    def bind(self, group: Group | None, channel: Channel) -> LocalSize:
        """Return the argument of a launch."""
        if self._group is not None and self._group is not group:
            raise UsageError(errc.accessor, f"{self!r} is used outside its command group; make it "
                             "with this group's handler, or without one")
        return self._size

    def still(self, group: Group, view: Any) -> bool:
        """Say whether ``bind`` would return what an earlier launch had."""
        return (self._group is None or self._group is group) and self._size == view

    def lasting(self) -> Any:
        """Return this; of one that is of a command group, whose next one is another, its class."""
        return self if self._group is None else local_accessor

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents, as a tuple of ints."""
        return self._size.shape

    def get_range(self) -> geo.range:
        """Return the extents."""
        return geo.range(*(self._size.shape or (1,)))

    def size(self) -> int:
        """Return the number of elements."""
        return math.prod(self._size.shape)

    def byte_size(self) -> int:
        """Return the bytes of a work-group's copy."""
        return self.size() * self.dtype.itemsize

    def empty(self) -> bool:
        """Say whether there is no element."""
        return self.size() == 0

    def __len__(self) -> int:
        return self.size()

    def __getitem__(self, index: Any) -> Any:
        raise UsageError(errc.accessor, f"{self!r}: local memory exists only inside a kernel")

    def __setitem__(self, index: Any, value: Any) -> None:
        self[index]

    def __copy__(self) -> local_accessor:
        return self

    def __deepcopy__(self, memo: object) -> local_accessor:
        return self

    def __repr__(self) -> str:
        return f"<local_accessor: {' x '.join(map(str, self._size.shape))} of {self.dtype}>"


class work_group_memory(local_accessor):
    """Memory of a work-group that is no accessor (sycl_ext_oneapi_work_group_memory).

    Args:
        dtype: the type of an element.
        extent: an int, a tuple or a range; left out: one number, ``m[0]``.
        rest: the handler (optional here).

    Kernels index it and make pointers of it.
    """

    __slots__ = ()

    def __init__(self, dtype: npt.DTypeLike, extent: Any = None, *rest: Any) -> None:
        if isinstance(extent, Group):
            rest, extent = (extent, *rest), None
        wrong = [r for r in rest if not isinstance(r, Group)]
        if wrong:
            raise UsageError(errc.invalid, f"work_group_memory: did not expect {wrong[0]!r}; give "
                             "(dtype[, extent][, handler])")
        super().__init__(dtype, 1 if extent is None else extent, *rest)

    def __repr__(self) -> str:
        return f"<work_group_memory: {' x '.join(map(str, self._size.shape))} of {self.dtype}>"


def _name(how: tuple[Any, ...]) -> Any:
    """Return what stands for a tag and a property among what was asked for before."""
    return id(how[0]) if len(how) == 1 else tuple(map(id, how))


_MODES = (Tag, access_mode)
_WITH = ((), (properties.no_init,))


def _key(index: Any) -> Any:
    """Turn a SYCL id into what NumPy indexes by."""
    return tuple(index) if isinstance(index, geo.id) else index


class _Nothing:
    """The memory of an empty accessor: none."""

    version = 0
    const = False
    bound_context = None


_NOTHING: Any = _Nothing()


def _no_elements(dtype: np.dtype[Any], channel: Channel) -> Any:
    """Return memory without an element, in a device's own space."""
    memory = channel.driver.allocate(dtype.itemsize)
    return np.empty(0, dtype) if memory is None else memory.view(dtype)[:0]
