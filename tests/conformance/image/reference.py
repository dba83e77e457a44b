"""Images in NumPy, straight from the rules of OpenCL C §8: what every device is compared with.

Written without unisycl's arithmetic on purpose. Pixels are decoded from bytes by NumPy dtypes,
positions and weights are computed in float64 from the float32 coordinate.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

_TYPES: dict[str, str] = {
    "snorm_int8": "i1", "snorm_int16": "i2", "unorm_int8": "u1", "unorm_int16": "u2",
    "signed_int8": "i1", "signed_int16": "i2", "signed_int32": "i4", "unsigned_int8": "u1",
    "unsigned_int16": "u2", "unsigned_int32": "u4", "fp16": "f2", "fp32": "f4",
    "unorm_short_565": "u2", "unorm_short_555": "u2", "unorm_int_101010": "u4",
}
_PACKED = {"unorm_short_565": (5, 6, 5), "unorm_short_555": (5, 5, 5),
           "unorm_int_101010": (10, 10, 10)}
_LETTERS = {"rx": "r", "rgx": "rg", "rgbx": "rgb", "srgba": "rgba", "sbgra": "bgra"}


def stored_dtype(order: str, type: str) -> tuple[np.dtype[Any], int]:
    """Return the dtype of what is stored, and how many make a pixel."""
    count = 1 if type in _PACKED or order in ("intensity", "luminance") else len(
        _LETTERS.get(order, order))
    return np.dtype(_TYPES[type]), count


def decode(stored: Array, order: str, type: str) -> Array:
    """Return colours, (..., 4) float32 or integers, of stored numbers (..., count)."""
    kind = "i4" if type.startswith("signed") else "u4" if type.startswith("unsigned") else "f4"
    out = np.zeros((*stored.shape[:-1], 4), kind)
    out[..., 3] = 1
    if type in _PACKED:
        widths, x, shift = _PACKED[type], stored[..., 0].astype("u4"), sum(_PACKED[type])
        for k, width in enumerate(widths):
            shift -= width
            out[..., k] = ((x >> shift) & (2 ** width - 1)) / np.float32(2 ** width - 1)
        return out
    values = _values(stored, type)
    if order in ("srgba", "sbgra"):
        values = _decode_srgb(values)
    if order == "intensity":
        return np.repeat(values, 4, axis=-1)
    if order == "luminance":
        out[..., :3] = values
        return out
    for k, letter in enumerate(_LETTERS.get(order, order)):
        out[..., "rgba".index(letter)] = values[..., k]
    return out


def _values(stored: Array, type: str) -> Array:
    if type.startswith("unorm"):
        return stored.astype("f4") / np.float32(np.iinfo(stored.dtype).max)
    if type.startswith("snorm"):
        return np.maximum(np.float32(-1), stored.astype("f4")
                          / np.float32(np.iinfo(stored.dtype).max))
    if stored.dtype.kind in "iu":
        return stored.astype("i4" if stored.dtype.kind == "i" else "u4")
    return stored.astype("f4")


def _decode_srgb(x: Array) -> Array:
    out = np.where(x <= 0.04045, x / 12.92, ((x.astype("f8") + 0.055) / 1.055) ** 2.4)
    out[..., 3] = x[..., 3]
    return out.astype("f4")


def encode(color: Array, order: str, type: str) -> Array:
    """Return the stored numbers (..., count) of colours (..., 4)."""
    dtype, _ = stored_dtype(order, type)
    if type in _PACKED:
        word = np.zeros(color.shape[:-1], "u4")
        for k, width in enumerate(_PACKED[type]):
            part = np.rint(np.clip(np.nan_to_num(color[..., k], nan=0), 0, 1)
                           * np.float32(2 ** width - 1)).astype("u4")
            word = (word << width) | part
        return word.astype(dtype)[..., None]
    if order in ("srgba", "sbgra"):
        color = _encode_srgb(color)
    letters = "r" if order in ("intensity", "luminance") else _LETTERS.get(order, order)
    parts = np.stack([color[..., "rgba".index(c)] for c in letters], axis=-1)
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return parts.astype(dtype)
    limits = np.iinfo(dtype)
    if "norm" not in type:
        return np.clip(parts, limits.min, limits.max).astype(dtype)
    with np.errstate(over="ignore"):
        scaled = np.nan_to_num(parts.astype("f4") * np.float32(limits.max), nan=0, posinf=1e9,
                               neginf=-1e9)
    return np.rint(np.clip(scaled, limits.min, limits.max)).astype(dtype)


def _encode_srgb(x: Array) -> Array:
    out = np.clip(np.nan_to_num(x.astype("f8"), nan=0), 0, 1)
    low = out < 0.0031308
    out = np.where(low, 12.92 * out, 1.055 * np.where(low, 1, out) ** (1 / 2.4) - 0.055)
    out[..., 3] = x[..., 3]
    return out


def border(order: str, kind: np.dtype[Any]) -> Array:
    """Return the colour outside an image whose sampler clamps to a border."""
    out = np.zeros(4, kind)
    out[3] = order in ("r", "rg", "rgb", "luminance")
    return out


# ---- addressing: (indices, inside the image or not, weights) of each pixel along one axis
def taps(mode: str, normalized: bool, linear: bool, s: Array,
         size: int) -> list[tuple[Array, Array, Array]]:
    """Return the pixels along an axis that coordinates ``s`` (float32) ask for."""
    x = s.astype("f8")
    if mode == "repeat":
        x = (s - np.floor(s)).astype("f8")
    elif mode == "mirrored_repeat":
        x = np.abs(s - np.float32(2) * np.rint(np.float32(0.5) * s)).astype("f8")
    u = x * size if normalized else x
    if not linear:
        found = [(np.floor(u.astype("f4")).astype("f8"), np.ones_like(u))]
    else:
        u = (u - 0.5).astype("f4").astype("f8")
        part = u - np.floor(u)
        found = [(np.floor(u), 1 - part), (np.floor(u) + 1, part)]
    out = []
    for at, weight in found:
        inside = np.ones(at.shape, bool)
        if mode == "repeat":
            at = np.where(at < 0, at + size, np.where(at > size - 1, at - size, at))
        elif mode == "clamp":
            inside = (at >= 0) & (at < size)
        out.append((np.clip(at, 0, size - 1).astype("i8"), inside, weight))
    return out


def sample(colors: Array, order: str, mode: str, normalized: bool, linear: bool,
           coords: Array) -> tuple[Array, Array]:
    """Return the colours at coordinates, and how large a rounding error a filter may make.

    Args:
        colors: (d, h, w, 4), (h, w, 4) or (w, 4) from ``decode``.
        coords: (n, dims) float32, x first.
    """
    dims = colors.ndim - 1
    axes = [taps(mode, normalized, linear, coords[:, k], colors.shape[dims - 1 - k])
            for k in range(dims)]
    outside = border(order, colors.dtype)
    total = np.zeros((len(coords), 4), "f8")
    size = np.zeros((len(coords), 4), "f8")
    for chosen in itertools.product(*axes):
        weight = np.prod([t[2] for t in chosen], axis=0)[:, None]
        inside = np.logical_and.reduce([t[1] for t in chosen])[:, None]
        texel = colors[tuple(t[0] for t in reversed(chosen))]
        value = np.where(inside, texel, outside).astype("f8")
        total += weight * value
        size += weight * np.abs(value)
    return total, size * 2.0 ** -21 if linear else np.zeros_like(size)
