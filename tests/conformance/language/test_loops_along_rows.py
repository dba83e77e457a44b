"""Loops along rows, one row a work-item: as in Python, whatever the lengths and the guards."""

from __future__ import annotations

import contextlib
from itertools import product

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.part("D-11")
SIZES = (7, 37)
LOOPS = ((29, 0), (29, 3), (3, 0), (8, 0), (9, 9), (17, 1))


def sums(i, out, a, b, n, first):
    total, other = a[0, 0] * 0, b[0] * 0
    for j in range(first, n):
        total += a[i, j] * (j + 1)
        other = b[i * a.shape[1] + j] - other
    out[i, 0], out[i, 1] = total, other


def guarded(i, out, a, b, n, first):
    if i % 3 == 1:
        return
    last = n
    for j in range(first, n):
        x = a[i, j]
        if x > 2:
            x = a[i, j] + b[i * a.shape[1] + j]
        out_of = x - a[i, 0]
        last = j
        out[i, 1] = out_of
    if i != 2:
        least = a[i, 0]
        for k in range(first, n):
            least = min(least, a[i, k] - k)
        out[i, 0] = least + last


def neighbours(i, out, a, b, n, first):
    for j in range(n):
        if j > 3:
            out[i, 0] = j
    best, where = a[i, 0], 0
    for j in range(first, n - 1):
        rise = a[i, j + 1] - a[i, j]
        if rise > best:
            best, where = rise, j
    out[i, 0], out[i, 1] = best, where


def items(it, out, a, b, n, first):
    i = it.get_global_id(0)
    if i < out.shape[0]:
        sums(i, out, a, b, n, first)


def run(queue, kernel, dtype, rows, n, first):
    """Compare one launch with Python."""
    a = (np.arange(rows * 31).reshape(rows, 31) * 7 % 11).astype(dtype)
    b = (np.arange(rows * 31) * 5 % 13 % 3).astype(dtype)
    out = np.full((rows, 2), 5, dtype if dtype in (np.float32, np.float64) else np.int64)
    wanted = out.copy()
    space = sycl.nd_range(-(-rows // 16) * 16, 16) if kernel.__name__ == "items" \
        else sycl.range(rows)
    queue.parallel_for(space, kernel, out, a, b, n, first).wait()
    for i in range(rows):
        function = sums if kernel.__name__ in ("items", "sums") else kernel
        function(i, wanted, a, b, n, first)
    np.testing.assert_array_equal(out, wanted, f"{kernel.__name__} {rows} {n} {first}")


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
def test_loops_along_rows(queue, dtype):
    if dtype is np.float64 and not queue.get_device().has(sycl.aspect.fp64):
        pytest.skip("no float64")
    for kernel, rows in product((sums, guarded, neighbours, items), SIZES):
        for n, first in LOOPS:
            run(queue, kernel, dtype, rows, n, first)


def test_loops_along_rows_in_narrower_vectors(queue):
    for target in ("x86-64-v3", "x86-64-v2"):
        options = sycl.ext.oneapi.experimental.build_options(f"-march={target}")
        with contextlib.suppress(sycl.exception):  # a processor that has no such vectors
            run(queue, sycl.kernel(properties=[options])(sums), np.float32, 37, 29, 3)


def written(i, a, b, c, last):
    total = a[i, 0] * 0
    if i != 3:
        for j in range(a.shape[1]):
            total += a[i, j]
            b[i, j] = total
    for k in range(1, last):
        at = k
        c[i, at] = c[i, at] - a[i, last - k]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("moved", [None, 0, 1])
def test_loops_that_write_along_rows(queue, dtype, moved):
    """``moved``: how far one of the arrays lies behind another one, in the same memory."""
    if dtype is np.float64 and not queue.get_device().has(sycl.aspect.fp64):
        pytest.skip("no float64")
    for rows, width in ((1, 29), (17, 24)) if moved != 1 else ((1, 29),):
        found, wanted = ((np.arange(3 * 17 * 30) * 7 % 11).astype(dtype) for _ in range(2))
        size = rows * width
        for memory in (found, wanted):
            place = size if moved is None else moved
            a, b, c = (memory[first:first + size].reshape(rows, width)
                       for first in (0, place, 2 * size + 1))
            if memory is found:
                queue.parallel_for(sycl.range(rows), written, a, b, c, width - 2).wait()
            else:
                for i in range(rows):
                    written(i, a, b, c, width - 2)
        np.testing.assert_array_equal(found, wanted)


def two_sums(i, out, a, n, first):
    total = other = a[0, 0] * 0
    for j in range(first, n):
        total += a[i, j]
        other = other - a[i, j] * a[0, j] + 1
    out[i, 0], out[i, 1] = total, other


def centred(i, out, a, n, first):
    total = a[0, 0] * 0
    for j in range(first, n):
        total += a[i, j]
    for j in range(first, n):
        out[i, j] = a[i, j] - total
    out[i, 0] = total


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_along_rows_in_any_order(queue, dtype):
    """Whole numbers, so that each order gives the same sums."""
    if dtype is np.float64 and not queue.get_device().has(sycl.aspect.fp64):
        pytest.skip("no float64")
    options = sycl.ext.oneapi.experimental.build_options("-ffast-math")
    for kernel, (rows, width) in product((two_sums, centred), ((1, 71), (5, 40), (19, 8))):
        fast = sycl.kernel(properties=[options])(kernel)
        a = (np.arange(rows * width).reshape(rows, width) * 7 % 11).astype(dtype)
        for n, first in ((width, 0), (width - 1, 3), (2, 2)):
            out = np.full((rows, width), 5, dtype)
            wanted = out.copy()
            queue.parallel_for(sycl.range(rows), fast, out, a, n, first).wait()
            for i in range(rows):
                kernel(i, wanted, a, n, first)
            np.testing.assert_array_equal(out, wanted, f"{kernel.__name__} {rows} {n} {first}")
