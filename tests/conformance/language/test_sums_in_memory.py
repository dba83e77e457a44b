"""Loops that add to an element of memory: as in Python, also where memories are the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.part("D-11")
Kernel = Callable[..., None]


def row_sum(i, c, d, n):
    for k in range(n):
        c[i, 0] += d[i, k]


def fresh_sum(i, c, d, n):
    c[i, 1] = 0
    for k in range(n - 1, -1, -1):
        c[i, 1] += d[i, k] * (k + 1)


def two_elements(i, c, d, n):
    for k in range(n):
        c[i, 0] += d[i, k]
        d[i, 1] = d[i, 1] + c[i, 0]


def window(i, c, d, n):
    for ky in range(2):
        for kx in range(3):
            c[i, 2] += d[i, ky + kx] * kx


def inner_loop(i, c, d, n):
    for j in range(n):
        for k in range(j):
            c[i, j] += d[i, k]


def under_a_branch(i, c, d, n):
    for k in range(n):
        if d[i, k] > 20:
            c[i, 0] += d[i, k]


def behind_a_branch(i, c, d, n):
    for k in range(n):
        x = d[i, k]
        if x > 20:
            x = -x
        c[i, 0] += x
        if c[i, 0] < -60:
            break


def moving(i, c, d, n):
    k = 0
    for j in range(n):
        c[i, k] += d[i, j]
        k = j // 2


def never(i, c, d, n):
    for k in range(n, 0):
        c[i, 1000000] += d[i, k]
    c[i, 0] = 1


KERNELS = (row_sum, fresh_sum, two_elements, window, inner_loop, under_a_branch, behind_a_branch,
           moving, never)


def memories(how: str) -> tuple[np.ndarray, np.ndarray]:
    """Return two memories that are apart, one, or overlap by rows' parts."""
    numbers = ((np.arange(37 * 12) * 29) % 41 - 7).astype(np.int32)
    if how == "apart":
        return numbers.reshape(37, 12)[:, :6].copy(), numbers.reshape(37, 12)[:, 6:].copy()
    whole = numbers.reshape(37, 12)
    return (whole[:, :6], whole[:, :6]) if how == "one" else (whole[:, :8], whole[:, 2:10])


@pytest.mark.parametrize("how", ["apart", "one", "overlapping"])
@pytest.mark.parametrize("kernel", KERNELS, ids=[k.__name__ for k in KERNELS])
def test_elements_have_what_python_leaves_in_them(queue: sycl.queue, kernel: Kernel,
                                                  how: str) -> None:
    if how != "apart" and not queue.get_device().has(sycl.aspect.usm_system_allocations):
        pytest.skip("the device gets a copy of each array")
    for n in (0, 1, 6):
        found, wanted = memories(how), memories(how)
        for i in range(37):
            kernel(i, *wanted, n)
        queue.parallel_for(37, kernel, *found, n).wait()
        np.testing.assert_array_equal(found[0], wanted[0], f"n = {n}")
        np.testing.assert_array_equal(found[1], wanted[1], f"n = {n}")


def test_one_array_given_twice_is_seen_to_be_one(queue: sycl.queue) -> None:
    def kernel(i, c, d, n):
        for k in range(n):
            c[i] = c[i] + d[k + n]
            c[i] = c[i] * 2
    for n in (0, 1, 5):
        for shift in (0, 3, 5, 10):
            found, wanted = np.arange(40), np.arange(40)
            kernel(2, wanted[:12], wanted[shift:shift + 12], n)
            part = found[shift:shift + 12]

            def one(c, d, n=n):
                kernel(2, c, d, n)
            if not queue.get_device().has(sycl.aspect.usm_system_allocations):
                pytest.skip("the device gets a copy of each array")
            queue.single_task(one, found[:12], part).wait()
            np.testing.assert_array_equal(found, wanted)
