"""Rows that items keep in private arrays, and places that go along them while items leave."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.sampling import by_turns

pytestmark = pytest.mark.part("D-11")
SIZE, ROW = 70, 12
KINDS = (np.int8, np.uint16, np.int32, np.uint64, np.float32)


def inserted(i, given, out, kind):
    row = sycl.private_array(kind, ROW)
    for k in range(ROW):
        row[k] = given[i, k]
    for j in range(1, ROW):
        x, k = row[j], j
        while k > 0 and row[k - 1] > x:
            row[k] = row[k - 1]
            k -= 1
        row[k] = x
    for k in range(ROW):
        out[i, k] = row[k]


def by_gaps(i, given, out, kind):
    """Sort with steps of 4, 2 and 1, where only items with odd numbers have their row sorted."""
    row = sycl.private_array(kind, ROW)
    for k in range(ROW):
        row[k] = given[i, k]
    if i % 2 == 1:
        gap = 4
        while gap > 0:
            for j in range(gap, ROW):
                x, k = row[j], j
                while k >= gap and row[k - gap] > x:
                    row[k] = row[k - gap]
                    k -= gap
                row[k] = x
            gap //= 2
    for k in range(ROW):
        out[i, k] = row[k]


def found(i, given, out, kind):
    """Say where each number is first, in loops that nobody goes on with behind the row's end."""
    row = sycl.private_array(kind, ROW)
    for k in range(ROW):
        row[k] = given[i, k]
    for j in range(ROW):
        k = 0
        while True:
            if row[k] == given[i, j]:
                break
            k += 1
        row[k] = row[k]
        out[i, j] = k


def kept(i, given, out, kind):
    """Keep the four greatest, and change what is kept where a branch of the item's own says so."""
    best = sycl.private_array(kind, 4)
    for k in range(4):
        best[k] = given[i, 0] - given[i, 0]
    for j in range(ROW):
        x = given[i, j]
        if x > best[3]:
            k = 3
            while k > 0 and best[k - 1] < x:
                best[k] = best[k - 1]
                k -= 1
            best[k] = x
        elif j > 7:
            best[2] = best[3]
    for k in range(ROW):
        out[i, k] = best[k & 3]


@pytest.mark.parametrize("kernel", [inserted, by_gaps, found, kept])
def test_rows_are_what_python_makes_of_them(device, kernel):
    for kind in by_turns(device, KINDS):
        if kernel is found and kind is np.float32:
            continue
        given = np.random.default_rng(3).integers(0, 90, (SIZE, ROW)).astype(kind)
        got, expected = np.zeros_like(given), np.zeros_like(given)

        @sycl.kernel
        def run(i, given, out):
            kernel(i, given, out, kind)  # noqa: B023 - compiled at once
        with sycl.buffer(got) as result, sycl.buffer(given) as source:
            def group(h):
                h.parallel_for(sycl.range(SIZE), run,  # noqa: B023 - submitted at once
                               sycl.accessor(source, h, sycl.read_only), sycl.accessor(result, h))
            sycl.queue(device).submit(group).wait_and_throw()
        for i in range(SIZE):
            kernel(i, given, expected, kind)
        np.testing.assert_array_equal(got, expected, f"{kernel.__name__} of {kind.__name__}")


def test_places_that_lanes_share_keep_what_each_item_left_with(device):
    """Counters start at what lanes share, go by steps that they share, and are read behind."""
    def kernel(i, limits, n, out):
        total = 0
        for start in range(3):
            step = start + 1
            k, m = start + n, 1 << start
            while k < 40 and k * 2 < limits[i]:
                m <<= step
                k += step
            total = total * 41 + k + m % 1021
        out[i] = total

    limits = np.random.default_rng(4).integers(0, 60, SIZE).astype(np.int64)
    got, expected = np.zeros(SIZE, np.int64), np.zeros(SIZE, np.int64)
    with sycl.buffer(got) as result, sycl.buffer(limits) as source:
        def group(h):
            h.parallel_for(sycl.range(SIZE), kernel, sycl.accessor(source, h, sycl.read_only), 2,
                           sycl.accessor(result, h))
        sycl.queue(device).submit(group).wait_and_throw()
    for i in range(SIZE):
        kernel(i, limits, 2, expected)
    np.testing.assert_array_equal(got, expected)
