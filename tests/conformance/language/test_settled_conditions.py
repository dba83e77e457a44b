"""Conditions that the first and last item of a vector may settle: each item decides as in Python.

Sizes around the widths of vectors, and bounds below, within, at the end and far beyond all ids:
a bound that is wrong by one shows at one of them. Ids are compared by sums, differences, products,
conversions, minima, remainders and windows of loops in both directions.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import unisycl as sycl
from tests.sampling import by_turns

pytestmark = pytest.mark.part("D-11")
SIZES, FIRST = (1, 8, 17, 70), 100
BOUNDS = (-(1 << 62), -3, 0, 1, 7, 8, 15, 16, 33, 64, 69, 70, 1 << 62)


def downwards(i, a, b, n):
    total = np.int64(0)
    for k in range(2, -3, -1):
        if 0 <= i + k < n:
            total = 3 * total + a[FIRST + i + k]
    b[i] = total


def downwards_by_two(i, a, b, n):
    total = np.int64(0)
    for k in range(4, -5, -2):
        if i - k >= 0 and n > i - k:
            total = 3 * total + a[FIRST + i - k]
    b[i] = total


def as_far_as_is_given(i, a, b, n):
    far = 3 if n > 20 else 1
    total = np.int64(0)
    for k in range(far, -far - 1, -1):
        if i + k < n:
            total = 3 * total + a[FIRST + i + k]
    for k in range(-far, far, 2):
        if i + k != n:
            total = 5 * total + a[FIRST + i + k]
    b[i] = total


def outside(i, a, b, n):
    if not (i < 3 or i >= n):
        b[i] = a[FIRST + i]
    elif not (i <= n and i != 2):
        b[i] = 2
    else:
        b[i] = 1


def one_of_two(i, a, b, n):
    if i < n or i < 5:
        b[i] += 1
    if i > n or i == 9:
        b[i] += 20
    if (i <= n) == (i > 11):
        b[i] += 300
    if (i < n) != (i < 6):
        b[i] += 4000


def turned_round(i, a, b, n):
    if n - i > 3:
        b[i] += 1
    if -i >= -n:
        b[i] += 20
    if 2 * i + 1 < n:
        b[i] += 300
    if 3 - 2 * i > n:
        b[i] += 4000


def of_two_ids(i, a, b, n):
    if i + 3 < 2 * i:
        b[i] += 1
    if i + n % 8 > i + 4:
        b[i] += 20
    if 40 - i > i:
        b[i] += 300
    if i - 2 == 2 * i - n % 64:
        b[i] += 4000


def converted(i, a, b, n):
    few = n % 100
    if np.int32(i) < np.int32(few):
        b[i] += 1
    if (np.int64(i) * 5).astype(np.uint8) > np.uint8(few):
        b[i] += 20
    if np.int16(i - 3) <= np.int16(few - 50):
        b[i] += 300
    if np.uint32(i + 1) >= np.uint32(few):
        b[i] += 4000


def clamped(i, a, b, n):
    last = min(n, 69)
    b[i] = a[FIRST + max(min(i + 2, last), 0)] + 3 * a[FIRST + min(max(i - 2, 0), 69)]
    b[i] += 5 * a[FIRST + max(-3, min(i, last) - 1)] + 7 * max(i, n % 90) - min(n % 70, i - 1)
    b[i] += 11 * a[FIRST + max(0, i - 3)] + 13 * a[FIRST + min(60, i + 1)] + max(n % 50, i)


def remainders(i, a, b, n):
    few = n % 13 + 2
    if i % 4 == 0:
        b[i] += 1
    if i % few != 1:
        b[i] += 20
    if (i + 5) // few < 3:
        b[i] += 300
    if (i - 40) % 64 >= few:
        b[i] += 4000


def bits(i, a, b, n):
    few = n % 64
    if i >> 2 < few >> 1:
        b[i] += 1
    if i & 8:
        b[i] += 20
    if (i | few) > 40:
        b[i] += 300
    if (i ^ 16) < few or (i & ~7) == few:
        b[i] += 4000


def nested(i, a, b, n):
    total = np.int64(0)
    for y in range(3):
        for k in range(y, 5 - y):
            if y + k <= i and i + y < n:
                total += a[FIRST + i - y - k]
        if i < n - y:
            total = 2 * total + y
    b[i] = total


def left_early(i, a, b, n):
    if i >= n + 2:
        return
    b[i] = 1
    if n <= i:
        return
    b[i] = a[FIRST + i]
    if i == n - 1:
        b[i] += 1000


KERNELS = (downwards, downwards_by_two, as_far_as_is_given, outside, one_of_two, turned_round,
           of_two_ids, converted, clamped, remainders, bits, nested, left_early)


@pytest.mark.parametrize("along", ["range", "rows", "groups"])
def test_each_item_decides_as_in_python(queue: sycl.queue, along: str) -> None:
    a = np.random.default_rng(4).integers(1, 1000, 300)
    for kernel in by_turns(queue.get_device(), KERNELS):

        def item(it, a, b, n, kernel=kernel):  # type: ignore[no-untyped-def]
            kernel(it.get_global_id(0), a, b, n)

        def element(it, a, b, n, kernel=kernel):  # type: ignore[no-untyped-def]
            kernel(it[1], a, b[it[0]], n)
        for size, n in itertools.product(SIZES, BOUNDS):
            found, wanted = np.zeros((2, size), np.int64), np.zeros(size, np.int64)
            with np.errstate(all="ignore"):
                for i in range(size):
                    kernel(i, a, wanted, n)
            if along == "rows":
                queue.parallel_for((2, size), element, a, found, n).wait()
            elif along == "range":
                queue.parallel_for(size, kernel, a, found[0], n).wait()
            else:
                queue.parallel_for(sycl.nd_range(size, size), item, a, found[0], n).wait()
            for row in found[:2 if along == "rows" else 1]:
                np.testing.assert_array_equal(row, wanted, err_msg=f"{kernel}, {size}, {n}")
