"""Floor divisions and remainders of one integer by several constants, asked for one by one.

A compiler did not end on the text that floor divisions had (the row of ``instcombine`` in
``unisycl/backends/opencl/text/quirks.py``). Each form is compared with NumPy's.
"""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

COUNT = 96


def kernel(i, v, o):
    a = v[i]
    if a // 3 < 0:
        o[0, i] = 1
    elif (a // 5) % 4 == 3:
        o[0, i] = 2
    found = 0 > a // 3 or (a // 5) % 4 == 3
    o[1, i] = 1 if found else 0
    o[2, i] = a // -7
    o[3, i] = (a // 3) * 100 + a % 3
    o[4, i] = a // (a % 5 - 2)


def single(v, o, p):
    found = v[0] < v[1] or 0 > p // 3
    if not found:
        found = (p // 5) % 4 == 3 or (p + p) % 3 != 3
    o[0] = 1 if found else 0


@pytest.mark.part("D-1")
@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_floor_divisions_are_numpys(queue: sycl.queue, dtype: type) -> None:
    v = np.random.default_rng(7).integers(-99, 99, COUNT).astype(dtype)
    o = np.zeros((5, COUNT), np.int64)
    with sycl.buffer(v) as values, sycl.buffer(o) as found:
        queue.submit(lambda h: h.parallel_for(
            sycl.range(COUNT), kernel, values.get_access(h), found.get_access(h)))
    a = v.astype(np.int64)
    by = a % 5 - 2
    asked = (a // 5) % 4 == 3
    wanted = (np.where(a // 3 < 0, 1, np.where(asked, 2, 0)), (a // 3 < 0) | asked, a // -7,
              (a // 3 * 100).astype(np.int64) + a % 3,
              np.where(by == 0, 0, a // np.where(by == 0, 1, by)))
    for row in (0, 1, 2, 4):
        assert np.array_equal(o[row], wanted[row]), row
    if dtype not in (np.int8, np.int16):  # there it wraps
        assert np.array_equal(o[3], wanted[3])


@pytest.mark.part("D-1")
@pytest.mark.parametrize("p", [-7, 0, 4, 18])
def test_floor_divisions_of_an_argument_are_pythons(queue: sycl.queue, p: int) -> None:
    v, o = np.array([3, 3], np.uint8), np.zeros(1, np.int32)
    with sycl.buffer(v) as values, sycl.buffer(o) as found:
        queue.submit(lambda h: h.single_task(
            single, values.get_access(h), found.get_access(h), p))
    assert o[0] == (0 > p // 3 or (p // 5) % 4 == 3 or (p + p) % 3 != 3)
