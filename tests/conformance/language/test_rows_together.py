"""Products and their kin over ranges of rows: as in Python, whatever the sizes and the guards."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.sampling import by_turns

pytestmark = pytest.mark.part("D-11")


def product(it, c, a, b, n):
    i, j = it[0], it[1]
    total = a[0, 0] * 0
    for k in range(n):
        total += a[i, k] * b[k, j]
    c[i, j] = total


def in_memory(it, c, a, b, n):
    i, j = it[0], it[1]
    c[i, j] *= 2
    for k in range(n):
        c[i, j] += a[i, k] * b[k, j]


def guarded(it, c, a, b, n):
    i, j = it[0], it[1]
    if i < n and 0 < j < n + 4:
        total, count = a[0, 0] * 0, 0
        for k in range(n):
            x = a[i, k]
            if x > 3:
                x = -x
                count += 1
            total += x * b[k, j] + count
        c[i, j] = total + count


def shared(it, c, a, b, n):
    i, j = it[0], it[1]
    total = largest = b[0, j]
    for k in range(n):
        v = b[k, j] - k
        largest = max(largest, v)
        if j % 2 == 0:
            total += largest * a[i, k]
    if i % 3 == 1:
        total = -total
    c[i, j] = total + largest


def triangle(it, c, a, b, n):
    i, j = it[0], it[1]
    total = a[i, 0]
    for k in range(min(i, n)):
        total += a[i, k] * b[k, j]
    c[i, j] = total


def one_by_one(kernel, shape, *args):
    for i in range(shape[0]):
        for j in range(shape[1]):
            kernel((i, j), *args)


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_rows_that_share_what_they_read(queue, dtype):
    for kernel in (product, in_memory, guarded, shared, triangle):
        for rows, width in by_turns(queue.get_device(), ((9, 67), (4, 16), (3, 35), (6, 1))):
            n = 5
            a = (np.arange(rows * n).reshape(rows, n) * 7 % 11).astype(dtype)
            b = (np.arange(n * width).reshape(n, width) * 5 % 13).astype(dtype)
            c = np.ones((rows, width), dtype)
            wanted = c.copy()
            queue.parallel_for(sycl.range(rows, width), kernel, c, a, b, n).wait()
            one_by_one(kernel, c.shape, wanted, a, b, n)
            np.testing.assert_array_equal(c, wanted, f"{kernel.__name__} {rows} {width}")


def test_planes_whose_rows_share_what_they_read(queue):
    rows, n = 6, 9
    a, b = (np.arange(3 * n * 20) * 3 % 7).reshape(3, 20, n), np.arange(25 * n) % 5
    b, out = b.reshape(25, n), np.zeros((3, rows, 25), np.int64)

    def kernel(it, out, a, b):
        z, g, m = it[0], it[1], it[2]
        for d in range(b.shape[1]):
            out[z, g, m] += b[m, d] * a[z, g, d]
    queue.parallel_for(sycl.range(3, rows, 25), kernel, out, a, b).wait()
    np.testing.assert_array_equal(out, a[:, :rows] @ b.T)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ends_of_rows_that_run_together(queue, dtype):
    """Vectors at rows' ends: sums of one order, bit by bit, and nothing beside them is written."""
    random, n = np.random.default_rng(3), 19
    for rows, width in ((4, 1), (5, 7), (8, 9), (11, 15), (4, 17), (7, 33)):
        a = random.random((rows, n)).astype(dtype) - dtype(0.5)
        b = random.random((width, n)).astype(dtype)
        whole = np.full((rows + 1, width + 5), 7, dtype)
        c = whole[:rows, :width]
        wanted = np.zeros((rows, width), dtype)
        for k in range(n):  # exact: products of few bits
            wanted += np.round(a[:, k:k + 1] * 64) * np.round(b[:, k] * 64)

        def kernel(it, c, a, b):
            i, j = it[0], it[1]
            total = a[0, 0] * 0
            for k in range(a.shape[1]):
                total += a[i, k] * b[j, k]
            c[i, j] = total
        queue.parallel_for(sycl.range(rows, width), kernel, c, np.round(a * 64),
                           np.round(b * 64)).wait()
        np.testing.assert_array_equal(c, wanted, f"{rows} {width}")
        whole[:rows, :width] = 7
        assert (whole == 7).all()


def test_guards_hold_at_the_ends_of_rows(queue):
    """A guard that an end passes in some lanes only leaves the others as they were."""
    n = 6
    for width, last in ((13, 12), (9, 9), (21, 5), (16, 14)):
        a = (np.arange(9 * n) * 7 % 11).astype(np.float32).reshape(9, n)
        b = (np.arange(n * width) * 5 % 13).astype(np.float32).reshape(n, width)
        c, wanted = np.ones((9, width), np.float32), np.ones((9, width), np.float32)

        def kernel(it, c, a, b, last):
            i, j = it[0], it[1]
            if j < last:
                total = a[0, 0] * 0
                for k in range(a.shape[1]):
                    total += a[i, k] * b[k, j]
                c[i, j] += total
        queue.parallel_for(sycl.range(9, width), kernel, c, a, b, last).wait()
        wanted[:, :last] += (a @ b)[:, :last]
        np.testing.assert_array_equal(c, wanted, f"{width} {last}")
