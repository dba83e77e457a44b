"""Kernels over the planes of surfaces: colours, sizes, fields, noise, overlays.

Written in the kernel language. Non-goals: codecs. Invariant: an element is written by one
work-item, and what lies outside the picture is never read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl

__kernel_language__ = True

GROUP = 256


@dataclass(eq=False)
class part:
    """One part of all pixels: element (y, x) lies ``y * pitch + x * step + first`` from ``at``."""

    at: Any
    pitch: Any
    step: Any
    first: Any
    shift: Any
    top: Any

    def get(self, y: Any, x: Any) -> Any:
        """Return an element, from 0 to ``top``."""
        return np.int32(self.at[y * self.pitch + x * self.step + self.first]) >> self.shift

    def put(self, y: Any, x: Any, value: Any) -> None:
        """Write an element, rounded and kept in its range."""
        found = np.int32(sycl.clamp(value + np.float32(0.5), np.float32(0), np.float32(self.top)))
        self.at[y * self.pitch + x * self.step + self.first] = found << self.shift


@dataclass(eq=False)
class axis:
    """Where the elements of a row or a column are taken from: two neighbours, and a weight."""

    at: Any
    second: Any
    weight: Any


@dataclass(eq=False)
class yuv:
    """A picture by its parts, and what the axes take its chroma from."""

    y: Any
    u: Any
    v: Any


@dataclass(eq=False)
class axes:
    """Axes of luma and of chroma, down and along, and how many elements a source row has."""

    down: Any
    along: Any
    half_down: Any
    half_along: Any
    width: Any
    half: Any
    unit: Any


@dataclass(eq=False)
class line:
    """Elements that lie side by side."""

    at: Any
    pitch: Any

    def get(self, y: Any, x: Any) -> Any:
        """Return an element."""
        return np.int32(self.at[y * self.pitch + x])


@dataclass(eq=False)
class shifted_line:
    """Elements that lie side by side, in the 10 upper bits."""

    at: Any
    pitch: Any

    def get(self, y: Any, x: Any) -> Any:
        """Return an element."""
        return np.int32(self.at[y * self.pitch + x]) >> 6


@dataclass(eq=False)
class planar:
    """Both chromas, each in a plane of its own."""

    u: Any
    v: Any
    pitch: Any

    def both(self, y: Any, x: Any) -> Any:
        """Return the chromas of an element."""
        at = y * self.pitch + x
        return np.int32(self.u[at]), np.int32(self.v[at])


@dataclass(eq=False)
class pairs:
    """Both chromas of an element in one word, of 16 bits."""

    at: Any
    pitch: Any

    def both(self, y: Any, x: Any) -> Any:
        """Return the chromas of an element."""
        word = np.int32(self.at[y * self.pitch + x])
        return word & 255, word >> 8


@dataclass(eq=False)
class wide_pairs:
    """Both chromas of an element in one word, of 32 bits, the 10 upper ones of each half."""

    at: Any
    pitch: Any

    def both(self, y: Any, x: Any) -> Any:
        """Return the chromas of an element."""
        word = self.at[y * self.pitch + x]
        return (word & 65535) >> 6, (word >> 22) & 1023


@dataclass(eq=False)
class source:
    """A picture as colours are made of it: its luma, and both its chromas."""

    luma: Any
    chroma: Any


@dataclass(eq=False)
class canvas:
    """Colours in words or bytes, pixels in a row, and in which pixel each word of three begins."""

    at: Any
    width: Any
    matrix: Any
    spread: Any


@dataclass(eq=False)
class local:
    """Rows of one group: luma and its neighbour, both chromas, and colours, in words."""

    luma: Any
    chroma: Any
    colours: Any


def blended(it: Any, given: Any, way: Any, room: Any) -> None:
    """Blend two rows into local memory, weights in parts of ``unit``: 16 bits each."""
    y, lid = it.get_group(0), it.get_local_id(1)
    j, k, w = way.down.at[y], way.down.second[y], way.down.weight[y]
    rest = way.unit - w
    last = way.width - 1
    for t in range(0, last, GROUP):
        i = t + lid
        if i < last:
            a = given.luma.get(j, i) * rest + given.luma.get(k, i) * w
            b = given.luma.get(j, i + 1) * rest + given.luma.get(k, i + 1) * w
            room.luma[i] = a | (b << 16)
    j, k, w = way.half_down.at[y], way.half_down.second[y], way.half_down.weight[y]
    rest = way.unit - w
    for t in range(0, way.half, GROUP):
        i = t + lid
        if i < way.half:
            u, v = given.chroma.both(j, i)
            m, n = given.chroma.both(k, i)
            room.chroma[i] = (u * rest + m * w) | ((v * rest + n * w) << 16)


def colour(room: Any, way: Any, m: Any, x: Any) -> Any:
    """Return the colour of an element of the row, blue in the lowest byte."""
    w = way.along.weight[x]
    p = room.luma[way.along.at[x]]
    y = np.float32((p & 65535) * (way.unit - w) + ((p >> 16) & 65535) * w)
    i, w = way.half_along.at[x], way.half_along.weight[x]
    rest = way.unit - w
    p, r = room.chroma[i], room.chroma[i + 1]
    u = np.float32((p & 65535) * rest + (r & 65535) * w)
    v = np.float32(((p >> 16) & 65535) * rest + ((r >> 16) & 65535) * w)
    low, high = np.float32(0), np.float32(255)
    y *= m[0]
    r = np.int32(sycl.clamp(y + m[2] * v + m[9], low, high))
    g = np.int32(sycl.clamp(y + m[4] * u + m[5] * v + m[10], low, high))
    b = np.int32(sycl.clamp(y + m[7] * u + m[11], low, high))
    return b | (g << 8) | (r << 16)


def to_rgb4(it: Any, given: Any, way: Any, out: Any, room: Any) -> None:
    """Make a row of blue, green, red and alpha, a word each."""
    blended(it, given, way, room)
    sycl.group_barrier(it.get_group())
    y, lid = it.get_group(0), it.get_local_id(1)
    m = out.matrix
    for t in range(0, out.width, GROUP):
        x = t + lid
        if x < out.width:
            out.at[y * out.width + x] = colour(room, way, m, x) | -16777216


def to_rgb(it: Any, given: Any, way: Any, out: Any, room: Any) -> None:
    """Make a row of red, green and blue, four pixels in three words."""
    blended(it, given, way, room)
    sycl.group_barrier(it.get_group())
    y, lid = it.get_group(0), it.get_local_id(1)
    m = out.matrix
    for t in range(0, out.width, GROUP):
        x = t + lid
        if x < out.width:
            c = colour(room, way, m, x)
            room.colours[x] = ((c & 255) << 16) | (c & 65280) | (c >> 16)
    sycl.group_barrier(it.get_group())
    words = out.width * 3 // 4
    for t in range(0, words, GROUP):
        k = t + lid
        if k < words:
            p = out.spread[k]
            place = np.int32(k) * 4 - p * 3
            a, b = room.colours[p], room.colours[p + 1]
            found = a | (b << 24)
            if place == 1:
                found = (a >> 8) | (b << 16)
            if place == 2:
                found = (a >> 16) | (b << 8)
            out.at[y * words + k] = found


def to_bytes(it: Any, given: Any, way: Any, out: Any, room: Any) -> None:
    """Make a row of red, green and blue, byte by byte, where words do not fit."""
    blended(it, given, way, room)
    sycl.group_barrier(it.get_group())
    y, lid = it.get_group(0), it.get_local_id(1)
    m = out.matrix
    for t in range(0, out.width, GROUP):
        x = t + lid
        if x < out.width:
            c = colour(room, way, m, x)
            at = (y * out.width + x) * 3
            out.at[at] = np.uint8(c >> 16)
            out.at[at + 1] = np.uint8((c >> 8) & 255)
            out.at[at + 2] = np.uint8(c & 255)


def to_bytes4(it: Any, given: Any, way: Any, out: Any, room: Any) -> None:
    """Make a row of blue, green, red and alpha, byte by byte."""
    blended(it, given, way, room)
    sycl.group_barrier(it.get_group())
    y, lid = it.get_group(0), it.get_local_id(1)
    m = out.matrix
    for t in range(0, out.width, GROUP):
        x = t + lid
        if x < out.width:
            c = colour(room, way, m, x)
            at = (y * out.width + x) * 4
            out.at[at] = np.uint8(c & 255)
            out.at[at + 1] = np.uint8((c >> 8) & 255)
            out.at[at + 2] = np.uint8(c >> 16)
            out.at[at + 3] = np.uint8(255)


def from_rgb(it: Any, source: Any, size: Any, matrix: Any, out: Any) -> None:
    """Make four pixels of luma and one of chroma."""
    y, x = it[0] * 2, it[1] * 2
    u, v, count = np.float32(0), np.float32(0), np.float32(0)
    m = matrix
    for a in range(2):
        for b in range(2):
            if y + a < size[0] and x + b < size[1]:
                r = np.float32(source[0].get(y + a, x + b))
                g = np.float32(source[1].get(y + a, x + b))
                c = np.float32(source[2].get(y + a, x + b))
                out.y.put(y + a, x + b, m[0] * r + m[1] * g + m[2] * c + m[9])
                u += m[3] * r + m[4] * g + m[5] * c + m[10]
                v += m[6] * r + m[7] * g + m[8] * c + m[11]
                count += 1
    out.u.put(it[0], it[1], u / count)
    out.v.put(it[0], it[1], v / count)


def resize(it: Any, source: Any, down: Any, along: Any, scale: Any, out: Any) -> None:
    """Make an element of two by two neighbours."""
    y, x = it[0], it[1]
    j, k, i, n = down.at[y], down.second[y], along.at[x], along.second[x]
    w, v = np.float32(down.weight[y]), np.float32(along.weight[x])
    a, b = np.float32(source.get(j, i)), np.float32(source.get(j, n))
    c, d = np.float32(source.get(k, i)), np.float32(source.get(k, n))
    a, c = a + (b - a) * v, c + (d - c) * v
    out.put(y, x, (a + (c - a) * w) * scale)


def repack(it: Any, source: Any, pitch: Any, out: Any, columns: Any) -> None:
    """Copy rows without what lies behind them."""
    y, x = it[0], it[1]
    out[y * columns + x] = source[y * pitch + x]


def constant(it: Any, value: Any, out: Any) -> None:
    """Write one number."""
    out.put(it[0], it[1], value)


def fields(it: Any, source: Any, rows: Any, keep: Any, out: Any) -> None:
    """Keep the rows of one field, and make those of the other one of their neighbours."""
    y, x = it[0], it[1]
    if y % 2 == keep:
        out.put(y, x, np.float32(source.get(y, x)))
    else:
        above = y - 1 if y > 0 else y + 1
        below = y + 1 if y + 1 < rows else y - 1
        out.put(y, x, np.float32(source.get(above, x) + source.get(below, x)) * np.float32(0.5))


def smooth(it: Any, source: Any, size: Any, strength: Any, out: Any) -> None:
    """Take the mean of the neighbours, which count less the more they differ."""
    y, x = it[0], it[1]
    middle = np.float32(source.get(y, x))
    total, weights = np.float32(0), np.float32(0)
    for a in range(-2, 3):
        for b in range(-2, 3):
            value = np.float32(source.get(sycl.clamp(y + a, 0, size[0] - 1),
                                          sycl.clamp(x + b, 0, size[1] - 1)))
            step = (value - middle) * strength
            w = 1 / (1 + step * step)
            total += w * value
            weights += w
    out.put(y, x, total / weights)


def mix(it: Any, over: Any, alpha: Any, amount: Any, out: Any) -> None:
    """Lay a part over another, as far as ``alpha`` says."""
    y, x = it[0], it[1]
    w = amount
    if alpha is not None:
        w = w * np.float32(alpha.get(y, x)) * np.float32(1 / 255)
    below = np.float32(out.get(y, x))
    out.put(y, x, below + (np.float32(over.get(y, x)) - below) * w)
