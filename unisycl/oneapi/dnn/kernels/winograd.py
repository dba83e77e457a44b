"""Kernels of Winograd's convolutions: tiles of a source, weights and sums, to points and back.

Written in the kernel language. 4 x 4 results of windows of 3 x 3 come from a tile of 6 x 6. In one
dimension a tile, a polynomial of its numbers, is taken at the points 0, 1, -1, 2, -2 and infinity.
Non-goals: the products at each point. Invariant: points lie one behind the other, and at each of
them a matrix row by row.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.mkl.kernels import products

__kernel_language__ = True

SIDE, TILE = 4, 6
POINTS = TILE * TILE
_SIXTH, _TWELFTH, _24TH = np.float32(1 / 6), np.float32(1 / 12), np.float32(1 / 24)
_QUARTER, _ZERO = np.float32(0.25), np.float32(0)
_TWO, _FOUR, _FIVE, _EIGHT = np.float32(2), np.float32(4), np.float32(5), np.float32(8)


@dataclass(eq=False)
class tiles:
    """A part of all tiles, in the order of images, and the tensor that they are of.

    How many they are, behind which one they end, how many lie below and beside one another in an
    image; the tensor's channels and sizes; how far the first one begins before it.
    """

    count: Any
    end: Any
    down: Any
    along: Any
    channels: Any
    height: Any
    width: Any
    above: Any
    before: Any


def of_tile(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any) -> Any:
    """Return six numbers of a tile at the points."""
    even, odd = e - _FOUR * c, d - _FOUR * b
    less, twice = e - c, _TWO * (d - b)
    return (_FOUR * a - _FIVE * c + e, even + odd, even - odd, less + twice, less - twice,
            _FOUR * b - _FIVE * d + f)


def of_weights(a: Any, b: Any, c: Any) -> Any:
    """Return three weights at the points."""
    outer, far = -_SIXTH * (a + c), _24TH * a + _SIXTH * c
    return (_QUARTER * a, outer - _SIXTH * b, outer + _SIXTH * b, far + _TWELFTH * b,
            far - _TWELFTH * b, c)


def of_sums(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any) -> Any:
    """Return the four results of sums at the points."""
    both, apart, far, wide = b + c, b - c, d + e, d - e
    return (a + both + far, apart + _TWO * wide, both + _FOUR * far, apart + _EIGHT * wide + f)


def weights(e: Any, count: Any, source: Any, target: Any) -> None:
    """Bring the nine weights of a pair of channels to the points."""
    half = sycl.private_array(np.float32, 3 * TILE)
    for x in range(3):
        found = of_weights(source.load(e * 9 + x), source.load(e * 9 + 3 + x),
                           source.load(e * 9 + 6 + x))
        for p in range(TILE):
            half[p * 3 + x] = found[p]
    for p in range(TILE):
        found = of_weights(half[p * 3], half[p * 3 + 1], half[p * 3 + 2])
        for q in range(TILE):
            target.store((p * TILE + q) * count + e, found[q])


def gather(i: Any, t: tiles, source: Any, target: Any) -> None:
    """Bring a tile of a channel to the points; zeros are around the tensor."""
    j = t.end - t.count + i[1]
    left = j % t.along * SIDE - t.before
    j = j // t.along
    top = j % t.down * SIDE - t.above
    first = (j // t.down * t.channels + i[0]) * t.height
    half = sycl.private_array(np.float32, POINTS)
    tall = sycl.private_array(np.float32, TILE)
    for c in range(TILE):
        x = left + c
        inside = x >= 0 and x < t.width
        for r in range(TILE):
            y = top + r
            tall[r] = _ZERO
            if inside and y >= 0 and y < t.height:
                tall[r] = source.load((first + y) * t.width + x)
        found = of_tile(tall[0], tall[1], tall[2], tall[3], tall[4], tall[5])
        for p in range(TILE):
            half[p * TILE + c] = found[p]
    for p in range(TILE):
        found = of_tile(half[p * TILE], half[p * TILE + 1], half[p * TILE + 2],
                        half[p * TILE + 3], half[p * TILE + 4], half[p * TILE + 5])
        for q in range(TILE):
            at = (p * TILE + q) * t.channels + i[0]
            target.store(at * t.count + i[1], found[q])


def scatter(i: Any, t: tiles, source: Any, target: Any) -> None:
    """Bring sums at the points to the results of a tile, of which some may be none."""
    half = sycl.private_array(np.float32, SIDE * TILE)
    tall = sycl.private_array(np.float32, TILE)
    for q in range(TILE):
        for p in range(TILE):
            at = (p * TILE + q) * t.channels + i[0]
            tall[p] = source.load(at * t.count + i[1])
        found = of_sums(tall[0], tall[1], tall[2], tall[3], tall[4], tall[5])
        for r in range(SIDE):
            half[r * TILE + q] = found[r]
    j = t.end - t.count + i[1]
    left = j % t.along * SIDE
    j = j // t.along
    top = j % t.down * SIDE
    first = (j // t.down * t.channels + i[0]) * t.height + top
    for r in range(SIDE):
        if top + r < t.height:
            found = of_sums(half[r * TILE], half[r * TILE + 1], half[r * TILE + 2],
                            half[r * TILE + 3], half[r * TILE + 4], half[r * TILE + 5])
            for c in range(SIDE):
                if left + c < t.width:
                    target.store((first + r) * t.width + left + c, found[c])


@dataclass(eq=False)
class inner:
    """A work-item as it is in the last two of three dimensions."""

    it: Any

    def get_local_id(self, d: Any) -> Any:
        """Return where it is in its group."""
        return self.it.get_local_id(d + 1)

    def get_group(self, d: Any = None) -> Any:
        """Return its group, or where that is."""
        if d is None:
            return self.it.get_group()
        return self.it.get_group(d + 1)


@dataclass(eq=False)
class matrices:
    """A matrix at each point, row by row: sizes of a matrix and of its rows."""

    at: Any
    size: Any
    ld: Any


@dataclass(eq=False)
class matrix:
    """The matrix of one point."""

    at: Any
    first: Any
    ld: Any

    def get(self, i: Any, j: Any) -> Any:
        """Return an element."""
        return self.at.load(self.first + i * self.ld + j)

    def put(self, i: Any, j: Any, value: Any) -> None:
        """Write an element."""
        self.at.store(self.first + i * self.ld + j, value)


def multiply_simply(i: Any, m: Any, k: Any, a: Any, b: Any, c: Any) -> None:
    """Compute an element of the product at one point."""
    p, row = i[0] // m, i[0] % m
    total = _ZERO
    for x in range(k):
        total += a.at.load(p * a.size + row * a.ld + x) * b.at.load(p * b.size + x * b.ld + i[1])
    c.at.store(p * c.size + row * c.ld + i[1], total)


@functools.cache
def multiply(cut: Any) -> Any:
    """Return the product at each point: by a cut for processors, or None for other devices."""
    product: Any = products.gemm if cut is None else products.on_processors(cut)

    def multiply_at_points(it: sycl.nd_item, sizes: Any, a: Any, b: Any, c: Any,
                           numbers: Any) -> None:
        """Compute a part of the product at one point."""
        p = it.get_group(0)
        product(inner(it), sizes, matrix(a.at, p * a.size, a.ld),
                matrix(b.at, p * b.size, b.ld), matrix(c.at, p * c.size, c.ld), numbers)

    return multiply_at_points
