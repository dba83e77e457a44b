"""Small matrices and weights that work-items read again and again: what Python reads."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.part("D-11")


def tiled(i, table, out, first):
    y, x = i[0], i[1]
    out[y, x] = table[y & 7, x & 7] + table[3, (x + first) % 8]


def weighed(i, table, out, first):
    y, x = i[0], i[1]
    if x > first or y == 2:
        out[y, x] += table[1, x % 4] * 2
    else:
        out[y, x] = table[2, (x - first) & 1]


def in_turns(i, table, out, first):
    y, x = i[0], i[1]
    for k in range(first + 3):
        out[y, x] += table[k, (x + k) & 7] - table[k, x & 3]
        table[k + 8, x & 7] = k


@pytest.mark.parametrize(("function", "dtype"), [
    (tiled, np.uint8), (tiled, np.float64), (weighed, np.float32), (weighed, np.int16),
    (in_turns, np.int32)])
def test_rows_that_are_read_again_are_what_python_reads(queue, function, dtype):
    if dtype is np.float64 and not queue.get_device().has(sycl.aspect.fp64):
        pytest.skip("has no float64")
    for shape, offset, first in ((3, 64), 0, 0), ((4, 77), 0, 1), ((3, 40), 3, 1):
        table = np.arange(128).reshape(16, 8).astype(dtype)
        found, wanted = np.zeros(shape, dtype), np.zeros(shape, dtype)
        _expect(function, table.copy(), wanted, first, offset)
        with sycl.buffer(table) as held, sycl.buffer(found) as out:
            def group(h, held=held, out=out, first=first, offset=offset, shape=shape):
                h.parallel_for(sycl.range(shape[0], shape[1] - offset), moved, function,
                               sycl.accessor(held, h), sycl.accessor(out, h), first, offset)
            queue.submit(group)
        np.testing.assert_array_equal(found, wanted)


def _expect(function, table, out, first, offset):
    with np.errstate(over="ignore"):
        for y in range(out.shape[0]):
            for x in range(offset, out.shape[1]):
                function((y, x), table, out, first)


def moved(i, function, table, out, first, offset):
    function((i[0], i[1] + offset), table, out, first)
