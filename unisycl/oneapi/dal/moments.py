"""Means and products of columns: what covariance, principal components and regression are made of.

Non-goals: what is made of them. Invariants: computed about the mean, so nothing cancels; those of
parts, and of ranks, are joined exactly as if the rows had come together, but for roundings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unisycl.oneapi.dal.kernels import records, sums
from unisycl.oneapi.dal.tables import table
from unisycl.oneapi.dal.work import PART, Array, Work
from unisycl.oneapi.frame.providers import is_processor

_SAMPLE = 512
"""Of about how many rows the mean is taken that is taken from all."""
_SLAB, _SLAB_HOST = 1 << 25, 1 << 20
"""How many elements are brought into tiles at once; on processors so few that caches hold them."""


@dataclass
class Moments:
    """The number of rows, the mean of each column, and sums of products about the means."""

    count: int
    mean: Array
    cross: Array

    def joined(self, other: Moments | None) -> Moments:
        """Return the moments of the rows of both."""
        if other is None:
            return self
        count = self.count + other.count
        step = other.mean - self.mean
        return Moments(count, self.mean + step * (other.count / count), self.cross + other.cross
                       + np.outer(step, step) * (self.count * other.count / count))

    def over_ranks(self, work: Work) -> Moments:
        """Return the moments of the rows of all ranks."""
        if work.comm is None:
            return self
        count = int(work.together(np.array([self.count], np.int64))[0])
        mean = work.together(self.mean * self.count) / count
        step = self.mean - mean
        return Moments(count, mean, work.together(self.cross + np.outer(step, step) * self.count))


def part_of(count: int) -> int:
    """Return how many rows a part has."""
    return min(PART, max(-(-count // 64), 64))


def means(work: Work, data: table, x: object) -> Array:
    """Return the mean of each column, in float64."""
    n, d = data.row_count, data.column_count
    part = part_of(n)
    parts = -(-n // part)
    shift = work.put(np.zeros(d))
    total = np.zeros(d)
    for _ in range(2):  # the second round takes away what was rounded in the first
        out = work.empty(parts * d)
        work.launch((parts, d), sums.sums, _rows(x, n, d, part), shift, work.kind(0), out)
        found = work.host(out)[:parts * d].reshape(parts, d).sum(0, np.float64) / n
        total = np.asarray(shift, np.float64)[:d] + found
        if work.dtype == np.float64 or n < PART:
            break
        shift = work.put(total)
    return total


def _rows(x: object, n: int, d: int, part: int) -> records.rows:
    return records.rows(x, np.int64(n), np.int64(d), np.int64(part))


def moments(work: Work, data: table, x: object = None) -> Moments:
    """Return the moments of a table's columns."""
    n, d = data.row_count, data.column_count
    x = work.rows(data) if x is None else x
    if d >= sums.BLOCK and n > PART and isinstance(x, np.ndarray):
        some = x.reshape(n, d)[::n // _SAMPLE].mean(0, np.float64).astype(work.dtype)
        side = records.side(x, np.int64(d), work.put(some))
        products = _Products(work, n, side, side, same=True)
        rest = products.sums / n
        if (rest * rest * n <= np.diag(products.found)).all():
            return Moments(n, some + rest, products.found - np.outer(rest, rest) * n)
    mean = means(work, data, x)
    shift = mean.astype(work.dtype)
    side = records.side(x, np.int64(d), work.put(shift))
    found = products_of(work, n, side, side, same=True)
    rest = mean - shift  # what the type of the kernels could not say
    return Moments(n, mean, found - np.outer(rest, rest) * n)


def products_of(work: Work, count: int, left: records.side, right: records.side, *,
                same: bool = False) -> Array:
    """Return the products of the columns of two sides, added over rows, in float64."""
    if min(int(left.width), int(right.width)) < sums.BLOCK:
        return _products_of_few(work, count, left, right)
    return _Products(work, count, left, right, same=same).found


class _Products:
    """The products of the columns of two sides, by tiles of columns and slabs of rows.

    Args:
        same: whether both sides are one.
    """

    def __init__(self, work: Work, count: int, left: records.side, right: records.side, *,
                 same: bool) -> None:
        self.work, self.same, self.part = work, same, part_of(count)
        self.high, self.wide = int(left.width), int(right.width)
        self.down, self.along = _begins(self.high), _begins(self.wide)
        self.at = [(a, b) for a in range(len(self.down))
                   for b in range(a if same else 0, len(self.along))]
        room = _SLAB_HOST if is_processor(work.device) else _SLAB
        row = max(self.high, self.wide) + sums.BLOCK
        slab = min(max(room // (row * self.part), 1) * self.part, count)
        self.sides = [(s, len(b), work.put(b, np.int64), work.empty(slab * len(b) * sums.BLOCK))
                      for s, b in [(left, self.down), (right, self.along)][:1 if same else 2]]
        self.found, self.sums = self._put_together(self._all(count, slab))

    def _all(self, count: int, slab: int) -> Array:
        """Return of each pair of tiles the products, and behind them the sums of one's columns."""
        work, block = self.work, sums.BLOCK
        down, along = (work.put(np.array(v), np.int64) for v in zip(*self.at, strict=True))
        pairs = records.tiles(down, along, np.int64(len(self.at)))
        found = np.zeros((len(self.at), block + 1, block))
        out = work.empty(-(-slab // self.part) * found.size)
        for first in range(0, count, slab):
            n = min(slab, count - first)
            for side, tiles, begins, tiled in self.sides:
                work.launch((tiles, n, block), sums.centre, records.rows(
                    side.at, np.int64(n), side.width, np.int64(first)), side.shift, begins, tiled)
            parts = -(-n // self.part)
            work.launch((parts, len(self.at), block), sums.cross, _rows(None, n, 0, self.part),
                        self.sides[0][3], self.sides[-1][3], pairs, out)
            found += work.host(out)[:parts * found.size].reshape(parts, *found.shape).sum(
                0, np.float64)
        return found

    def _put_together(self, tiles: Array) -> tuple[Array, Array]:
        found, added = np.empty((self.high, self.wide)), np.empty(self.wide)
        for (a, b), tile in zip(self.at, tiles, strict=True):
            rows, columns = (slice(k, k + sums.BLOCK) for k in (self.down[a], self.along[b]))
            found[rows, columns], added[columns] = tile[:-1], tile[-1]
            if self.same:
                found[columns, rows] = tile[:-1].T
        return found, added


def _begins(width: int) -> list[int]:
    """Return where tiles begin that cover so many columns; the last one may lie over others."""
    return [*range(0, width - sums.BLOCK, sums.BLOCK), width - sums.BLOCK]


def _products_of_few(work: Work, count: int, left: records.side, right: records.side) -> Array:
    """Return the products of two sides of which one has few columns."""
    high, wide = int(left.width), int(right.width)
    part = max(part_of(count), -(-count * high * wide // (1 << 25)))
    parts = -(-count // part)
    out = work.empty(parts * high * wide)
    work.launch((parts, high, wide), sums.cross_few, _rows(None, count, high, part), left, right,
                out)
    found: Array = work.host(out)[:parts * high * wide].reshape(parts, high, wide).sum(
        0, np.float64)
    return found
