"""Groups of two and three dimensions whose rows are no vectors: small tiles, elements of meshes."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

K = 4


@sycl.kernel
def products(it, a, b, out, rows, cols):
    """Multiply tiles of K columns by way of local memory."""
    g, y, x = it.get_group(0), it.get_local_id(0), it.get_local_id(1)
    group = it.get_group()
    if x < 4:
        rows[y, x] = a[g, y, x]
    if y < 4:
        cols[y, x] = b[g, y, x]
    sycl.group_barrier(group)
    total = np.int32(0)
    for k in range(4):
        total += rows[y, k] * cols[k, x]
    count = sycl.reduce_over_group(group, np.int32(total % 2), sycl.plus)
    before = sycl.exclusive_scan_over_group(group, np.int32(1), sycl.plus)
    while total > 50:
        total -= 7 + x
    out[g, y, x] = total + 1000 * count + 100000 * before


@sycl.kernel
def turned(it, data, out):
    z, y, x = it.get_local_id(0), it.get_local_id(1), it.get_local_id(2)
    if (x + y) % 2 and data[x, y, z] < 0:
        return
    out[it.get_global_id(0), y, x] = data[x, y, z]


@pytest.mark.part("D-36")
@pytest.mark.parametrize(("h", "w"), [(5, 5), (7, 6), (4, 9)])
def test_tiles_whose_rows_end_within_vectors(queue: sycl.queue, h: int, w: int) -> None:
    random, groups = np.random.default_rng(h * w), 3
    a = random.integers(0, 9, (groups, h, K)).astype(np.int32)
    b = random.integers(0, 9, (groups, K, w)).astype(np.int32)
    out = np.zeros((groups, h, w), np.int32)
    queue.parallel_for(sycl.nd_range((groups * h, w), (h, w)), products, a, b, out,
                       sycl.local_accessor(np.int32, (h, K)),
                       sycl.local_accessor(np.int32, (K, w))).wait()
    wanted = a @ b
    counts = (wanted % 2).sum((1, 2), keepdims=True)
    for x in range(w):
        far = wanted[:, :, x] - 50
        wanted[:, :, x] -= np.where(far > 0, -(-far // (7 + x)) * (7 + x), 0)
    before = np.arange(h * w).reshape(h, w)
    assert np.array_equal(out, wanted + 1000 * counts + 100000 * before)


@pytest.mark.part("D-36")
def test_items_of_cubes_leave_by_themselves(queue: sycl.queue) -> None:
    n = 5
    data = np.random.default_rng(1).integers(-9, 9, (n, n, n)).astype(np.float64)
    out = np.full((2 * n, n, n), 77.0)
    queue.parallel_for(sycl.nd_range((2 * n, n, n), (n, n, n)), turned, data, out).wait()
    given = np.tile(data.T, (2, 1, 1))
    y, x = np.indices((n, n))
    assert np.array_equal(out, np.where(((x + y) % 2 > 0) & (given < 0), 77.0, given))
