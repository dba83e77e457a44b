"""Tables that are interpolated and pictures that are resized: neighbours at places of lanes."""

from __future__ import annotations

import mmap

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.part("D-11")


def corners(i, image, out, at):
    h, w = image.shape
    y = max(0, min(int(at[i, 0]), h - 2))
    x = max(0, min(int(at[i, 1]), w - 2))
    out[i, 0] = image[y, x] - image[y, x + 1]
    out[i, 1] = image[y + 1, x + 1] + image[y + 1, x]


def where_inside(i, image, out, at):
    h, w = image.shape
    y, x = int(at[i, 0]), int(at[i, 1])
    if y < 0 or x < 0 or y >= h - 1 or x >= w - 3:
        out[i, 0] = 3
        return
    if image[y, x] < image[y, x + 1]:
        out[i, 0] = image[y, x + 2] - image[y, x]
    out[i, 1] = image[y, x + 3] + image[y, x + 1] + image[y, x + 2]


def in_turns(i, image, out, at):
    k = int(abs(at[i, 1])) % 5
    while k < image.shape[1] - 1:
        out[i, 0] += image[i % 7, k] ^ image[i % 7, k + 1]
        out[i, 1] -= image[k % 7, k + 1]
        k += 1 + i % 3


def _expected(function, image, out, at):
    with np.errstate(over="ignore"):
        for i in range(len(out)):
            function(i, image, out, at)


@pytest.mark.parametrize(("function", "dtype"), [
    (corners, np.int32), (where_inside, np.uint8), (in_turns, np.int64), (corners, np.int64)])
def test_neighbours_at_places_of_lanes_are_those_that_python_reads(queue, function, dtype):
    rng = np.random.default_rng(1)
    image = rng.integers(0, 100, (7, 9)).astype(dtype)
    for items in (37, 64):
        at = rng.uniform(-3, 12, (items, 2)).astype(np.float32)
        found, wanted = (np.zeros((items, 2), dtype) for _ in range(2))
        _expected(function, image, wanted, at)
        with sycl.buffer(image) as held, sycl.buffer(found) as out, sycl.buffer(at) as where:
            def group(h, held=held, out=out, where=where, items=items):
                h.parallel_for(items, function, sycl.accessor(held, h, sycl.read_only),
                               sycl.accessor(out, h), sycl.accessor(where, h, sycl.read_only))
            queue.submit(group)
        np.testing.assert_array_equal(found, wanted)


def test_nothing_behind_the_last_neighbour_is_read(queue):
    if not queue.get_device().has(sycl.aspect.usm_system_allocations):
        pytest.skip("elements are copied there")
    pages = mmap.mmap(-1, 3 * mmap.PAGESIZE)
    last = np.frombuffer(pages, np.float32)
    count = 2 * mmap.PAGESIZE // 4
    table = last[:count]
    table[:] = np.arange(count)
    import ctypes  # noqa: PLC0415 - this test alone forbids a page
    libc = ctypes.CDLL(None, use_errno=True)
    start = last.ctypes.data + 2 * mmap.PAGESIZE
    assert libc.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
    at = np.arange(count - 40, count, dtype=np.int32)
    out = np.zeros(40, np.float32)

    def differences(i, at, table, out):
        k = at[i]
        if k < len(table) - 1:
            out[i] = table[k + 1] - table[k] + table[k - 1]
    queue.parallel_for(40, differences, at, table, out).wait()
    assert libc.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(mmap.PAGESIZE), 3) == 0
    np.testing.assert_array_equal(out[:-1], np.arange(count - 40, count - 1))
    assert out[-1] == 0
