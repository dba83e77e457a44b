"""Buffers: arrays shared by commands in an order that their accessors define (SYCL 2020 §4.7.2).

Non-goals: where the bytes lie and when they are written back (``runtime.memory``). Invariants: a
buffer over a NumPy array uses that array in place; sub-buffers and reinterpretations keep their
base alive.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterable
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from unisycl.api import properties
from unisycl.api.access import Backed
from unisycl.api.accessor import accessor
from unisycl.api.host_accessor import host_accessor
from unisycl.api.properties import HasProperties, Property, property_list
from unisycl.base import geometry as geo
from unisycl.base.errors import UsageError, errc
from unisycl.ir.types import element_type
from unisycl.runtime.memory import Array, BufferMemory
from unisycl.runtime.regions import Region

_TARGET_HELP = "pass a writable array, a weak reference to one, a callable, or None"


class buffer(Backed, HasProperties):
    """A one- to three-dimensional array for kernels (SYCL 2020 §4.7.2).

    Args:
        source: a NumPy array (used in place; read-only if the array is), any object with a
            writable buffer (``bytearray``, ``array.array``), an iterable of values (copied, never
            written back), a range, an int or a tuple of ints (uninitialised), or a buffer
            (with an offset and a range: a sub-buffer).
        args: an extent for ``source``, or offset and range of a sub-buffer; properties.
        dtype: the type of an element; for an uninitialised buffer float64 if left out.

    Leaving a ``with`` block, ``close()`` and garbage collection wait for the work and write back.
    Example::

        with unisycl.buffer(x) as bx:
            ...
    """

    __slots__ = ("__weakref__", "_finalizer", "_properties", "_root", "region")
    __kernel_refusal__ = "make an accessor of it in the command group and use that"

    def __init__(self, source: Any, *args: Any, dtype: npt.DTypeLike | None = None) -> None:
        places = [a for a in args if not _is_property(a)]
        self._properties = properties.check(
            properties.flatten(a for a in args if _is_property(a)), "buffer")
        self._root: buffer = self
        if isinstance(source, buffer):
            self._root = source._root
            self.region = _sub_region(source, places)
            return
        if dtype is None and len(places) > 1 and not isinstance(places[-1], geo.range | int):
            dtype = places.pop()
        self.region = _make_region(source, places, dtype)
        bound = next((p for p in self._properties
                      if isinstance(p, properties.property.buffer.context_bound)), None)
        if bound is not None:
            self.region.memory.bound_context = bound.get_context().state
        self._finalizer = weakref.finalize(self, self.region.memory.finalize)

    # ------------------------------------------------------------------ asking
    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of an element."""
        return self.region.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents, as NumPy has them."""
        return self.region.shape

    def get_range(self) -> geo.range:
        """Return the extents."""
        return geo.range(*self.region.shape)

    def size(self) -> int:
        """Return the number of elements."""
        return math.prod(self.region.shape)

    def byte_size(self) -> int:
        """Return the number of bytes."""
        return self.size() * self.dtype.itemsize

    def get_count(self) -> int:
        """Return the number of elements; deprecated in SYCL 2020."""
        return self.size()

    def get_size(self) -> int:
        """Return the number of bytes; deprecated in SYCL 2020."""
        return self.byte_size()

    def is_sub_buffer(self) -> bool:
        """Say whether the buffer was made from a part of another (SYCL 2020 §4.7.2.2)."""
        return self.region.start > 0 or self.region.stop < self._root.region.stop

    def __len__(self) -> int:
        return self.size()

    # ------------------------------------------------------------------ views
    def reinterpret(self, dtype: npt.DTypeLike, extent: Any = None) -> buffer:
        """Return the same bytes as another type and shape (SYCL 2020 §4.7.2.2).

        Raises ``errc.invalid`` if the sizes in bytes differ.
        """
        kind = _checked_dtype(np.dtype(dtype))
        have = self.byte_size()
        if extent is not None:
            shape = tuple(geo.as_range(extent))
        elif kind.itemsize == self.dtype.itemsize:
            shape = self.shape
        elif len(self.shape) == 1 and have % kind.itemsize == 0:
            shape = (have // kind.itemsize,)
        else:
            raise UsageError(errc.invalid, f"reinterpret: {have} bytes in {len(self.shape)} "
                             f"dimension(s) have no evident range as {kind}; give one")
        need = math.prod(shape) * kind.itemsize
        if need != have:
            raise UsageError(errc.invalid, f"reinterpret: {shape} of {kind} takes {need} bytes; "
                             f"the buffer has {have}")
        return self._view(Region(self.region.memory, kind, shape, self.region.start))

    def _view(self, region: Region) -> buffer:
        made = object.__new__(buffer)
        made._root, made.region, made._properties = self._root, region, self._properties
        return made

    def get_access(self, *args: Any) -> accessor:
        """Return ``accessor(self, *args)``."""
        return accessor(self, *args)

    def get_host_access(self, *args: Any) -> host_accessor:
        """Return ``host_accessor(self, *args)``."""
        return host_accessor(self, *args)

    # ------------------------------------------------------------------ the end
    def set_final_data(self, target: Any = None) -> None:
        """Say where the contents go at the end; None: nowhere (SYCL 2020 §4.7.2.2).

        Args:
            target: a writable array, a weak reference to one, or a callable that gets the bytes.

        What earlier commands wrote into the source array in place stays written.
        """
        _check_target(target, self.region.memory.nbytes)
        memory = self.region.memory
        memory.check_open()
        memory.detach()
        memory.target = target

    def set_write_back(self, flag: bool = True) -> None:
        """Allow or cancel writing back at the end (SYCL 2020 §4.7.2.2)."""
        memory = self.region.memory
        memory.check_open()
        if not flag:
            memory.detach()
        memory.write_back = bool(flag)

    def close(self) -> None:
        """Wait for the work, write back, and refuse further use; idempotent.

        Raises the error of a command that failed if no handler will see it. Closing a sub-buffer
        or a reinterpretation does nothing: the base owns the memory.
        """
        if self._root is self:
            self.region.memory.close()

    def __enter__(self) -> Self:
        self.region.memory.check_open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __copy__(self) -> buffer:
        return self

    def __deepcopy__(self, memo: object) -> buffer:
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, buffer):
            return NotImplemented
        a, b = self.region, other.region
        return a is b or (a.memory is b.memory and (a.dtype, a.shape, a.start) == (
            b.dtype, b.shape, b.start))

    def __hash__(self) -> int:
        return hash((id(self.region.memory), self.region.shape, self.region.start))

    def __repr__(self) -> str:
        extent = " x ".join(map(str, self.shape))
        part = ", sub-buffer" if self.is_sub_buffer() else ""
        state = ", closed" if self.region.memory.closed else ""
        return f"<buffer: {extent} of {self.dtype}{part}{state}>"


def _is_property(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return bool(value) and all(_is_property(v) for v in value)
    return isinstance(value, Property | property_list) or properties.is_property(value)


def _make_region(source: Any, places: list[Any], dtype: npt.DTypeLike | None) -> Region:
    """Return the region of a new buffer, by the kind of its source."""
    if _is_extent(source):
        shape = tuple(geo.as_range(source))
        kind = _checked_dtype(np.dtype(places[0] if places and dtype is None else
                                       np.float64 if dtype is None else dtype))
        return Region(BufferMemory(math.prod(shape) * kind.itemsize), kind, shape)
    if source is None:
        raise UsageError(errc.invalid, "buffer: expected an array, values or a range, got None")
    array, in_place = _as_array(source, dtype)
    if places:
        shape = tuple(geo.as_range(places[0]))
        if math.prod(shape) != array.size:
            raise UsageError(errc.invalid, f"buffer: the range {shape} has {math.prod(shape)} "
                             f"elements, the data {array.size}")
        array = array.reshape(shape)
    return _array_region(array, in_place=in_place)


def _is_extent(source: Any) -> bool:
    if isinstance(source, tuple):
        return 0 < len(source) <= 3 and all(isinstance(v, int | np.integer) for v in source)
    return isinstance(source, geo.range) or (
        hasattr(source, "__index__") and not isinstance(source, np.ndarray))


def _as_array(source: Any, dtype: npt.DTypeLike | None) -> tuple[Array, bool]:
    """Return data as an array, and whether it is the user's own memory."""
    if isinstance(source, np.ndarray):
        if dtype is not None and source.dtype != np.dtype(dtype):
            raise UsageError(errc.invalid, f"buffer: the array holds {source.dtype}, not "
                             f"{np.dtype(dtype)}; convert it with astype first")
        return source, True
    try:
        view = memoryview(source)
    except TypeError:
        view = None
    if view is not None:
        if dtype is None:
            return np.asarray(view), True
        return np.frombuffer(view, dtype), True
    if hasattr(source, "__array_interface__"):
        return np.asarray(source), True
    if not isinstance(source, Iterable):
        raise UsageError(errc.invalid, "buffer: expected an array, an iterable of values, a range "
                         f"or a buffer, got {type(source).__name__}")
    try:
        return np.array(list(source), dtype), False
    except (ValueError, TypeError) as err:
        raise UsageError(errc.invalid, f"buffer: the values do not form an array: {err}") from err


def _array_region(array: Array, *, in_place: bool) -> Region:
    kind = _checked_dtype(array.dtype)
    if array.ndim > 3:
        raise UsageError(errc.invalid, f"buffer: an array of {array.ndim} dimensions; buffers have "
                         "1 to 3; reshape it")
    if not array.flags.c_contiguous:
        raise UsageError(errc.invalid, "buffer: the array is not C-contiguous (a slice with a "
                         "step, a transpose or Fortran order), so it cannot be used in place; pass "
                         "np.ascontiguousarray(array), and copy the result back if it is needed")
    if not array.flags.aligned:
        raise UsageError(errc.invalid, "buffer: the array's elements are not aligned in memory; "
                         "pass array.copy()")
    shape = array.shape or (1,)
    flat = array.reshape(-1).view(np.uint8)
    writable = bool(array.flags.writeable)
    target = array if in_place and writable else None
    memory = BufferMemory(array.nbytes, flat, const=in_place and not writable, target=target)
    return Region(memory, kind, shape)


def _checked_dtype(kind: np.dtype[Any]) -> np.dtype[Any]:
    if element_type(kind) is None:
        if not kind.isnative:
            raise UsageError(errc.invalid, f"buffer: {kind} has another byte order than the "
                             "machine; convert it with astype(dtype.newbyteorder('='))")
        raise UsageError(errc.invalid, f"buffer: kernels have no type {kind}; use bool, int8 to "
                         "uint64, float16 to float64, or a structured dtype of these")
    return kind


def _sub_region(base: buffer, places: list[Any]) -> Region:
    """Return the region of a sub-buffer (SYCL 2020 §4.7.2.1): contiguous and inside its base."""
    if len(places) != 2:
        raise UsageError(errc.invalid, "buffer: a sub-buffer is made by buffer(base, offset, "
                         "range)")
    if base.is_sub_buffer():
        raise UsageError(errc.invalid, "buffer: the base is a sub-buffer itself; make this one "
                         "from the whole buffer")
    base.region.memory.check_open()
    offset, shape, whole = tuple(geo.as_id(places[0])), tuple(geo.as_range(places[1])), base.shape
    if len(offset) != len(whole) or len(shape) != len(whole):
        raise UsageError(errc.invalid, f"buffer: offset {offset} and range {shape} must have the "
                         f"base's {len(whole)} dimension(s)")
    if any(o < 0 or o + s > w for o, s, w in zip(offset, shape, whole, strict=True)):
        raise UsageError(errc.invalid, f"buffer: range {shape} at offset {offset} exceeds the "
                         f"base's range {whole}")
    inner = next((d for d, s in enumerate(shape) if s > 1), len(shape))
    if any(shape[d] != whole[d] for d in range(inner + 1, len(shape))):
        raise UsageError(errc.invalid, f"buffer: range {shape} at offset {offset} is not "
                         f"contiguous in the base's range {whole}; only the first "
                         "dimension larger than 1 may be cut")
    region = base.region
    start = sum(o * p for o, p in zip(offset, region.pitches, strict=True)) * base.dtype.itemsize
    return Region(region.memory, base.dtype, shape, region.start + start)


def _check_target(target: Any, nbytes: int) -> None:
    array = target() if isinstance(target, weakref.ref) else target
    if array is None or callable(array):
        return
    if not isinstance(array, np.ndarray):
        raise UsageError(errc.invalid, f"set_final_data: got {type(array).__name__}; "
                         f"{_TARGET_HELP}")
    if not array.flags.writeable:
        raise UsageError(errc.invalid, f"set_final_data: the array is read-only; {_TARGET_HELP}")
    if array.nbytes < nbytes:
        raise UsageError(errc.invalid, f"set_final_data: the array has {array.nbytes} bytes, the "
                         f"buffer {nbytes}; give one of at least that size")
