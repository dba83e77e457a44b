"""Kernels that add over rows: moments and products of columns, in parts.

Written in the kernel language. The last dimension is a column, so that neighbours are read.
Invariant: parts depend on sizes alone and are added in order, so results are the same in every run.
"""

from __future__ import annotations

from typing import Any

import unisycl as sycl

__kernel_language__ = True

BLOCK = 8


def extremes(it: Any, x: Any, low: Any, high: Any) -> None:
    """Find the least and the greatest element of a column in a part."""
    p, f = it[0], it[1]
    first = x.at[p * x.part * x.width + f]
    least, most = first, first
    last = min((p + 1) * x.part, x.count)
    for i in range(p * x.part, last):
        v = x.at[i * x.width + f]
        if v < least:
            least = v
        if v > most:
            most = v
    low[p * x.width + f] = least
    high[p * x.width + f] = most


def sums(it: Any, x: Any, shift: Any, zero: Any, out: Any) -> None:
    """Add up what a part's elements of a column differ from a number."""
    p, f = it[0], it[1]
    total = zero
    mean = shift[f]
    last = min((p + 1) * x.part, x.count)
    for i in range(p * x.part, last):
        total += x.at[i * x.width + f] - mean
    out[p * x.width + f] = total


def squares(it: Any, x: Any, shift: Any, zero: Any, out: Any) -> None:
    """Add up the squares of what a part's elements of a column differ from a number."""
    p, f = it[0], it[1]
    total = zero
    mean = shift[f]
    last = min((p + 1) * x.part, x.count)
    for i in range(p * x.part, last):
        v = x.at[i * x.width + f] - mean
        total += v * v
    out[p * x.width + f] = total


def centre(it: Any, x: Any, shift: Any, begins: Any, out: Any) -> None:
    """Bring a row's columns of a tile side by side, less a number of each column."""
    t, i, lane = it[0], it[1], it[2]
    f = begins[t] + lane
    out[(t * x.count + i) * BLOCK + lane] = x.at[(x.part + i) * x.width + f] - shift[f]


def cross(it: Any, x: Any, left: Any, right: Any, pairs: Any, out: Any) -> None:
    """Add up products of a tile of ``left`` and a column of a tile of ``right``, in a part.

    Behind the products is the sum of that column.
    """
    p, t, lane = it[0], it[1], it[2]
    total = sycl.private_array(right.dtype, BLOCK + 1)
    for c in range(BLOCK + 1):
        total[c] = 0
    high, wide = pairs.high[t] * x.count, pairs.wide[t] * x.count
    last = min((p + 1) * x.part, x.count)
    for i in range(p * x.part, last):
        v = right[(wide + i) * BLOCK + lane]
        for c in range(BLOCK):
            total[c] += v * left[(high + i) * BLOCK + c]
        total[BLOCK] += v
    for c in range(BLOCK + 1):
        out[((p * pairs.count + t) * (BLOCK + 1) + c) * BLOCK + lane] = total[c]


def cross_few(it: Any, x: Any, left: Any, right: Any, out: Any) -> None:
    """Add up products of a column of each side in a part, where one has few columns."""
    p, k, j = it[0], it[1], it[2]
    total = left.at[0] - left.at[0]
    last = min((p + 1) * x.part, x.count)
    for i in range(p * x.part, last):
        total += ((right.at[i * right.width + j] - right.shift[j])
                  * (left.at[i * left.width + k] - left.shift[k]))
    out[(p * left.width + k) * right.width + j] = total
