"""Names that take each other's value of the turn before, in loops of each item's own length."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.part("D-11")


def turning(i, n, x, f, o):  # type: ignore[no-untyped-def]
    a, b = 0, 1
    p, q, r = np.float32(1), np.float32(2), np.float32(0)
    small, before = np.int16(i), np.int16(1)
    for _ in range(n[i]):
        a, b = b, a + b
        p, q, r = q, r, p + x[i]
        before, small = small, small + before
    o[0, i], o[1, i], o[2, i] = a, before, small
    f[i] = p + 2 * q + 4 * r


def test_names_take_the_values_of_the_turn_before(queue: sycl.queue) -> None:
    n = np.arange(40, dtype=np.int32) % 19
    x = (np.arange(40) % 5).astype(np.float32)
    found, wanted = (np.zeros((3, 40), np.int64) for _ in range(2))
    floats, exact = (np.zeros(40, np.float32) for _ in range(2))
    queue.parallel_for(40, turning, n, x, floats, found).wait()
    with np.errstate(over="ignore"):
        for i in range(40):
            turning(i, n, x, exact, wanted)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(floats, exact)
