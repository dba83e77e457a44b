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


def cross(it: Any, x: Any, left: Any, right: Any, same: Any, out: Any) -> None:
    """Add up products of one column of ``right`` and ``BLOCK`` columns of ``left``, in a part.

    Where both are the ``same``, only what lies on or above the diagonal is needed.
    """
    p, b, j = it[0], it[1], it[2]
    first = b * BLOCK
    if same and j < first:
        return
    total = sycl.private_array(right.at.dtype, BLOCK)
    for c in range(BLOCK):
        total[c] = 0
    mean = right.shift[j]
    end = left.width - 1
    last = min((p + 1) * x.part, x.count)
    for i in range(p * x.part, last):
        v = right.at[i * right.width + j] - mean
        for c in range(BLOCK):
            k = min(first + c, end)
            total[c] += v * (left.at[i * left.width + k] - left.shift[k])
    for c in range(BLOCK):
        if first + c <= end:
            out[(p * left.width + first + c) * right.width + j] = total[c]
