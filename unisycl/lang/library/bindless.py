"""Reading, sampling and writing images by handle (sycl_ext_oneapi_bindless_images).

Written in the kernel language: addressing, filters and conversions are those of ``ir.imaging``,
step by step, so that a sample has the bits that a ``sampled_image_accessor`` reads, but for handles
with a sampler of the device's own. Non-goals: making those. Invariants: what is sampled lies inside
the image; places of fetches and writes, types and handles are asserted, as indices are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.base.enums import aspect
from unisycl.lang.kernels.target import device_is
from unisycl.lang.library.textures import textured
from unisycl.lang.numbers.bits import bit_cast
from unisycl.lang.numbers.math import fabs, floor, fma, rint
from unisycl.lang.numbers.vec import vec

__kernel_language__ = True
_VEC: Any = vec
_ONE = _VEC(np.float32, 1)
_HALF, _UNORM8, _UNORM16, _SNORM8, _SNORM16 = 1, 2, 3, 4, 5
_INTEGERS = (np.uint8, np.uint16, np.uint32, np.int8, np.int16, np.int32)
_CLAMP, _REPEAT, _MIRRORED = 2, 3, 4


# ---- the functions of the extension
def fetch_image(handle: Any, coordinates: Any, data_type: Any) -> Any:
    """Return a pixel as it lies in memory; normalized channels as floats.

    Args:
        handle: an ``unsampled_image_handle`` or ``sampled_image_handle``.
        coordinates: an integer, or a vec or tuple of two or three, x first.
        data_type: the type of the pixel: ``np.float32``, ``sycl.float4``, ``sycl.uchar4`` ...
    """
    return _fetched(handle, _position(handle, coordinates, 0), data_type)


def fetch_image_array(handle: Any, coordinates: Any, layer: Any, data_type: Any) -> Any:
    """Return a pixel of one image of an array; see ``fetch_image``."""
    return _fetched(handle, _position(handle, coordinates, layer), data_type)


def fetch_cubemap(handle: Any, coordinates: Any, face: Any, data_type: Any) -> Any:
    """Return a pixel of a face of a cube map: +x, -x, +y, -y, +z or -z; see ``fetch_image``."""
    return _fetched(handle, _position(handle, coordinates, face), data_type)


def sample_image(handle: Any, coordinates: Any, data_type: Any) -> Any:
    """Return what an image's sampler makes of its pixels at a coordinate.

    Args:
        handle: a ``sampled_image_handle``.
        coordinates: a float32, or a vec or tuple of two or three, x first.
        data_type: the type of the pixel, floats for normalized channels.
    """
    if device_is(aspect.ext_unisycl_coarse_sampling) and _may_be_texture(
            coordinates, data_type) and handle.texture != 0:
        return _textured(handle, _parts(coordinates), data_type)
    return _sampled(handle, coordinates, np.int64(0), 0, data_type)


def _may_be_texture(coordinates: Any, data_type: Any) -> Any:
    """Say, while compiling, whether a texture could give such a sample."""
    if len(_parts(coordinates)) > 2:
        return False
    return isinstance(_parts(_zero(data_type))[0], (np.float32, np.float16))


def _textured(handle: Any, at: Any, data_type: Any) -> Any:
    """Return what the device's own sampler makes of one or two coordinates, as floats."""
    values = _floats(data_type)
    assert handle.channels == len(values), "the image has another number of channels"
    y = np.float32(at[1]) if len(at) > 1 else np.float32(0.5)
    color = textured(handle.texture, np.float32(at[0]), y)
    for k in range(len(values)):
        values[k] = color[k]
    return _as(values, data_type)


def sample_image_array(handle: Any, coordinates: Any, layer: Any, data_type: Any) -> Any:
    """Return a sample of one image of an array; see ``sample_image``."""
    start = np.int64(layer) * handle.layer
    return _sampled(handle, coordinates, start, 0, data_type)


def sample_mipmap(handle: Any, coordinates: Any, level: Any, data_type: Any) -> Any:
    """Return a sample of a mipmap; see ``sample_image``.

    Args:
        handle, coordinates, data_type: as for ``sample_image``.
        level: 0 for the finest; between two, both are averaged if the sampler says so.
    """
    lod = min(handle.highest, max(handle.lowest, np.float32(level)))
    if (handle.sampler & 4) == 0:
        near = np.int32(floor(lod + np.float32(0.5)))
        return _sampled(handle, coordinates, _level(handle, near), near, data_type)
    low = floor(lod)
    first = np.int32(low)
    second = min(first + 1, handle.levels - 1)
    part = lod - low
    a = _sampled_floats(handle, coordinates, _level(handle, first), first, data_type)
    b = _sampled_floats(handle, coordinates, _level(handle, second), second, data_type)
    for k in range(len(a)):
        a[k] = fma(part, b[k], (np.float32(1) - part) * a[k])
    return _as(a, data_type)


def sample_cubemap(handle: Any, direction: Any, data_type: Any) -> Any:
    """Return a sample of a cube map in a direction, from the face that it meets."""
    x, y, z = (np.float32(direction[0]), np.float32(direction[1]), np.float32(direction[2]))
    a, b, c = fabs(x), fabs(y), fabs(z)
    if a >= b and a >= c:
        face, across, down, far = (0 if x >= 0 else 1), (-z if x >= 0 else z), -y, a
    elif b >= c:
        face, across, down, far = (2 if y >= 0 else 3), x, (z if y >= 0 else -z), b
    else:
        face, across, down, far = (4 if z >= 0 else 5), (x if z >= 0 else -x), -y, c
    half = np.float32(0.5)
    at = ((across / far + np.float32(1)) * half, (down / far + np.float32(1)) * half)
    return _sampled(handle, at, np.int64(face) * handle.layer, 0, data_type)


def write_image(handle: Any, coordinates: Any, color: Any) -> None:
    """Store a pixel; floats are rounded and cut to what normalized channels hold.

    Args:
        handle: an ``unsampled_image_handle``.
        coordinates: as for ``fetch_image``.
        color: a number or vec of the image's type.
    """
    _written(handle, _position(handle, coordinates, 0), color)


def write_image_array(handle: Any, coordinates: Any, layer: Any, color: Any) -> None:
    """Store a pixel of one image of an array; see ``write_image``."""
    _written(handle, _position(handle, coordinates, layer), color)


def write_cubemap(handle: Any, coordinates: Any, face: Any, color: Any) -> None:
    """Store a pixel of a face of a cube map; see ``write_image``."""
    _written(handle, _position(handle, coordinates, face), color)


# ---- where pixels lie
def _parts(x: Any) -> Any:
    """Return a coordinate's components, x first, or a pixel's channels, as a tuple."""
    if isinstance(x, (_VEC, tuple)):
        if len(x) == 1:
            return (x[0],)
        if len(x) == 2:
            return x[0], x[1]
        if len(x) == 3:
            return x[0], x[1], x[2]
        return x[0], x[1], x[2], x[3]
    return (x,)


def _position(handle: Any, coordinates: Any, layer: Any) -> Any:
    """Return which channel of the memory a pixel's first one is."""
    at = _parts(coordinates)
    x = np.int64(at[0])
    assert 0 <= x < handle.width, "x lies outside the image"
    assert 0 <= layer < handle.layers, "the image has no such layer"
    position = x * np.int64(handle.channels) + np.int64(layer) * handle.layer
    if len(at) > 1:
        y = np.int64(at[1])
        assert 0 <= y < handle.height, "y lies outside the image"
        position = position + y * handle.row
    else:
        assert handle.height == 1, "the image has more dimensions than the coordinate"
    if len(at) > 2:
        z = np.int64(at[2])
        assert 0 <= z < handle.depth, "z lies outside the image"
        position = position + z * handle.slice
    else:
        assert handle.depth == 1, "the image has more dimensions than the coordinate"
    return position


def _level(handle: Any, level: Any) -> Any:
    """Return where a level of a mipmap begins, in channels."""
    start = np.int64(0)
    for k in range(level):
        start += (np.int64(_extent(handle.width, k)) * np.int64(_extent(handle.height, k))
                  * np.int64(_extent(handle.depth, k)) * np.int64(handle.channels))
    return start


def _extent(whole: Any, level: Any) -> Any:
    return max(whole >> level, np.int32(1))


# ---- pixels
def _zero(data_type: Any) -> Any:
    return data_type(0)


def _floats(data_type: Any) -> Any:
    """Return zeros, as many float32 as a type has channels."""
    zero = _zero(data_type)
    if isinstance(zero, _VEC):
        return zero.convert(np.float32)
    return _ONE(0)


def _fetched(handle: Any, position: Any, data_type: Any) -> Any:
    if isinstance(_parts(_zero(data_type))[0], (np.float32, np.float16)):
        values = _raw(handle, position, data_type)
        return _as(_scaled(handle, values), data_type)
    return _integers(handle, position, data_type)


def _integers(handle: Any, position: Any, data_type: Any) -> Any:
    """Return a pixel of integers, which have the type that is asked for."""
    zero = _zero(data_type)
    first = _parts(zero)[0]
    assert handle.channels == len(_parts(zero)), "the image has another number of channels"
    assert handle.kind == _kind_of(first), "the image has channels of another type"
    if isinstance(zero, _VEC):
        for k in range(len(zero)):
            zero[k] = _integer(handle, position + k, first)
        return zero
    return _integer(handle, position, first)


def _kind_of(x: Any) -> Any:
    """Return the number of an integer's channel type; -1 of what is none."""
    if isinstance(x, np.uint8):
        return 6
    if isinstance(x, np.uint16):
        return 7
    if isinstance(x, np.uint32):
        return 8
    if isinstance(x, np.int8):
        return 9
    if isinstance(x, np.int16):
        return 10
    if isinstance(x, np.int32):
        return 11
    return -1


def _integer(handle: Any, position: Any, like: Any) -> Any:
    if isinstance(like, np.uint8):
        return handle.bytes[position]
    if isinstance(like, np.int8):
        return bit_cast(np.int8, handle.bytes[position])
    if isinstance(like, np.uint16):
        return handle.halves[position]
    if isinstance(like, np.int16):
        return bit_cast(np.int16, handle.halves[position])
    if isinstance(like, np.uint32):
        return handle.words[position]
    return bit_cast(np.int32, handle.words[position])


def _raw(handle: Any, position: Any, data_type: Any) -> Any:
    """Return a pixel's channels as float32, normalized ones not divided yet."""
    values = _floats(data_type)
    count = len(values)
    assert handle.channels == count, "the image has another number of channels"
    assert handle.kind < 6, "the image has channels of integers"
    kind = handle.kind
    if kind == 0:
        for k in range(count):
            values[k] = bit_cast(np.float32, handle.words[position + k])
    elif kind == _HALF:
        for k in range(count):
            values[k] = _of_half(np.uint32(handle.halves[position + k]))
    elif kind == _UNORM8:
        for k in range(count):
            values[k] = np.float32(handle.bytes[position + k])
    elif kind == _UNORM16:
        for k in range(count):
            values[k] = np.float32(handle.halves[position + k])
    elif kind == _SNORM8:
        for k in range(count):
            signed = np.int32(bit_cast(np.int8, handle.bytes[position + k]))
            values[k] = np.float32(max(signed, np.int32(-127)))
    else:
        for k in range(count):
            signed = np.int32(bit_cast(np.int16, handle.halves[position + k]))
            values[k] = np.float32(max(signed, np.int32(-32767)))
    return values


def _scaled(handle: Any, values: Any) -> Any:
    """Return channels divided by what means 1."""
    kind = handle.kind
    largest = np.float32(1)
    if kind == _UNORM8:
        largest = np.float32(255)
    elif kind == _UNORM16:
        largest = np.float32(65535)
    elif kind == _SNORM8:
        largest = np.float32(127)
    elif kind == _SNORM16:
        largest = np.float32(32767)
    return values / largest


def _as(values: Any, data_type: Any) -> Any:
    """Return float32 channels as the type that was asked for."""
    zero = _zero(data_type)
    if isinstance(zero, _VEC):
        if isinstance(zero[0], np.float16):
            return values.convert(np.float16)
        return values
    return data_type(values[0])


def _written(handle: Any, position: Any, color: Any) -> None:
    channels = _parts(color)
    first, count = channels[0], len(channels)
    assert handle.channels == count, "the image has another number of channels"
    if isinstance(first, (np.float32, np.float16)):
        assert handle.kind < 6, "the image has channels of integers"
        for k in range(count):
            _store(handle, position + k, np.float32(channels[k]))
    else:
        assert handle.kind == _kind_of(first), "the image has channels of another type"
        for k in range(count):
            _store_integer(handle, position + k, channels[k])


def _store(handle: Any, position: Any, x: Any) -> None:
    """Store one channel of floats: rounded to nearest even, NaN as 0."""
    kind = handle.kind
    if kind == 0:
        handle.words[position] = bit_cast(np.uint32, x)
    elif kind == _HALF:
        handle.halves[position] = _as_half(x)
    elif kind == _UNORM8:
        handle.bytes[position] = np.uint8(_fraction(x, np.float32(0), np.float32(255)))
    elif kind == _UNORM16:
        handle.halves[position] = np.uint16(_fraction(x, np.float32(0), np.float32(65535)))
    elif kind == _SNORM8:
        handle.bytes[position] = bit_cast(
            np.uint8, np.int8(_fraction(x, np.float32(-128), np.float32(127))))
    else:
        handle.halves[position] = bit_cast(
            np.uint16, np.int16(_fraction(x, np.float32(-32768), np.float32(32767))))


def _of_half(bits: Any) -> Any:
    """Return the number that the bits of a half mean; no device lacks what that takes."""
    sign = (bits & np.uint32(0x8000)) << np.uint32(16)
    rest = (bits & np.uint32(0x7FFF)) << np.uint32(13)
    if rest >= np.uint32(0x0F800000):  # infinite, or none
        rest = rest + np.uint32(224 << 23)
    elif rest >= np.uint32(0x00800000):
        rest = rest + np.uint32(112 << 23)
    else:
        small = np.float32(np.int32(bits & np.uint32(0x3FF))) * np.float32(2.0 ** -24)
        rest = bit_cast(np.uint32, small)
    return bit_cast(np.float32, rest | sign)


def _as_half(x: Any) -> Any:
    """Return the bits of the half that is nearest to a float32, ties to even."""
    bits = bit_cast(np.uint32, x)
    sign = (bits >> np.uint32(16)) & np.uint32(0x8000)
    rest = bits & np.uint32(0x7FFFFFFF)
    if rest > np.uint32(0x7F800000):
        half = np.uint32(0x7E00) | ((rest >> np.uint32(13)) & np.uint32(0x1FF))
    elif rest >= np.uint32(0x477FF000):
        half = np.uint32(0x7C00)
    elif rest >= np.uint32(0x38800000):
        odd = (rest >> np.uint32(13)) & np.uint32(1)
        half = ((rest + np.uint32(0xFFF) + odd) >> np.uint32(13)) - np.uint32(112 << 10)
    else:
        half = np.uint32(np.int32(rint(fabs(x) * np.float32(2.0 ** 24))))
    return np.uint16(half | sign)


def _fraction(x: Any, lowest: Any, largest: Any) -> Any:
    known = x if x == x else np.float32(0)
    return np.int32(rint(min(largest, max(lowest, known * largest))))


def _store_integer(handle: Any, position: Any, x: Any) -> None:
    if isinstance(x, (np.uint8, np.int8)):
        handle.bytes[position] = bit_cast(np.uint8, x)
    elif isinstance(x, (np.uint16, np.int16)):
        handle.halves[position] = bit_cast(np.uint16, x)
    else:
        handle.words[position] = bit_cast(np.uint32, x)


# ---- samples
def _sampled(handle: Any, at: Any, start: Any, level: Any, data_type: Any) -> Any:
    if isinstance(_parts(_zero(data_type))[0], (np.float32, np.float16)):
        return _as(_sampled_floats(handle, at, start, level, data_type), data_type)
    place, inside = _nearest(handle, _parts(at), level)
    found = _integers(handle, start + place, data_type)
    return found if inside else _zero(data_type)


def _sampled_floats(handle: Any, at: Any, start: Any, level: Any, data_type: Any) -> Any:
    """Return the float32 channels of a sample."""
    return _scaled(handle, _mean(handle, _parts(at), start, level, data_type))


def _size_of(handle: Any, axis: Any, level: Any) -> Any:
    if axis == 0:
        return _extent(handle.width, level)
    if axis == 1:
        return _extent(handle.height, level)
    return _extent(handle.depth, level)


def _step_of(handle: Any, axis: Any, level: Any) -> Any:
    """Return how many channels lie between neighbours along an axis."""
    channels = np.int64(handle.channels)
    if axis == 0:
        return channels
    if axis == 1:
        return handle.row if level == 0 else channels * np.int64(_extent(handle.width, level))
    if level == 0:
        return handle.slice
    return (channels * np.int64(_extent(handle.width, level))
            * np.int64(_extent(handle.height, level)))


def _mode_of(handle: Any, axis: Any) -> Any:
    return (handle.sampler >> (3 + 3 * axis)) & 7


def _folded(mode: Any, s: Any) -> Any:
    """Return a normalized coordinate moved into the first image of a pattern that repeats."""
    if mode == _REPEAT:
        return s - floor(s)
    if mode == _MIRRORED:
        return fabs(s - np.float32(2) * rint(np.float32(0.5) * s))
    return s


def _tap(mode: Any, at: Any, extent: Any) -> Any:
    """Return a whole coordinate inside the image, and whether it was the one that was meant."""
    last = extent - np.float32(1)
    if mode == _REPEAT:
        at = at + extent if at < np.float32(0) else at
        at = at - extent if at > last else at
    clamped = min(last, max(np.float32(0), at))
    return np.int64(np.int32(clamped)), mode != _CLAMP or clamped == at


def _nearest(handle: Any, at: Any, level: Any) -> Any:
    """Return the place of the pixel that is nearest, and whether it is one of the image."""
    place, inside = np.int64(0), True
    for axis, x in enumerate(at):
        mode = _mode_of(handle, axis)
        extent = np.float32(_size_of(handle, axis, level))
        s = _folded(mode, np.float32(x))
        u = s * extent if (handle.sampler & 2) != 0 else s
        tap, here = _tap(mode, floor(u), extent)
        place = place + tap * _step_of(handle, axis, level)
        inside = inside and here
    return place, inside


def _mean(handle: Any, at: Any, start: Any, level: Any, data_type: Any) -> Any:
    """Return the mean of the pixels around a coordinate, z outermost, or the nearest."""
    values = _floats(data_type)
    for k in range(len(values)):
        values[k] = np.float32(-0.0)
    axes = tuple(_pair(handle, axis, level, x) for axis, x in enumerate(at))
    taps = np.int32(1 << len(at)) if (handle.sampler & 1) != 0 else np.int32(1)
    tap = np.int32(0)
    while tap < taps:
        place, inside, weight = start, True, np.float32(1)
        for axis, pair in reversed(tuple(enumerate(axes))):
            upper = ((tap >> axis) & 1) != 0
            part = pair[5] if upper else pair[4]
            place = place + (pair[1] if upper else pair[0])
            inside = inside and (pair[3] if upper else pair[2])
            weight = part if axis == len(at) - 1 else weight * part
        found = _raw(handle, place, data_type)
        for k in range(len(values)):
            values[k] = fma(weight, found[k] if inside else np.float32(0), values[k])
        tap += np.int32(1)
    return values


def _pair(handle: Any, axis: Any, level: Any, x: Any) -> Any:
    """Return both neighbours along an axis: where they lie, if they are inside, their weights."""
    mode = _mode_of(handle, axis)
    extent = np.float32(_size_of(handle, axis, level))
    s = _folded(mode, np.float32(x))
    linear = (handle.sampler & 1) != 0
    half = np.float32(-0.5)
    if (handle.sampler & 2) != 0:
        u = fma(s, extent, half) if linear else s * extent
    else:
        u = s + half if linear else s
    low = floor(u)
    part = u - low if linear else np.float32(0)
    step = _step_of(handle, axis, level)
    first, here = _tap(mode, low, extent)
    second, there = _tap(mode, low + np.float32(1), extent)
    return first * step, second * step, here, there, np.float32(1) - part, part
