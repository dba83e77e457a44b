"""Elements of short rows, as points and colours have them: as in Python, however rows lie."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.part("D-11")


def turned(i, p, q, n):
    x, y, z = p[i, 0], p[i, 1], p[i, 2]
    q[i, 0], q[i, 1], q[i, 2] = y + z, x - z, x * y


def guarded(i, p, q, n):
    if i >= n or i == 5:
        return
    x = p[i, 1] - p[i, 0]
    if x > 0:
        q[i, 1] = p[i, 2]
        q[i, 0] = x
    j = i + 1
    if j < n:
        q[i, 2] = p[j, 0] * p[j, 1]


def plane(it, p, q, n):
    y, x = it[0], it[1]
    q[y, x, 0], q[y, x, 1] = p[y, x, 1] + p[y, 0, 1], p[y, x, 0] - p[y, x, 2]


def memory(dtype, shape, width):
    """Return arrays whose rows have ``width`` elements, of which three are theirs."""
    count = int(np.prod(shape)) * width
    p = (np.arange(count) * 7 % 23).astype(dtype).reshape(*shape, width)
    return p, np.full((*shape, width), 9, dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int16, np.uint8])
def test_short_rows(queue, dtype):
    if dtype is np.float64 and not queue.get_device().has(sycl.aspect.fp64):
        pytest.skip("no float64")
    for kernel, width in ((k, w) for k in (turned, guarded, plane) for w in (3, 4)):
        for rows in (5, 37):
            shape = (3, rows) if kernel is plane else (rows,)
            p, q = memory(dtype, shape, width)
            wanted = q.copy()
            queue.parallel_for(sycl.range(*shape), kernel, p, q, rows - 2).wait()
            with np.errstate(over="ignore"):
                for at in np.ndindex(shape):
                    kernel(at if kernel is plane else at[0], p, wanted, rows - 2)
            np.testing.assert_array_equal(q, wanted, f"{kernel.__name__} {width} {rows}")
