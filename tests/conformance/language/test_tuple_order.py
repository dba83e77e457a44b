"""Tuples in their order, generators that are unpacked, and an item that meets a number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.part("D-11")
X = np.array([3, -1, 5, 3, 0, 7], np.int32)
F = np.array([0.5, np.nan, 1.0, -0.0, np.inf, 2.5], np.float32)


def order(i, x, f, o):  # type: ignore[no-untyped-def]
    o[0, i] = (i, 1) < (3, 1)
    o[1, i] = (i, f[i]) >= (2, 1.0)
    o[2, i] = (f[i], 2) <= (1.0, 3, 1)
    o[3, i] = ((i, 1), x[i]) > ((3, 0), 7)
    if (x[i], i) < (x[0], 3):
        o[4, i] = 1
    o[5, i] = 3 * ((1, 2) < (1, 3)) + 5 * ((1, 2) < (1, 2, 3)) + 7 * (() > (i,))


def unpacked(i, x, f, o):  # type: ignore[no-untyped-def]
    a, b, c = (i * k for k in range(3))
    [d, *rest] = (x[k] for k in range(6) if k % 2)
    o[0, i], o[1, i] = (k + 1 for k in (a + b * 10 + c * 100, d + rest[1]))


def items(i, x, f, o):  # type: ignore[no-untyped-def]
    def result(n):  # type: ignore[no-untyped-def]
        if n < 3:
            return -n
        return n

    o[0, i] = result(i)
    least = 0
    if x[i] > 2:
        least = i
    o[1, i] = least
    turned = i
    if i > 3:
        turned = 0.5
    o[2, i] = turned * 4
    o[3, i] = (i if f[i] > 0 else 77) + 1


@pytest.mark.parametrize("kernel", [order, unpacked, items])
def test_kernels_do_what_python_does(queue: sycl.queue, kernel: Callable[..., None]) -> None:
    found, wanted = np.zeros((6, X.size), np.int64), np.zeros((6, X.size), np.int64)
    queue.parallel_for(X.size, kernel, X, F, found).wait()
    for i in range(X.size):
        kernel(i, X, F, wanted)
    np.testing.assert_array_equal(found, wanted)


def too_few(i, o):  # type: ignore[no-untyped-def]
    a, b = (i + k for k in range(3))
    o[i] = a + b


def kept(i, o):  # type: ignore[no-untyped-def]
    values = (i + k for k in range(3))
    o[i] = sum(values)


@pytest.mark.parametrize(("kernel", "text"), [(too_few, "K047"), (kept, "K052")])
def test_other_generators_are_refused(queue: sycl.queue, kernel: Callable[..., None],
                                      text: str) -> None:
    with pytest.raises(sycl.exception, match=text):
        queue.parallel_for(4, kernel, np.zeros(4, np.int64)).wait()
