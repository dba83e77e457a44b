"""Colours of pictures whose width changes by a ratio of small numbers, in whole numbers of 16 bits.

``P`` pixels of the target stand over ``Q`` of the source, again and again along a row: 2 over 2
where nothing is scaled, 4 over 6 from 1080p to 720p. One work-item makes P pixels, so that which
elements it reads, and their weights, are known while compiling. Written in the kernel language.
Non-goals: other ratios (``kernels``). Invariant: what lies outside the window is never read.

Elements have 15 bits (7 of 8 bits are of fractions), differences of two are multiplied by weights
of 15 bits; colours have 5 bits of fraction before they are rounded.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl

__kernel_language__ = True

_LARGEST = 8
_short = np.int16


@dataclass(eq=False)
class byte_rows:
    """Luma of 8 bits."""

    at: Any

    def element(self, raw: Any) -> Any:
        """Return an element in 15 bits."""
        return _short(raw) << _short(7)


@dataclass(eq=False)
class low_rows:
    """Luma in the lower 10 of 16 bits."""

    at: Any

    def element(self, raw: Any) -> Any:
        """Return an element in 15 bits."""
        return _short(raw) << _short(5)


@dataclass(eq=False)
class high_rows:
    """Luma in the upper 10 of 16 bits."""

    at: Any

    def element(self, raw: Any) -> Any:
        """Return an element in 15 bits."""
        return _short(raw >> np.uint16(6)) << _short(5)


@dataclass(eq=False)
class pair_rows:
    """Both chromas of 8 bits in one word."""

    at: Any

    def both(self, i: Any) -> Any:
        """Return the chromas of an element in 15 bits."""
        word = self.at[i]
        return _short(word & np.uint16(255)) << _short(7), _short(word >> np.uint16(8)) << _short(7)


@dataclass(eq=False)
class wide_pair_rows:
    """Both chromas in the upper 10 bits of the halves of one word of 32 bits."""

    at: Any

    def both(self, i: Any) -> Any:
        """Return the chromas of an element in 15 bits."""
        word = self.at[i]
        return _short((word >> 1) & 32736), _short((word >> 17) & 32736)


@dataclass(eq=False)
class plane_rows:
    """Each chroma in a plane of its own; ``lines`` says how."""

    u: Any
    v: Any

    def both(self, i: Any) -> Any:
        """Return the chromas of an element in 15 bits."""
        return self.u.element(self.u.at[i]), self.v.element(self.v.at[i])


@dataclass(eq=False)
class rows:
    """Of each row of the target where the two of the source begin, and the second one's weight."""

    first: Any
    second: Any
    weight: Any


@dataclass(eq=False)
class ways:
    """Rows of luma, and of chroma."""

    down: Any
    half: Any


@dataclass(eq=False)
class canvas:
    """Colours in words of 16 bits, how many a row has, and its last work-item."""

    at: Any
    line: Any
    last: Any


def blend(a: Any, b: Any, weight: Any) -> Any:
    """Return what lies between two numbers of 15 bits."""
    half = sycl.mul_hi(b - a, weight)
    return a + half + half


def _offsets(ratio: float, count: int, *, near: bool) -> list[tuple[int, int]]:
    """Return where ``count`` elements come from, and how much of the next one they take."""
    found = []
    for k in range(count):
        at = (k + 0.5) * ratio - 0.5
        first = math.floor(at + 0.5) if near else math.floor(at)
        found.append((first, 0 if near else min(round((at - first) * 32768), 32767)))
    return found


def _used(offsets: list[tuple[int, int]], inner: int) -> tuple[int, ...]:
    """Return the elements that are read: those of the work-item's own first."""
    every = {at + k for at, weight in offsets for k in range(2 if weight else 1)}
    return tuple(sorted(every, key=lambda c: (not 0 <= c < inner, c)))


def _pixels(luma: list[tuple[int, int]], chroma: list[tuple[int, int]], columns: tuple[int, ...],
            halves: tuple[int, ...]) -> tuple[tuple[int, Any, Any], ...]:
    """Return of each two pixels which of the elements that were read they take."""
    found = []
    for (a, w), (c, v) in zip(luma, chroma, strict=True):
        found.append((columns.index(a), columns.index(a + 1) if w else 0, w,
                      halves.index(c), halves.index(c + 1) if v else 0, v))
    return tuple((k, found[2 * k], found[2 * k + 1]) for k in range(len(found) // 2))


def ratio_of(width: int, target: int) -> tuple[int, int] | None:
    """Return how many pixels stand over how many, both even; None of larger numbers than 8."""
    part = math.gcd(width, target)
    p, q = target // part, width // part
    if p % 2 or q % 2:
        p, q = 2 * p, 2 * q
    return (p, q) if max(p, q) <= _LARGEST and not (width % q or target % p) else None


def _pixel(luma: Any, chroma: Any, m: Any, pixel: Any) -> Any:
    """Return red, green and blue."""
    a, b, w, c, d, v = pixel
    y = luma[a]
    if w != 0:
        y = blend(y, luma[b], _short(w))
    y = sycl.mul_hi(y, m[0]) + m[5]
    us, vs = chroma[c]
    if v != 0:
        more_u, more_v = chroma[d]
        us, vs = blend(us, more_u, _short(v)), blend(vs, more_v, _short(v))
    us, vs = (us - _short(16384)) << _short(1), (vs - _short(16384)) << _short(1)
    low, high = _short(0), _short(255)
    red = sycl.clamp((y + sycl.mul_hi(vs, m[1])) >> _short(5), low, high)
    green = sycl.clamp((y + sycl.mul_hi(us, m[2]) + sycl.mul_hi(vs, m[3])) >> _short(5), low, high)
    blue = sycl.clamp((y + sycl.mul_hi(us, m[4])) >> _short(5), low, high)
    return red, green, blue


def _place(p: Any, step: Any, column: Any, last: Any) -> Any:
    """Return an element of a row; at the ends the nearest there is."""
    i = p * step + column
    if column < 0 and p == 0:
        i = p * step
    if column >= step and p == last:
        i = p * step + (step - 1)
    return i


def _chromas(chroma: Any, top: Any, bottom: Any, weight: Any, i: Any) -> Any:
    """Return both chromas of an element, between two rows."""
    u, v = chroma.both(top + i)
    more_u, more_v = chroma.both(bottom + i)
    return blend(u, more_u, weight), blend(v, more_v, weight)


@functools.lru_cache(maxsize=64)
def to_colours(ratio: tuple[int, int], lanes: int, *, four: bool, near: bool, still: bool) -> Any:
    """Return a kernel; ``still`` if each row of luma is one row of the source.

    Args:
        ratio: how many pixels stand over how many.
        lanes: of a sub-group; 0 leaves it open.
        four: whether pixels have 4 bytes (blue, green, red, alpha) and not 3.
        near: whether the nearest elements are taken.
    """
    p, q = ratio
    luma, chroma = _offsets(q / p, p, near=near), _offsets(q / p / 2, p, near=near)
    columns, halves = _used(luma, q), _used(chroma, q // 2)
    pixels = _pixels(luma, chroma, columns, halves)
    own = tuple(c for c in columns if 0 <= c < q)
    others = columns[len(own):]
    sizes = q, q // 2, p * 2 if four else p * 3 // 2, int(four), int(still)

    def colours_by_ratio(it: Any, given: Any, way: Any, m: Any, target: Any) -> None:
        """Make some pixels of a row."""
        y, k, at = it[0], it[1], given.luma.at
        down, half = way.down, way.half
        out, line, last = target.at, target.line, target.last
        top = down.first[y]
        read = [at[top + (k * sizes[0] + c)] for c in own] + [
            at[top + _place(k, sizes[0], c, last)] for c in others]
        rows_of = [given.luma.element(a) for a in read]
        if not sizes[4]:
            bottom, weight = down.second[y], down.weight[y]
            more = [at[bottom + (k * sizes[0] + c)] for c in own] + [
                at[bottom + _place(k, sizes[0], c, last)] for c in others]
            rows_of = [blend(a, given.luma.element(b), weight)
                       for a, b in zip(rows_of, more)]  # noqa: B905 - of one length
        one, other, part = half.first[y], half.second[y], half.weight[y]
        pairs = [_chromas(given.chroma, one, other, part, _place(k, sizes[1], c, last))
                 for c in halves]
        eight = _short(8)
        for j, left, right in pixels:
            r, g, b = _pixel(rows_of, pairs, m, left)
            s, h, c = _pixel(rows_of, pairs, m, right)
            if sizes[3]:
                o = y * line + k * sizes[2] + 4 * j
                out[o] = b | (g << eight)
                out[o + 1] = r | _short(-256)
                out[o + 2] = c | (h << eight)
                out[o + 3] = s | _short(-256)
            else:
                o = y * line + k * sizes[2] + 3 * j
                out[o] = r | (g << eight)
                out[o + 1] = b | (s << eight)
                out[o + 2] = h | (c << eight)

    return sycl.kernel(reqd_sub_group_size=lanes)(colours_by_ratio) if lanes else colours_by_ratio
