"""Sorting by groups, against NumPy (sycl_ext_oneapi_group_sort)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.group.test_algorithms import sub_group_size

sort = sycl.ext.oneapi.experimental
SIZES = [1, 5, 32, 48, 100]


def values(dtype, count):
    rng = np.random.default_rng(count)
    return rng.integers(0, 40, count).astype(dtype)


@pytest.mark.row("M-5")
@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "uint64", "float32", "float64"])
def test_values_of_a_work_group(queue, dtype):
    for size in SIZES:
        x, out = values(dtype, 2 * size), np.zeros((2, 2 * size), dtype)

        def kernel(it):
            g, k = it.get_group(), it.get_global_id(0)
            out[0, k] = sort.sort_over_group(g, x[k])
            out[1, k] = sort.sort_over_group(g, x[k], lambda a, b: a > b)
        queue.parallel_for(sycl.nd_range(2 * size, size), kernel).wait()
        for k in (0, size):
            found = np.sort(x[k:k + size])
            assert found.tolist() == out[0, k:k + size].tolist()
            assert found[::-1].tolist() == out[1, k:k + size].tolist()


@pytest.mark.row("M-5")
@pytest.mark.parametrize("size", [4, 16])
def test_values_of_a_sub_group(queue, size):
    size = sub_group_size(queue, size)
    x, out = values("int32", 54), np.zeros(54, np.int32)

    @sycl.kernel(reqd_sub_group_size=size)
    def kernel(it):
        k = it.get_global_id(0)
        out[k] = sort.sort_over_group(it.get_sub_group(), x[k])
    queue.parallel_for(sycl.nd_range(54, 27), kernel).wait()
    for start in (0, 27):
        for k in range(start, start + 27, size):
            stop = min(k + size, start + 27)
            assert np.sort(x[k:stop]).tolist() == out[k:stop].tolist()


@pytest.mark.row("M-5")
@pytest.mark.parametrize("space", [sycl.nd_range(70, 70), sycl.nd_range((6, 12), (6, 12))],
                         ids=str)
def test_keys_carry_values_and_equal_keys_keep_their_order(queue, space):
    size = space.get_local_range().size()
    keys = (values("int16", size) // 5).astype(np.int16)
    out = np.zeros((2, size), np.int64)

    def kernel(it):
        k = it.get_local_linear_id()
        key, value = sort.sort_key_value_over_group(it.get_group(), keys[k], k)
        out[0, k] = key
        out[1, k] = value
    queue.parallel_for(space, kernel).wait()
    order = np.argsort(keys, kind="stable")
    assert [keys[order].tolist(), order.tolist()] == out.tolist()


@pytest.mark.row("M-5")
@pytest.mark.parametrize("count", [0, 1, 2, 3, 17, 64, 75])
def test_memory_is_sorted_in_place(queue, count):
    up, down, part = (values("float32", count) for _ in range(3))
    whole = np.arange(20, dtype=np.int32)[::-1].copy()

    def kernel(it):
        g = it.get_group()
        sort.joint_sort(g, up)
        sort.joint_sort(g, down, lambda a, b: a > b)
        sort.joint_sort(it.get_group(), whole[5:15])
    queue.parallel_for(sycl.nd_range(12, 12), kernel).wait()
    assert np.sort(part).tolist() == up.tolist() == down[::-1].tolist()
    first = np.arange(20)[::-1]
    assert [*first[:5], *np.sort(first[5:15]), *first[15:]] == whole.tolist()


@pytest.mark.row("M-5", "D-52")
def test_local_memory_is_sorted(queue):
    x, out = values("int32", 48), np.zeros(48, np.int32)

    def group(h):
        tile = sycl.local_accessor(np.int32, 24, h)

        @h.parallel_for(sycl.nd_range(16, 8))
        def kernel(it):
            base = it.get_group(0) * 24
            it.async_work_group_copy(tile, x[base:], 24).wait()
            sort.joint_sort(it.get_group(), tile)
            it.async_work_group_copy(out[base:], tile, 24).wait()
    queue.submit(group).wait()
    assert [*np.sort(x[:24]), *np.sort(x[24:])] == out.tolist()
