"""What a buffer may be made from, and which memory that gives it (SYCL 2020 §4.7.2.1).

Non-goals: the buffer itself. Invariant: an array that is used in place is C-contiguous, aligned and
of a type kernels have.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.api.memory.exchange import as_host_array
from unisycl.api.memory.shared_ptr import shared_ptr
from unisycl.base import geometry as geo
from unisycl.base.dtypes import alike, as_dtype
from unisycl.base.errors import UsageError, errc
from unisycl.base.foreign_objects import is_masked, native_help
from unisycl.base.strides import pitches, shares_elements
from unisycl.ir.types import element_type
from unisycl.runtime.memory.allocation import Array, allocate
from unisycl.runtime.memory.buffers import BufferMemory
from unisycl.runtime.memory.regions import Region
from unisycl.runtime.memory.usm import check_alive

_TARGET_HELP = "pass a writable array, a weak reference to one, a callable, or None"


def make_region(source: Any, places: list[Any], dtype: npt.DTypeLike | None,
                allocator: Any = None) -> Region:
    """Return the region of a new buffer, by the kind of its source."""
    if _is_extent(source):
        shape = tuple(geo.as_range(source))
        if dtype is None:
            dtype = places.pop(0) if places else np.float64
        _no_more(places)
        kind = checked_dtype(as_dtype("buffer", dtype))
        memory = BufferMemory(math.prod(shape) * kind.itemsize, allocator=allocator)
        return Region(memory, kind, shape)
    _refuse_source(source)
    if isinstance(source, shared_ptr):
        return _shared_region(source, places, dtype, allocator)
    if dtype is None and places and _is_dtype(places[-1]):
        dtype = places.pop()
    array, in_place = _as_array(source, None if dtype is None else as_dtype("buffer", dtype))
    return _array_region(array, _shape(array, places), in_place=in_place, allocator=allocator)


def _shared_region(owner: shared_ptr, places: list[Any], dtype: npt.DTypeLike | None,
                   allocator: Any) -> Region:
    """Return a region over data the program owns too; an empty owner gives no initial data."""
    array = owner.get()
    if array is None:
        if not places:
            raise UsageError(errc.invalid, "buffer: an empty shared_ptr needs a range after it")
        return make_region(geo.as_range(places[0]), places[1:], dtype, allocator)
    array, _ = _as_array(array, None if dtype is None else as_dtype("buffer", dtype))
    region = _array_region(array, _shape(array, places), in_place=True, allocator=allocator)
    if region.memory.target is not None:
        region.memory.target = weakref.ref(owner)
        region.memory.blocking = False
    return region


def _refuse_source(source: Any) -> None:
    """Refuse objects that NumPy would silently turn into an unwanted array."""
    if isinstance(source, Mapping | Set):
        raise UsageError(errc.invalid, f"buffer: a {type(source).__name__} has no order; make a "
                         "list or an array of what you mean, e.g. list(d.values()) or sorted(s)")
    if isinstance(source, type | np.dtype):
        raise UsageError(errc.invalid, "buffer: expected data or a range first, got the type "
                         f"{getattr(source, '__name__', source)}; write buffer(n, dtype=...)")
    if source is None or isinstance(source, bool | np.bool_ | np.number):
        raise UsageError(errc.invalid, "buffer: expected an array, values or a range, got "
                         f"{source!r}; for one element write [{source!r}]")
    if is_masked(source):
        raise UsageError(errc.invalid, "buffer: kernels know nothing of the mask of a masked "
                         "array; pass array.filled(value), or array.data to use all elements")


def _is_dtype(place: Any) -> bool:
    """Say whether a positional argument is a type rather than an extent."""
    return isinstance(place, type | np.dtype | str)


def _no_more(places: list[Any]) -> None:
    """Refuse arguments that have no meaning."""
    if places:
        raise UsageError(errc.invalid, f"buffer: did not expect {places[0]!r}; give (data or "
                         "range[, range][, allocator][, properties][, dtype=...]), or (buffer, "
                         "offset, range) for a sub-buffer")


def _shape(array: Array, places: list[Any]) -> tuple[int, ...]:
    """Return the extents of a buffer over an array: its own, or those given behind it."""
    if not places:
        return array.shape or (1,)
    if not isinstance(places[0], geo.range | range | list | tuple) and not hasattr(
            places[0], "__index__"):
        _no_more(places)
    _no_more(places[1:])
    shape = tuple(geo.as_range(places[0]))
    if math.prod(shape) != array.size:
        raise UsageError(errc.invalid, f"buffer: the range {shape} has {math.prod(shape)} "
                         f"elements, the data {array.size}")
    return shape


def _is_extent(source: Any) -> bool:
    if isinstance(source, bool | type):
        return False
    if isinstance(source, tuple):
        return 0 < len(source) <= 3 and all(isinstance(v, int | np.integer) for v in source)
    return isinstance(source, geo.range) or (  # arrays of other libraries have __index__, too
        hasattr(source, "__index__") and not isinstance(source, np.ndarray)
        and not getattr(source, "shape", ()))


def _as_array(source: Any, dtype: np.dtype[Any] | None) -> tuple[Array, bool]:
    """Return data as an array, and whether it is the user's own memory."""
    found = as_host_array(source)
    if found is not None:
        if dtype is None or alike(found.dtype, dtype):
            return found, True
        if found.dtype == dtype:  # the layout of another class
            return found.view(dtype), True
        if hasattr(source, "dtype"):
            raise UsageError(errc.invalid, f"buffer: the array holds {found.dtype}, not {dtype}; "
                             "convert it with astype first")
        if not found.flags.c_contiguous or not dtype.itemsize or found.nbytes % dtype.itemsize:
            raise UsageError(errc.invalid, f"buffer: the {found.nbytes} bytes of a "
                             f"{type(source).__name__} are no whole elements of {dtype}")
        return found.reshape(-1).view(np.uint8).view(dtype), True  # bytes have no type of their own
    if not isinstance(source, Iterable):
        raise UsageError(errc.invalid, "buffer: expected an array, an iterable of values, a range "
                         f"or a buffer, got {type(source).__name__}{native_help(source)}")
    try:
        return np.array(list(source), dtype), False
    except (ValueError, TypeError) as err:
        raise UsageError(errc.invalid, f"buffer: the values do not form an array: {err}") from err


def _array_region(array: Array, shape: tuple[int, ...], *, in_place: bool,
                  allocator: Any) -> Region:
    kind = checked_dtype(array.dtype)
    check_alive(array)
    if len(shape) > 3:
        raise UsageError(errc.invalid, f"buffer: an array of {len(shape)} dimensions; buffers have "
                         "1 to 3; reshape it")
    if not array.flags.aligned:
        raise UsageError(errc.invalid, "buffer: the array's elements are not aligned in memory; "
                         "pass array.copy()")
    writable = bool(array.flags.writeable)
    target = array if in_place and writable else None
    dense = bool(array.flags.c_contiguous)
    if target is not None and not dense:
        _check_distinct(array)
    if not dense or (allocator is not None and not in_place):
        flat = allocate(array.nbytes, allocator)
        flat.view(kind).reshape(array.shape)[...] = array
        memory = BufferMemory(array.nbytes, flat, target=target, allocator=allocator)
        memory.copied_from = target
    else:
        memory = BufferMemory(array.nbytes, array.reshape(-1).view(np.uint8), target=target,
                              borrowed=in_place and not writable, allocator=allocator)
    memory.fixed = in_place and not writable
    return Region(memory, kind, shape)


def _check_distinct(array: Array) -> None:
    """Refuse an array to be written back to of which two indices may lead to one element."""
    steps = pitches(array)
    if steps is None:  # a member of records, say: compared in bytes
        size, steps = array.itemsize, array.strides
        shared = shares_elements((*array.shape, size), (*steps, 1))
    else:
        shared = shares_elements(array.shape, steps)
    if shared:
        raise UsageError(errc.invalid, "buffer: several indices of the array lead to one element, "
                         "so that results could not be written back; pass array.copy()")


def checked_dtype(kind: np.dtype[Any]) -> np.dtype[Any]:
    """Return a type that kernels have; ``errc.invalid`` for any other."""
    if element_type(kind) is None:
        if not kind.isnative:
            raise UsageError(errc.invalid, f"buffer: {kind} has another byte order than the "
                             "machine; convert it with astype(dtype.newbyteorder('='))")
        raise UsageError(errc.invalid, f"buffer: kernels have no type {kind}; use bool, int8 to "
                         "uint64, float16 to float64, or a structured dtype of these")
    return kind


def sub_region(base: Any, places: list[Any], dtype: npt.DTypeLike | None = None) -> Region:
    """Return the region of a sub-buffer (SYCL 2020 §4.7.2.1): contiguous and inside its base.

    ``base`` is the buffer it is made from; without an offset and a range, all of it.
    """
    if dtype is not None and not alike(as_dtype("buffer", dtype), base.dtype):
        raise UsageError(errc.invalid, f"buffer: the base holds {base.dtype}, not "
                         f"{as_dtype('buffer', dtype)}; use base.reinterpret to see it differently")
    if not places:
        base.region.memory.check_open()
        return base.region  # type: ignore[no-any-return]
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


def checked_target(target: Any, nbytes: int, kind: np.dtype[Any]) -> Any:
    """Return what ``set_final_data`` is to write to; refuse what cannot take so many bytes.

    Objects with a buffer, and arrays of other libraries, are returned as arrays over their memory.
    """
    is_weak = isinstance(target, weakref.ref)
    held = target() if is_weak else target
    array = held.get() if isinstance(held, shared_ptr) else held
    if array is None or callable(array):
        return target
    array = as_host_array(array)
    if array is None or (is_weak and not isinstance(held, np.ndarray | shared_ptr)):
        raise UsageError(errc.invalid, f"set_final_data: got {type(held).__name__}; "
                         f"{_TARGET_HELP}")
    if not array.flags.writeable:
        raise UsageError(errc.invalid, f"set_final_data: the array is read-only; {_TARGET_HELP}")
    if array.dtype not in (kind, np.uint8):
        raise UsageError(errc.invalid, f"set_final_data: the array holds {array.dtype}, the "
                         f"buffer {kind}; give an array of that type, or its bytes "
                         "(array.view(numpy.uint8))")
    if array.nbytes < nbytes:
        raise UsageError(errc.invalid, f"set_final_data: the array has {array.nbytes} bytes, the "
                         f"buffer {nbytes}; give one of at least that size")
    return target if is_weak or isinstance(held, shared_ptr) else array
