"""Pixels, points and pairs in flat arrays: what neighbours interleave is as Python has it."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.part("D-11")


def pairs(i, a, b, n):
    if i < n:
        low, high = a[2 * i], a[2 * i + 1]
        b[2 * i] = high + 1 if low < high else low
        b[2 * i + 1] = low - high


def points(i, a, b, n):
    k = 3 * i
    b[k + 2] = a[k]
    b[k] = a[k + 1]
    b[k + 1] = a[k + 2]


def grey(i, a, b, n):
    p = 4 * i
    b[i] = a[p] // 4 + a[p + 1] // 2 + a[p + 3 - 1] // 4


def every_other(i, a, b, n):
    if a[2 * i + 1] > a[1]:
        return
    b[i] = a[2 * i + 1]


def eight(i, a, b, n):
    k = (i + n) * 8 - 8 * n
    b[k], b[k + 7], b[k + 1], b[k + 6] = a[k], a[k + 1], a[k + 2], a[k + 3]
    b[k + 3], b[k + 4], b[k + 5], b[k + 2] = a[k + 4], a[k + 5], a[k + 6], a[k + 7]


def turned(i, a, b, n):
    b[2 * i], b[2 * i + 1] = b[2 * i + 1], b[2 * i]


def in_turns(i, a, b, n):
    for k in range(3):
        b[2 * i + 160 * k] = a[2 * i + 160 * k] + k
        b[2 * i + 1 + 160 * k] = a[2 * i + 160 * k + 1] - k


def _expected(function, a, b, items, n):
    with np.errstate(over="ignore"):
        for i in range(items):
            function(i, a, b, n)


@pytest.mark.parametrize(("function", "dtype"), [
    (pairs, np.int16), (pairs, np.float32), (points, np.uint8), (points, np.float64),
    (grey, np.uint8), (every_other, np.int32), (eight, np.uint8), (turned, np.float32),
    (in_turns, np.int32)])
def test_elements_of_neighbours(device: sycl.device, function, dtype) -> None:
    for items in (1, 7, 77):
        step = {pairs: 2, points: 3, grey: 4, every_other: 2, eight: 8, turned: 2}.get(function)
        size = step * items if step is not None else 480 + 2 * items
        a = np.random.default_rng(items).integers(0, 60, size).astype(dtype)
        b = np.arange(size).astype(dtype)
        expected = b.copy()
        _expected(function, a, expected, items, 5)
        if np.dtype(dtype).itemsize == 8 and not device.has(sycl.aspect.fp64):
            pytest.skip("the device has no doubles")
        sycl.queue(device).parallel_for(items, function, a, b, 5).wait()
        np.testing.assert_array_equal(b, expected)


def test_memories_that_overlap(device: sycl.device) -> None:
    def shifted(i, a, b):
        b[2 * i] = a[2 * i] + 1
        b[2 * i + 1] = a[2 * i + 1] + 1
    for by in (0, 1, 2, 5):
        memory, expected = np.arange(80.), np.arange(80.)
        for i in range(1):
            shifted(i, expected[by:], expected)
        sycl.queue(device).parallel_for(1, shifted, memory[by:], memory).wait()
        np.testing.assert_array_equal(memory, expected)
