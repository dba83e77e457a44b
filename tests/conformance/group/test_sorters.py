"""Sorters and groups with scratch memory, against NumPy (sycl_ext_oneapi_group_sort)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

exp = sycl.ext.oneapi.experimental
default, radix = exp.default_sorters, exp.radix_sorters
LOCAL = 40


def values(dtype, count):
    x = np.random.default_rng(count).integers(-100, 100, count)
    return x.astype(dtype) if np.dtype(dtype).kind != "b" else x > 0


def more(a, b):
    return a > b


@pytest.mark.row("M-5")
def test_default_sorters_sort_by_any_comparison(queue):
    x, out = values("float32", LOCAL), np.zeros((5, LOCAL), np.float32)
    memory, back = values("int32", 70), values("int32", 70)
    keys = (values("int16", LOCAL) // 25).astype(np.int16)
    need = default.joint_sorter.memory_required(
        np.int32, queue.get_device(), sycl.memory_scope.work_group, 70)

    def group(h):
        room = sycl.local_accessor(np.uint8, need, h)

        @h.parallel_for(sycl.nd_range(LOCAL, LOCAL))
        def kernel(it):
            g, k = it.get_group(), it.get_global_id(0)
            helper = exp.group_with_scratchpad(g, room)
            out[0, k] = exp.sort_over_group(helper, x[k])
            out[1, k] = exp.sort_over_group(g, x[k], default.group_sorter(room, more))
            out[2, k] = exp.sort_over_group(g, x[k], default.group_sorter(room))
            key, place = exp.sort_key_value_over_group(
                g, keys[k], k, default.group_key_value_sorter(room, lambda a, b: a > b))
            out[3, k] = key
            out[4, k] = place
            exp.joint_sort(helper, memory)
            first = sycl.multi_ptr(back)
            sorter = default.joint_sorter(room, more)
            exp.joint_sort(helper.get_group(), first, first + 60, sorter)
            exp.joint_sort(g, back[60:], sorter)
    queue.submit(group).wait()
    assert [np.sort(x).tolist()] * 2 == [out[0].tolist(), out[2].tolist()]
    assert np.sort(x)[::-1].tolist() == out[1].tolist()
    order = np.argsort(-keys, kind="stable")
    assert [keys[order].tolist(), order.tolist()] == out[3:].tolist()
    given = values("int32", 70)
    assert np.sort(given).tolist() == memory.tolist()
    assert [*np.sort(given[:60])[::-1], *np.sort(given[60:])[::-1]] == back.tolist()


@pytest.mark.row("M-5")
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "int64", "uint64",
                                   "float16", "float32", "float64"])
def test_radix_sorters_sort_every_number(queue, dtype):
    x = values(dtype, LOCAL)
    if np.dtype(dtype).kind == "f":
        x[:6] = [np.inf, -np.inf, 0.0, -0.0, 1e-7, -65504]
    out, places, memory = np.zeros(LOCAL, dtype), np.zeros(LOCAL, np.int32), x.copy()

    def group(h):
        room = sycl.local_accessor(np.uint8, radix.joint_sorter.memory_required(
            np.dtype(dtype), sycl.memory_scope.work_group, LOCAL), h)

        @h.parallel_for(sycl.nd_range(LOCAL, LOCAL))
        def kernel(it):
            g, k = it.get_group(), it.get_global_id(0)
            down = exp.sorting_order.descending
            key, place = exp.sort_key_value_over_group(
                g, x[k], k, radix.group_key_value_sorter(room))
            out[k] = key
            places[k] = place
            first = sycl.multi_ptr(memory)
            exp.joint_sort(g, first, first + LOCAL, radix.joint_sorter(room, order=down))
    queue.submit(group).wait()
    found = np.sort(x)
    assert found.tolist() == out.tolist()
    assert found[::-1].tolist() == memory.tolist()
    assert x[places].tolist() == found.tolist()
    if np.dtype(dtype).kind != "f":  # -0.0 stands before 0.0, which np.argsort takes as equal
        assert np.argsort(x, kind="stable").tolist() == places.tolist()
    assert sorted(places) == list(range(LOCAL))


@pytest.mark.row("M-5")
def test_a_mask_says_which_bits_count(queue):
    x, out = values("uint16", LOCAL), np.zeros((2, LOCAL), np.uint16)

    def kernel(it):
        g, k = it.get_group(), it.get_global_id(0)
        out[0, k] = exp.sort_over_group(g, x[k], radix.group_sorter(x, 0xF0))
        out[1, k] = exp.sort_over_group(g, x[k], radix.group_sorter(
            x, 0xF0, exp.sorting_order.descending))
    queue.parallel_for(sycl.nd_range(LOCAL, LOCAL), kernel).wait()
    digit = (x & 0xF0).astype(np.int32)
    assert x[np.argsort(digit, kind="stable")].tolist() == out[0].tolist()
    assert x[np.argsort(-digit, kind="stable")].tolist() == out[1].tolist()


@pytest.mark.row("M-5")
def test_scratch_memory_is_asked_for_on_the_host(queue):
    device, scope = queue.get_device(), sycl.memory_scope.sub_group
    assert default.group_sorter.memory_required(np.float64, device, scope, 8) >= 0
    pairs = default.group_key_value_sorter.memory_required(
        np.int32, np.float64, device, scope, 8)
    assert pairs >= radix.group_key_value_sorter.memory_required(np.int32, np.int32, scope, 8)
    with pytest.raises(sycl.exception, match="sub_group"):
        radix.group_sorter.memory_required(np.int32, sycl.memory_scope.device, 8)
