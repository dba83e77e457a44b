"""Integers that a path makes Python's or int32: exact where that is Python's number, else told.

``abs``, ``<<``, ``**`` and sums are Python's integers' with a warning where more bits are asked for
than int32 has; ``/`` and arithmetic with Python's floats are the same number either way.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.part("D-11")
X = np.array([7, -5, 100, -(2**20) - 1, 2**20, 0], np.int32)
LOW = np.array([-(2**31), 2**31 - 1, -7, 2**30, -(2**30) - 3, 5], np.int32)


def narrow(i, x, o, d):  # type: ignore[no-untyped-def]
    m = i - 3
    if i % 2:
        m = x[i]
    o[0, i] = abs(m)
    o[1, i] = m << 5
    o[2, i] = m ** 3
    o[3, i] = m << 40
    o[4, i] = -m - 1
    o[5, i] = 1 << (m & 7)


def doubles(i, x, o, d):  # type: ignore[no-untyped-def]
    m = i - 3
    if i % 2:
        m = x[i]
    d[0, i] = m / 3
    d[1, i] = m * 0.1 - 2.5
    d[2, i] = 1.5 - m
    d[3, i] = (m / 7 + m) * 0.3
    o[0, i] = m / 3 < 0.5


@pytest.mark.parametrize("x", [X, LOW])
@pytest.mark.parametrize("kernel", [narrow, doubles])
def test_what_no_type_changes_is_computed(queue: sycl.queue, kernel: Callable[..., None],
                                          x: np.ndarray) -> None:
    found, wanted = (np.zeros((6, X.size), np.int32) for _ in range(2))
    near, exact = (np.zeros((6, X.size)) for _ in range(2))
    if kernel is doubles and x is LOW:
        x = x // np.int32(2**16)
    queue.parallel_for(X.size, kernel, x, found, near).wait()
    with np.errstate(all="ignore"):
        for i in range(X.size):
            kernel(i, x, Wrapping(wanted), exact)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(near, exact)


class Wrapping:
    """An array of int32 that takes the low bits of Python's integers, as kernels' memory does."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __setitem__(self, at: tuple[int, int], value: int) -> None:
        self.array[at] = (int(value) + 2**31) % 2**32 - 2**31


def asked(what: Callable[..., int], name: str) -> Callable[..., None]:
    def kernel(i, x, o):  # type: ignore[no-untyped-def]
        m = i
        if i % 2 and name != "":  # a kernel for each device: it is told once
            m = x[i]
        o[i] = what(m)
    return kernel


@pytest.mark.parametrize("what", [
    lambda m: m * 3, lambda m: -m, lambda m: m - 1, lambda m: abs(m), lambda m: m << 3,
    lambda m: m ** 2])
def test_more_bits_than_one_type_has_are_exact_and_warned_of(
        queue: sycl.queue, what: Callable[..., int]) -> None:
    found, x = np.zeros(X.size, np.int64), np.array([7, -5, 100, -30, 44, 0], np.int32)
    kernel = asked(what, str(queue.get_device()))
    with pytest.warns(sycl.KernelWarning, match=r"m is a Python int or int32 here.* exact"):
        queue.parallel_for(X.size, kernel, x, found).wait()
    near = [what(i if i % 2 == 0 else x[i]) for i in range(X.size)]
    np.testing.assert_array_equal(found, near)


def wide(i, x, y, o):  # type: ignore[no-untyped-def]
    m = y[i]
    if i % 2:
        m = x[i]
    o[i] = m * 3


def rounded(i, x, y, o):  # type: ignore[no-untyped-def]
    m = i
    if i % 2:
        m = x[i]
    o[i] = m * np.float32(0.5)


def divisor(i, x, y, o):  # type: ignore[no-untyped-def]
    m = i
    if i % 2:
        m = x[i]
    o[i] = 100 // m


@pytest.mark.parametrize("kernel", [wide, rounded, divisor])
def test_what_depends_on_the_type_is_refused(queue: sycl.queue,
                                             kernel: Callable[..., None]) -> None:
    with pytest.raises(sycl.exception, match=r"K087(.|\n)*int\(\)"):
        queue.parallel_for(4, kernel, X, X.astype(np.int64), np.zeros(8, np.int64)).wait()


def together(it, x, o):  # type: ignore[no-untyped-def]
    m = it.get_global_id(0)
    if m > 1:
        m = x[m]
    o[it.get_global_id(0)] = sycl.reduce_over_group(it.get_group(), m, sycl.plus())


def converted(it, x, o):  # type: ignore[no-untyped-def]
    m = it.get_global_id(0)
    if m > 1:
        m = x[m]
    o[it.get_global_id(0)] = sycl.reduce_over_group(it.get_group(), np.int32(m), sycl.plus())


def test_group_functions_take_one_type(queue: sycl.queue) -> None:
    found = np.zeros(4, np.int64)
    with pytest.raises(sycl.exception, match="K087"):
        queue.parallel_for(sycl.nd_range(4, 4), together, X, found).wait()
    queue.parallel_for(sycl.nd_range(4, 4), converted, X, found).wait()
    np.testing.assert_array_equal(found, 4 * [1 + int(X[2]) + int(X[3])])
