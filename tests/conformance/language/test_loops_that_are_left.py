"""Counters of loops that work-items leave in different turns, read where they leave and behind."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.part("D-11")
SIZE = 120


def left(i, out):  # type: ignore[no-untyped-def]
    real, imag = -2 + i % 30 * 0.125, -1 + i // 30 * 0.5
    c, z = complex(real, imag), 0j
    for n in range(20):
        if abs(z) > 2:
            break
        z = z * z + c
    else:
        n = 50
    out[0, i] = n

    x = y = np.float64(0)
    s = m = 0
    for m in range(20):
        if x * x + y * y > 4:
            break
        if m % 3 == 1:
            s += 1
        t = x
        x = x * x - y * y + real
        y = 2 * t * y + imag
    out[1, i] = m * m + s

    x = y = np.float64(0)
    for m in range(20):
        if x * x > 3:
            break
        x, y = y, x * y + real
    out[2, i] = m // 2

    x = y = 0.0
    k, n = 0, -1
    while k < 20:
        if x > 2:
            n = int(k * 0.5)
            break
        x, y = x + y, x * 0.5 + imag
        k += 1
    out[3, i] = n


def test_each_item_has_its_own_counter_where_it_leaves(queue: sycl.queue) -> None:
    found, wanted = (np.zeros((4, SIZE), np.int64) for _ in range(2))
    queue.parallel_for(SIZE, left, found).wait()
    for i in range(SIZE):
        left(i, wanted)
    np.testing.assert_array_equal(found, wanted)
