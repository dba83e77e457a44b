"""NumPy's functions of a row of memory, written in the kernel language: sums, extremes, places.

Non-goals: several dimensions, complex numbers. Invariant: bit by bit what NumPy gives. Floats are
added as it adds them (pairwise, by eights), and NaN is the largest and the smallest number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.lang.memory.views import private_array

__kernel_language__ = True

BLOCK = 128
"""So many numbers are added by eight sums; more are two halves."""

DEEPEST = 60


def total(row: Any, zero: Any) -> Any:
    """Return the sum of integers from first to last."""
    found = zero
    for x in row:
        found += x
    return found


def block_sum(row: Any, first: Any, count: Any, zero: Any) -> Any:
    """Return the sum of at most ``BLOCK`` floats as NumPy adds them."""
    end = first + count
    if count < 8:
        found = -zero
        for k in range(first, end):
            found += row[k]
        return found
    a, b, c, d = zero + row[first], zero + row[first + 1], zero + row[first + 2], zero + row[
        first + 3]
    e, f, g, h = (zero + row[first + 4], zero + row[first + 5], zero + row[first + 6],
                  zero + row[first + 7])
    whole = count - count % 8
    for k in range(first + 8, first + whole, 8):
        a += row[k]
        b += row[k + 1]
        c += row[k + 2]
        d += row[k + 3]
        e += row[k + 4]
        f += row[k + 5]
        g += row[k + 6]
        h += row[k + 7]
    found = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for k in range(first + whole, end):
        found += row[k]
    return found


def pairwise_sum(row: Any, zero: Any, kind: Any) -> Any:
    """Return the sum of floats as NumPy adds them; ``kind``: the type of sums."""
    size = len(row)
    if size <= BLOCK:
        return zero + block_sum(row, 0, size, zero)
    sums, rest = private_array(kind, DEEPEST), private_array(np.int64, DEEPEST)
    depth, first, found, done = 0, 0, zero, False
    while not done:
        while size > BLOCK:
            half = size // 2
            half -= half % 8
            rest[depth] = size - half
            depth += 1
            size = half
        found = block_sum(row, first, size, zero)
        first += size
        while depth > 0 and rest[depth - 1] == 0:  # it was the second half
            depth -= 1
            found = sums[depth] + found
        if depth > 0:
            sums[depth - 1] = found
            size = int(rest[depth - 1])
            rest[depth - 1] = 0
        else:
            done = True
    return zero + found


def product(row: Any, one: Any) -> Any:
    """Return the product from first to last."""
    found = one
    for x in row:
        found *= x
    return found


def largest(row: Any, zero: Any) -> Any:
    """Return the largest number, NaN if there is one; ``zero`` of nothing."""
    if len(row) == 0:
        return zero
    best = row[0]
    for k in range(1, len(row)):
        best = np.maximum(best, row[k])
    return best


def smallest(row: Any, zero: Any) -> Any:
    """Return the smallest number, NaN if there is one; ``zero`` of nothing."""
    if len(row) == 0:
        return zero
    best = row[0]
    for k in range(1, len(row)):
        best = np.minimum(best, row[k])
    return best


def place_of_largest(row: Any) -> Any:
    """Return where the first of the largest numbers is, or the first NaN."""
    at = np.int64(0)
    if len(row) > 0:
        best = row[0]
        for k in range(1, len(row)):
            x = row[k]
            if best == best and not x <= best:
                best = x
                at = np.int64(k)
    return at


def place_of_smallest(row: Any) -> Any:
    """Return where the first of the smallest numbers is, or the first NaN."""
    at = np.int64(0)
    if len(row) > 0:
        best = row[0]
        for k in range(1, len(row)):
            x = row[k]
            if best == best and not x >= best:
                best = x
                at = np.int64(k)
    return at


def some(row: Any) -> Any:
    """Say whether any element is not zero."""
    found: Any = np.bool_(False)
    for x in row:
        if x != 0:
            found = np.bool_(True)
            break
    return found


def every(row: Any) -> Any:
    """Say whether no element is zero."""
    found: Any = np.bool_(True)
    for x in row:
        if x == 0:
            found = np.bool_(False)
            break
    return found
