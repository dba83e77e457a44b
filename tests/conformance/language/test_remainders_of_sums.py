"""Remainders of sums by a number that work-items share: near it, far from it, of any sign."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl


@sycl.kernel
def neighbours(i, out, at, n):
    if at[i] != at[i] - at[i] + 5:
        out[0, i] = (at[i] - 1) % n
        out[1, i] = (at[i] + n) % n
    out[2, i] = (at[i] + at[0]) % n


@sycl.kernel
def turned(i, out, n):
    out[0, i] = (i - 3) % n
    out[1, i] = (7 - i) % n


@pytest.mark.part("D-1")
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_they_are_those_of_python(queue: sycl.queue, dtype: type) -> None:
    most = np.iinfo(dtype).max
    eighth = int(most) // 4 + 1
    for n in (1, 7, 40, -7, 0, eighth - 1, eighth, eighth + 1, int(most)):
        around = np.arange(-2, 3) + n // 2 * np.array([1, 2, 3, -1, -2])
        at = np.concatenate([np.arange(-45, 90), around,
                             [most, most - 1, -most, -most - 1]]).astype(dtype)
        if n in (7, 40):
            at = at[:130] % n  # all near
        out = np.zeros((3, len(at)), dtype)
        queue.parallel_for(len(at), neighbours, out, at, dtype(n)).wait()
        with np.errstate(all="ignore"):
            wanted = np.array([np.mod(at - dtype(1), dtype(n)), np.mod(at + dtype(n), dtype(n)),
                               np.mod(at + at[0], dtype(n))])
        wanted[:2, at == 5] = 0
        assert np.array_equal(out, wanted), n


@pytest.mark.part("D-1")
def test_those_of_python_ints_by_python_ints(queue: sycl.queue) -> None:
    items = 61
    for n in (1, 9, 61, 64, -5, 1 << 40, -(1 << 62)):
        out = np.zeros((2, items), np.int64)
        queue.parallel_for(items, turned, out, n).wait()
        assert out.tolist() == [[(i - 3) % n for i in range(items)],
                                [(7 - i) % n for i in range(items)]]
