"""What accessors are asked for with: tags, ranges, and the window of a buffer they make.

Non-goals: binding to a command group (``accessor``) or blocking the host (``host_accessor``).
Invariant: a window lies inside its buffer; its mode is one the buffer allows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from unisycl.api import properties
from unisycl.api.properties import HasProperties, Property, property_list
from unisycl.base import geometry as geo
from unisycl.base.enums import access_mode, placeholder, target
from unisycl.base.errors import UsageError, errc
from unisycl.base.foreign_objects import native_help
from unisycl.runtime.graph.command_group import Group
from unisycl.runtime.graph.deps import Access
from unisycl.runtime.memory.regions import Region

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Tag:
    """A mode and a target in one word (SYCL 2020 §4.7.6.5): read_only, write_only, ..."""

    name: str
    mode: access_mode
    target: target = target.device

    def __repr__(self) -> str:
        return self.name


read_only = Tag("read_only", access_mode.read)
write_only = Tag("write_only", access_mode.write)
read_write = Tag("read_write", access_mode.read_write)
read_only_host_task = Tag("read_only_host_task", access_mode.read, target.host_task)
write_only_host_task = Tag("write_only_host_task", access_mode.write, target.host_task)
read_write_host_task = Tag("read_write_host_task", access_mode.read_write, target.host_task)


_TARGETS = (target.device, target.host_task)
_INSTEAD = {target.local: "local_accessor", target.host_buffer: "host_accessor"}

_ORIGIN = ((), (0,), (0, 0), (0, 0, 0))


class Request:
    """The arguments of an accessor's constructor, sorted by what they are."""

    __slots__ = ("group", "mode", "offset", "properties", "range", "target")

    def __init__(self, what: str, args: tuple[Any, ...]) -> None:
        self.group: Group | None = None
        self.range: tuple[int, ...] | None = None
        self.offset: tuple[int, ...] | None = None
        self.mode: access_mode | None = None
        self.target = target.device
        given: list[Any] = []
        for arg in args:
            if isinstance(arg, Group):
                if self.group is not None:
                    _once(what, "handler", self.group, arg)
                self.group = arg
            elif isinstance(arg, Tag):
                if self.mode is not None:
                    _once(what, "access mode", self.mode, arg.mode)
                self.mode, self.target = arg.mode, arg.target
            elif isinstance(arg, access_mode):
                if self.mode is not None:
                    _once(what, "access mode", self.mode, arg)
                self.mode = arg.modern()
                given += [properties.no_init] * arg.discards
            elif isinstance(arg, target):
                self.target = arg
            elif isinstance(arg, placeholder):
                continue
            elif isinstance(arg, Property | property_list | type):
                given.append(arg)
            elif arg is not None:
                self._place(what, arg)
        if self.target not in _TARGETS:
            self._older(what)
        self.properties = properties.check(properties.flatten(given), what)

    def _older(self, what: str) -> None:
        """Take a target that SYCL 2020 deprecates as what it means, or say what to use."""
        if self.target is not target.constant_buffer:
            raise UsageError(errc.invalid, f"{what}: target {self.target.name} is another class in "
                             f"SYCL 2020; make a {_INSTEAD[self.target]} instead")
        if self.mode not in (None, access_mode.read):
            raise UsageError(errc.invalid, f"{what}: target constant_buffer is for reading only; "
                             "give read_only, or leave the target out")
        self.target, self.mode = target.device, access_mode.read

    def _place(self, what: str, arg: Any) -> None:
        """The first extent is the range, the second the offset (SYCL 2020 §4.7.6.9.1)."""
        if isinstance(arg, geo.id) or (self.range is not None and self.offset is None):
            self.offset = tuple(geo.as_id(arg))
        elif self.range is None and (isinstance(arg, geo.range | range | tuple | list)
                                     or hasattr(arg, "__index__")):
            self.range = tuple(geo.as_range(arg))
        else:
            raise UsageError(errc.invalid, f"{what}: did not expect a {type(arg).__name__}; give "
                             "(buffer, handler[, range[, offset]][, read_only | write_only | "
                             "read_write][, no_init])")


def _once(what: str, noun: str, before: object, now: object) -> None:
    if before is not now:
        raise UsageError(errc.invalid, f"{what}: more than one {noun} was given; give one")


class Backed:
    """What has a region of buffer memory: a buffer; accessors are made over these."""

    __slots__ = ()
    region: Region
    __accessor__: Any = None
    """The class of its accessors, where that is another one."""


class Window(HasProperties):
    """A range of a buffer with a mode: what accessors and host accessors have in common."""

    __slots__ = ("_offset", "_properties", "_region", "_shape", "buffer", "mode", "target")

    buffer: Backed
    mode: access_mode
    target: target
    _region: Region
    _shape: tuple[int, ...]
    _offset: tuple[int, ...]

    def _setup(self, what: str, source: Any, request: Request, dimensions: int | None) -> None:
        if not isinstance(source, Backed):
            raise UsageError(errc.invalid, f"{what}: expected a buffer first, got "
                             f"{type(source).__name__}{native_help(source)}")
        refusal = getattr(type(source), "__host_refusal__", None)
        if refusal is not None and what == "host_accessor":
            raise UsageError(errc.invalid, f"{what}: {refusal}")
        source.region.memory.check_open()
        self.buffer = source
        region = self._region = source.region
        memory = source.region.memory
        const = memory.const
        default = access_mode.read if const or memory.fixed else access_mode.read_write
        self.mode = request.mode or default
        self.target = request.target
        self._properties = request.properties
        if self.mode.writes and const:
            raise UsageError(errc.invalid, f"{what}: the buffer is over native memory that kernels "
                             "may only read, so only read_only accessors are allowed; to write "
                             "make the native memory read-write")
        if memory.borrowed and self.mode.writes:
            memory.own()
        if self.mode is access_mode.read and self.has_property(properties.property.no_init):
            raise UsageError(errc.invalid, f"{what}: no_init and read_only contradict each other; "
                             "drop one of them")
        if dimensions is not None:
            self._check_dimensions(what, dimensions)
        if dimensions == 0:
            self._shape, self._offset = (), _ORIGIN[len(region.shape)]
        else:
            self._window(what, request)

    def _check_dimensions(self, what: str, dimensions: int) -> None:
        shape = self._region.shape
        if dimensions not in (0, len(shape)):
            raise UsageError(errc.invalid, f"{what}: dimensions={dimensions!r}, but the buffer has "
                             f"{len(shape)}; leave it out, or give 0 for the first element only")
        if dimensions == 0 and not math.prod(shape):
            raise UsageError(errc.invalid, f"{what}: the buffer has no element, so an accessor of "
                             "0 dimensions has none to denote")

    def _window(self, what: str, request: Request) -> None:
        whole = self._region.shape
        if request.range is None and request.offset is None:
            self._shape, self._offset = whole, _ORIGIN[len(whole)]
            return
        shape = whole if request.range is None else request.range
        offset = (0,) * len(whole) if request.offset is None else request.offset
        if len(shape) != len(whole) or len(offset) != len(whole):
            raise UsageError(errc.invalid, f"{what}: range {shape} and offset {offset} must have "
                             f"the buffer's {len(whole)} dimension(s)")
        if any(o < 0 or o + s > w for o, s, w in zip(offset, shape, whole, strict=True)):
            raise UsageError(errc.invalid, f"{what}: range {shape} at offset {offset} exceeds the "
                             f"buffer's range {whole}")
        self._shape, self._offset = shape, offset

    def _access(self) -> Access:
        """A ranged accessor is a requisite on the whole buffer (SYCL 2020 §4.7.6.8).

        What lies outside its range keeps its value, whatever ``no_init`` says.
        """
        r = self._region
        fresh = self._shape == r.shape and self.has_property(properties.property.no_init)
        return Access(r.memory, r.start, r.stop, self.mode, fresh, self.target)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of an element."""
        return self._region.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents, as a tuple of ints."""
        return self._shape

    def get_range(self) -> geo.range:
        """Return the accessible range."""
        return geo.range(*(self._shape or (1,)))

    def get_offset(self) -> geo.id:
        """Return where the accessible range starts in the buffer."""
        return geo.id(*self._offset)

    def size(self) -> int:
        """Return the number of accessible elements."""
        return math.prod(self._shape)

    def byte_size(self) -> int:
        """Return the bytes of the accessible elements."""
        return self.size() * self._region.dtype.itemsize

    def max_size(self) -> int:
        """Return the largest size; deprecated in SYCL 2020."""
        return self.size()

    def empty(self) -> bool:
        """Say whether there is no accessible element."""
        return self.size() == 0

    def __len__(self) -> int:
        return self.size()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __float__(self) -> float:
        """Return the element of an accessor of 0 dimensions (SYCL 2020 §4.7.6.9.1)."""
        return float(np.asarray(self))

    def __int__(self) -> int:
        return int(np.asarray(self))

    def __complex__(self) -> complex:
        return complex(np.asarray(self))

    def swap(self, other: Self) -> None:
        """Exchange what two accessors of one kind denote (SYCL 2020 §4.7.6.12)."""
        if type(other) is not type(self):
            raise UsageError(errc.invalid, f"swap: expected another {type(self).__name__}, got "
                             f"{type(other).__name__}")
        names = [n for kind in type(self).__mro__ for n in getattr(kind, "__slots__", ())
                 if n != "__weakref__"]
        for name in names:
            mine, theirs = getattr(self, name), getattr(other, name)
            setattr(self, name, theirs)
            setattr(other, name, mine)

    def _host_array(self) -> Array:
        """Return the window as an array over the memory itself, read-only if the mode is."""
        if self._shape or not self._offset:
            array = self._region.array(self._shape, self._offset)
        else:
            array = self._region.flat()[:1].reshape(())
        array = array.view()
        if not self.mode.writes:
            array.flags.writeable = False
        return array
