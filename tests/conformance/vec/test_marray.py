"""``marray`` in kernels (SYCL 2020 §4.14.3): compared with NumPy on every device."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.vec.test_vec import N, filled, rows_of

pytestmark = pytest.mark.row("D-9")


def table(kind, rng):
    rows = rng.integers(1, 9, (N, kind.count)).astype(kind.element)
    return filled(kind, rows), rows


@pytest.mark.parametrize(("dtype", "count"), [
    (np.float32, 5), (np.int8, 1), (np.uint64, 3), (np.float64, 2), (np.float16, 7),
    (np.int32, 40)], ids=str)
def test_arithmetic_and_layout(queue, dtype, count):
    kind = sycl.marray(dtype, count)
    rng = np.random.default_rng(3)
    a, x = table(kind, rng)
    b, y = table(kind, rng)
    out = np.zeros(N, kind)

    def kernel(i):
        out[i] = (a[i] + b[i]) * a[i] - 1
    queue.parallel_for(N, kernel).wait()
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(rows_of(out), (x + y) * x - dtype(1), strict=True)
    assert kind.dtype.itemsize == count * np.dtype(dtype).itemsize


def test_comparisons_and_logic_give_bools(queue):
    rng = np.random.default_rng(4)
    kind, flags = sycl.marray(np.int16, 6), sycl.marray(np.bool_, 6)
    a, x = table(kind, rng)
    b, y = table(kind, rng)
    outs = tuple(np.zeros(N, flags) for _ in range(5))

    def kernel(i):
        u, v = a[i], b[i]
        outs[0][i] = u < v
        outs[1][i] = (u == v) | (u > 6)
        outs[2][i] = ~(u >= v) ^ (v != 3)
        outs[3][i] = sycl.logical_and(u - v, v - 4)
        w = u > 2
        w[i % 6] = False
        outs[4][i] = w
    queue.parallel_for(N, kernel).wait()
    keep = np.arange(6) != (np.arange(N) % 6)[:, None]
    expected = [x < y, (x == y) | (x > 6), ~(x >= y) ^ (y != 3), (x != y) & (y != 4),
                (x > 2) & keep]
    for found, want in zip(outs, expected, strict=True):
        np.testing.assert_array_equal(rows_of(found), want, strict=True)


@pytest.mark.row("D-19", "D-30")
def test_functions_of_numbers_take_marrays(queue):
    rng = np.random.default_rng(5)
    kind = sycl.marray(np.float32, 5)
    a, x = table(kind, rng)
    out, tests = np.zeros(N, kind), np.zeros(N, sycl.marray(np.bool_, 5))

    def kernel(i):
        out[i] = sycl.fmin(sycl.sqrt(a[i]), 2.0) + sycl.plus(a[i], 1)
        tests[i] = sycl.isgreater(a[i], 4.0)
    queue.parallel_for(N, kernel).wait()
    np.testing.assert_allclose(rows_of(out), np.minimum(np.sqrt(x), 2) + x + 1, rtol=1e-6)
    np.testing.assert_array_equal(rows_of(tests), x > 4)


def test_elements_sums_and_captures(queue):
    rng = np.random.default_rng(6)
    kind = sycl.marray(np.float32, 9)
    taps = kind(*range(9))
    x = rng.random(N + 8).astype(np.float32)
    out = np.zeros(N, np.float32)

    def kernel(i):
        window = kind()
        for k in range(9):
            window[k] = x[i + k]
        window = window * taps
        total = 0.0
        for one in window:
            total += one
        out[i] = total
    queue.parallel_for(N, kernel).wait()
    np.testing.assert_allclose(out, np.convolve(x, np.arange(9)[::-1], "valid"), rtol=1e-5)
