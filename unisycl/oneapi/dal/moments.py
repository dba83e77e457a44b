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
    mean = means(work, data, x)
    shift = mean.astype(work.dtype)
    side = records.side(x, np.int64(d), work.put(shift))
    found = products(work, n, side, side, same=True)
    rest = mean - shift  # what the type of the kernels could not say
    return Moments(n, mean, found - np.outer(rest, rest) * n)


def products(work: Work, count: int, left: records.side, right: records.side, *,
             same: bool = False) -> Array:
    """Return the products of the columns of two sides, added over rows, in float64."""
    high, wide = int(left.width), int(right.width)
    part = max(part_of(count), -(-count * high * wide // (1 << 25)))
    parts = -(-count // part)
    out = work.empty(parts * high * wide)
    if same:
        out[:] = 0
    x = _rows(left.at, count, high, part)
    work.launch((parts, -(-high // sums.BLOCK), wide), sums.cross, x, left, right, same, out)
    found: Array = work.host(out)[:parts * high * wide].reshape(
        parts, high, wide).sum(0, np.float64)
    return np.triu(found) + np.triu(found, 1).T if same else found
