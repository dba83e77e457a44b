"""Which work-items of a sub-group have the same value, against Python's dictionaries."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.group.test_algorithms import sub_group_size, sub_group_sizes

ext = sycl.ext.unisycl
LOCAL = 70


def alike(x, size):
    """Return, for each item, the ids of those of its sub-group that have its value."""
    found = []
    for k in range(len(x)):
        start = k // LOCAL * LOCAL
        first = start + (k - start) // size * size
        members = range(first, min(first + size, start + LOCAL))
        found.append([m - first for m in members if x[m] == x[k]])
    return found


def bits(ids):
    return sum(1 << k for k in ids)


@pytest.mark.row("M-6")
def test_items_of_one_value_find_each_other(queue):
    types = (np.int32, np.uint64, np.int8)
    sizes = sub_group_sizes(queue)
    for turn, size in enumerate(sorted({sizes[0], sizes[-1]})):
        dtype = types[(turn + len(sizes)) % 3]
        x = np.random.default_rng(turn).integers(0, 5, 2 * LOCAL).astype(dtype)
        x[5], x[6], x[7] = np.iinfo(dtype).max, np.iinfo(dtype).min, np.iinfo(dtype).max
        out = np.zeros((2, 2 * LOCAL), np.uint64)

        @sycl.kernel(reqd_sub_group_size=size)
        def kernel(it, x, out):
            s, k = it.get_sub_group(), it.get_global_id(0)
            out[0, k] = ext.group_match(s, x[k]).bits
            if s.get_group_linear_id() == 0:
                out[1, k] = ext.group_match(s, x[k] > 1).bits
        queue.parallel_for(sycl.nd_range(2 * LOCAL, LOCAL), kernel, x, out).wait()
        assert [bits(ids) for ids in alike(x, size)] == out[0].tolist()
        assert [bits(ids) if k % LOCAL < size else 0 for k, ids in enumerate(alike(x > 1, size))
                ] == out[1].tolist()


@pytest.mark.row("M-6")
def test_parts_of_one_value_are_groups(queue):
    size = sub_group_size(queue, 8)
    x = np.random.default_rng(4).integers(0, 4, 2 * LOCAL).astype(np.int32)
    sums, counts = np.zeros((3, 2 * LOCAL), np.int32), np.zeros(4, np.int32)

    @sycl.kernel(reqd_sub_group_size=size)
    def kernel(it, x, sums, counts):
        s, k = it.get_sub_group(), it.get_global_id(0)
        part = ext.value_partition(s, x[k])
        sums[0, k] = sycl.reduce_over_group(part, k, sycl.plus())
        sums[1, k] = part.get_group_linear_id() * 100 + part.get_group_linear_range()
        odd = ext.value_partition(part, k & 1)
        sums[2, k] = sycl.exclusive_scan_over_group(odd, 1, sycl.plus())
        if part.leader():
            sycl.atomic_ref(counts, x[k]).fetch_add(np.int32(part.get_local_linear_range()))
    queue.parallel_for(sycl.nd_range(2 * LOCAL, LOCAL), kernel, x, sums, counts).wait()
    assert np.bincount(x, minlength=4).tolist() == counts.tolist()
    same = alike(x, size)
    both = alike(2 * x + np.arange(2 * LOCAL) % 2, size)
    for k, ids in enumerate(same):
        start = k // LOCAL * LOCAL
        first = start + (k - start) // size * size
        lane = k - first
        members = range(first, min(first + size, start + LOCAL))
        order = list(dict.fromkeys(x[list(members)].tolist()))
        assert sum(first + m for m in ids) == sums[0, k]
        assert order.index(x[k]) * 100 + len(order) == sums[1, k]
        assert both[k].index(lane) == sums[2, k]


@pytest.mark.row("M-6")
def test_only_integers_are_compared(queue):
    x = np.zeros(8, np.float32)
    with pytest.raises(sycl.exception, match=r"bit_cast\(np.uint32, x\)"):
        queue.parallel_for(sycl.nd_range(8, 8), lambda it, x: ext.group_match(
            it.get_sub_group(), x[it.get_global_id(0)]), x).wait_and_throw()
