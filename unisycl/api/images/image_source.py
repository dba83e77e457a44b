"""What an image may be made from, and which memory that gives it (SYCL 2020 §4.7.3).

Non-goals: the image itself. Invariant: extents are given and answered with x first; in memory x is
the last dimension, as in a NumPy array of rows of pixels.
"""

from __future__ import annotations

import math
import weakref
from dataclasses import dataclass
from typing import Any

from unisycl.api.memory.exchange import as_host_array
from unisycl.api.memory.shared_ptr import shared_ptr
from unisycl.base import geometry as geo
from unisycl.base.errors import UsageError, errc
from unisycl.base.image_formats import (
    PixelFormat,
    find_format,
    image_channel_order,
    image_channel_type,
    image_format,
)
from unisycl.runtime.memory.allocation import Allocator, Array, allocate
from unisycl.runtime.memory.images import ImageMemory, PixelLayout, as_pixels, bytes_of

_HELP = ("pass an array of rows of pixels, such as (height, width, 4) of the format's channel type,"
         " or contiguous memory with a range")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a constructor asks for: extents x first, pitches in bytes, or None where left open."""

    what: str
    form: PixelFormat
    extent: tuple[int, ...] | None
    pitch: tuple[int, ...] | None
    const: bool
    in_place: bool
    allocator: Allocator | None = None


def as_format(what: str, spec: Any) -> PixelFormat:
    """Return the format of ``image_format`` or of a channel order and type."""
    pair = isinstance(spec, tuple) and len(spec) == 2 and isinstance(
        spec[0], image_channel_order) and isinstance(spec[1], image_channel_type)
    if not pair and not isinstance(spec, image_format):
        raise UsageError(errc.invalid, f"{what}: expected an image_format, or a tuple of "
                         f"image_channel_order and image_channel_type, got {spec!r}")
    found = find_format(spec)
    if found is None:
        raise UsageError(errc.invalid, f"{what}: no device has images of channel order "
                         f"{spec[0].name} with channel type {spec[1].name}; use another pair, or "
                         "one of image_format")
    return found


def is_format(spec: Any) -> bool:
    """Say whether an argument names a format."""
    return isinstance(spec, image_format) or (
        isinstance(spec, tuple) and bool(spec) and isinstance(spec[0], image_channel_order))


def as_extent(what: str, extent: Any) -> tuple[int, ...]:
    """Return an image's extents; each must be positive (SYCL 2020 §3.11)."""
    found = tuple(geo.as_range(extent))
    if 0 in found:
        raise UsageError(errc.invalid, f"{what}: the range {found} has no pixels; an image has at "
                         "least one")
    return found


def as_pitch(what: str, pitch: Any, extent: tuple[int, ...] | None) -> tuple[int, ...]:
    """Return pitches in bytes: of rows, and of slices in three dimensions."""
    if extent is None:
        raise UsageError(errc.invalid, f"{what}: a pitch needs a range before it")
    found = tuple(geo.as_range(pitch))
    if len(found) != len(extent) - 1:
        raise UsageError(errc.invalid, f"{what}: an image of {len(extent)} dimension(s) has "
                         f"{len(extent) - 1} pitch(es), not {len(found)}")
    return found


def make_memory(host: Any, wanted: Wanted) -> ImageMemory:
    """Return the memory of a new image; ``host`` is None for one that is not initialised."""
    if host is None:
        if wanted.extent is None:
            raise UsageError(errc.invalid, f"{wanted.what}: without data the range is needed")
        return ImageMemory(_layout(wanted, wanted.extent, wanted.pitch),
                           allocator=wanted.allocator)
    if isinstance(host, shared_ptr):
        return _shared(host, wanted)
    array = _as_array(wanted, host)
    if wanted.extent is None or wanted.pitch is None:
        pixels = _pixels(wanted, array)
        if pixels is not None:
            return _over_pixels(wanted, array, pixels)
    if wanted.extent is None:
        raise UsageError(errc.invalid, f"{wanted.what}: an array of shape {array.shape} and "
                         f"{array.dtype} is no picture of {wanted.form}; {_HELP}")
    return _over_bytes(wanted, array, wanted.extent)


def _shared(owner: shared_ptr, wanted: Wanted) -> ImageMemory:
    """Return memory that the program owns too: written back while it still does."""
    memory = make_memory(owner.get(), wanted)
    if memory.target is not None:
        memory.target = weakref.ref(owner)
        memory.blocking = False
    return memory


def _as_array(wanted: Wanted, host: Any) -> Array:
    found = as_host_array(host)
    if found is not None:
        return found
    raise UsageError(errc.invalid, f"{wanted.what}: expected an array or memory, got "
                     f"{type(host).__name__}; {_HELP}")


def _layout(wanted: Wanted, extent: tuple[int, ...], pitch: tuple[int, ...] | None) -> PixelLayout:
    """Return the layout of extents and pitches in bytes, x first; refuse pitches that overlap."""
    size, steps = wanted.form.size, [1]
    for k, least in enumerate(extent[:-1]):
        need = steps[-1] * least
        given = need * size if pitch is None else pitch[k]
        if given < need * size or given % size:
            which = ("row", "slice")[k]
            raise UsageError(errc.invalid, f"{wanted.what}: a {which} pitch of {given} bytes is "
                             f"not possible: it must be at least {need * size} and a multiple of "
                             f"the {size} bytes of a pixel")
        steps.append(given // size)
    return PixelLayout(size, extent[::-1], tuple(steps[::-1]))


def _pixels(wanted: Wanted, array: Array) -> Array | None:
    """Return an array as pixels if its shape is that of a picture of the format."""
    if wanted.extent is not None:
        return as_pixels(array, wanted.form.size, wanted.extent[::-1])
    for ndim in (array.ndim - 1, array.ndim):
        if 1 <= ndim <= 3 and (ndim < array.ndim or array.itemsize == wanted.form.size):
            found = as_pixels(array, wanted.form.size, array.shape[:ndim])
            if found is not None:
                return found
    return None


def _over_pixels(wanted: Wanted, array: Array, pixels: Array) -> ImageMemory:
    extent = as_extent(wanted.what, pixels.shape[::-1])
    size = wanted.form.size
    step, pitch = pixels.strides[-1], tuple(reversed(pixels.strides[:-1]))
    if pixels.shape[-1] > 1 and step != size:
        raise UsageError(errc.invalid, f"{wanted.what}: the array's pixels do not follow one "
                         "another along x (a slice with a step, or a transpose); pass "
                         "np.ascontiguousarray(array)")
    if any(p % size or p < size for p in pitch):
        raise UsageError(errc.invalid, f"{wanted.what}: the array's rows are {pitch} bytes apart, "
                         f"which is no pitch of pixels of {size} bytes; pass "
                         "np.ascontiguousarray(array)")
    layout = _layout(wanted, extent, tuple(
        p if e > 1 else size * math.prod(extent[:k + 1])
        for k, (p, e) in enumerate(zip(pitch, extent[1:], strict=True))))
    return _memory(wanted, array, layout, contiguous=bytes_of(pixels, layout.nbytes))


def _over_bytes(wanted: Wanted, array: Array, extent: tuple[int, ...]) -> ImageMemory:
    layout = _layout(wanted, extent, wanted.pitch)
    if not array.flags.c_contiguous:
        raise UsageError(errc.invalid, f"{wanted.what}: the array is not C-contiguous and has not "
                         f"the image's shape {layout.shape}; {_HELP}")
    if array.nbytes < layout.nbytes or (wanted.pitch is None and array.nbytes != layout.nbytes):
        raise UsageError(errc.invalid, f"{wanted.what}: an image of range {extent} takes "
                         f"{layout.nbytes} bytes as {wanted.form}; the data has {array.nbytes}")
    return _memory(wanted, array, layout, contiguous=bytes_of(array, layout.nbytes))


def _memory(wanted: Wanted, array: Array, layout: PixelLayout, *,
            contiguous: Array) -> ImageMemory:
    """Return memory over the user's own, or over a copy where its address is not aligned."""
    const = wanted.const or not array.flags.writeable
    fits = contiguous.ctypes.data % wanted.form.word.size == 0
    if not fits:
        if wanted.in_place:
            raise UsageError(errc.invalid, f"{wanted.what}: the data is not aligned to "
                             f"{wanted.form.word.size} bytes, so property.image.use_host_ptr "
                             "cannot be kept; pass a copy of it")
        copy = allocate(layout.nbytes, wanted.allocator)
        copy[:] = contiguous
        contiguous = copy
    memory = ImageMemory(layout, contiguous, const=const, target=None if const else array,
                         allocator=wanted.allocator)
    memory.blocking = True
    return memory
