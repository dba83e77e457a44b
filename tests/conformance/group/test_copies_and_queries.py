"""Asynchronous copies, index objects without a parameter, leaders (SYCL 2020 §4.9.1, KHR)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl


def submit(queue, space, build):
    """Run a kernel that needs local memory of 16 elements."""
    def group(h):
        tile = sycl.local_accessor(np.int32, 16, h)
        h.parallel_for(space, build(tile))
    queue.submit(group).wait()


@pytest.mark.row("D-18")
@pytest.mark.parametrize("space", [sycl.nd_range(24, 8), sycl.nd_range((6, 4), (2, 4))], ids=str)
def test_copies_between_local_and_global_memory(queue, space):
    x, out = np.arange(100, dtype=np.int32) * 3, np.zeros((3, 64), np.int32)

    def build(tile):
        def kernel(it):
            g = it.get_group()
            m = g.get_group_linear_id()
            first = it.async_work_group_copy(tile, x[m * 20:], 10)
            second = g.async_work_group_copy(tile[10:], x, 5, 7)
            first.wait()
            it.wait_for(second)
            g.async_work_group_copy(out[m][2:], tile, 15).wait()
            done = it.async_work_group_copy(out[m][20:], tile[1:], 12, 3)
            g.wait_for(done)
        return kernel
    submit(queue, space, build)
    for m in range(3):
        tile = [*x[m * 20:m * 20 + 10], *x[:35:7]]
        assert tile == out[m, 2:17].tolist()
        assert tile[1:13] == out[m, 20:56:3].tolist()
        rest = set(range(64)) - set(range(2, 17)) - set(range(20, 56, 3))
        assert not out[m, sorted(rest)].any()


@pytest.mark.row("D-18")
def test_accessors_and_usm_memory_are_copied(queue):
    p = sycl.malloc_shared(8, np.float32, queue)
    p[:] = np.arange(8)
    found = np.zeros(8, np.float32)
    with sycl.buffer(found) as data:
        def group(h):
            acc = sycl.accessor(data, h, sycl.write_only)
            tile = sycl.local_accessor(np.float32, 8, h)

            @h.parallel_for(sycl.nd_range(4, 4))
            def kernel(it):
                it.async_work_group_copy(tile, p, 8).wait()
                k = it.get_local_id(0)
                tile[k] += 100
                sycl.group_barrier(it.get_group())
                it.async_work_group_copy(acc, tile, 8).wait()
        queue.submit(group)
    assert [100, 101, 102, 103, 4, 5, 6, 7] == found.tolist()


@pytest.mark.row("D-18", "C-5")
def test_group_scope_copies_for_the_whole_group(queue):
    x, out = np.arange(40, dtype=np.int32), np.zeros(40, np.int32)

    def group(h):
        tile = sycl.local_accessor(np.int32, 10, h)

        @h.parallel_for_work_group(4, 5)
        def kernel(g):
            base = g[0] * 10
            g.wait_for(g.async_work_group_copy(tile, x[base:], 10))

            def double(it):
                tile[it.get_local_id(0)] *= 2
            g.parallel_for_work_item(double)
            g.async_work_group_copy(out[base:], tile, 10).wait()
    queue.submit(group).wait()
    assert [v * 2 if v % 10 < 5 else v for v in range(40)] == out.tolist()


def where():
    return sycl.this_nd_item().get_global_linear_id()


def total(value):
    return sycl.reduce_over_group(sycl.this_group(), value, sycl.plus)


@pytest.mark.row("D-54")
def test_helpers_know_the_work_item_without_a_parameter(queue):
    out = np.zeros((3, 24), np.int64)

    def plain(it):
        out[0, it.get_global_linear_id()] = where() + 1

    def meeting(it):
        k = where()
        out[1, k] = total(k)
        out[2, k] = sycl.this_sub_group().get_local_linear_id()
        sycl.group_barrier(sycl.this_group())
        out[2, k] -= it.get_sub_group().get_local_linear_id()
        out[2, k] += sycl.this_nd_item().get_local_id(0) - it.get_local_id(0)
    queue.parallel_for(sycl.nd_range((6, 4), (2, 4)), plain).wait()
    queue.parallel_for(sycl.nd_range(24, 6), meeting).wait()
    assert list(range(1, 25)) == out[0].tolist()
    assert [sum(range(k // 6 * 6, k // 6 * 6 + 6)) for k in range(24)] == out[1].tolist()
    assert not out[2].any()


@pytest.mark.row("D-54")
def test_outside_a_kernel_there_is_no_work_item():
    for ask in (sycl.this_nd_item, sycl.this_group, sycl.this_sub_group):
        with pytest.raises(sycl.exception, match="only in a kernel over an nd_range") as caught:
            ask()
        assert sycl.errc.invalid == caught.value.code()


@pytest.mark.row("D-16", "D-17", "D-54")
@pytest.mark.parametrize("space", [sycl.nd_range(40, 20), sycl.nd_range((4, 6), (2, 3)),
                                   sycl.nd_range((2, 2, 4), (1, 2, 2))], ids=str)
def test_each_group_and_sub_group_has_one_leader(queue, space):
    out = np.zeros((space.get_global_range().size(), 4), np.int32)

    def kernel(it):
        k, g, s = it.get_global_linear_id(), it.get_group(), it.get_sub_group()
        out[k, 0] = g.leader() == (g.get_local_linear_id() == 0)
        out[k, 1] = s.leader() == (s.get_local_linear_id() == 0)
        out[k, 2] = sycl.reduce_over_group(g, 1 if g.leader() else 0, sycl.plus)
        out[k, 3] = sycl.reduce_over_group(s, 1 if s.leader() else 0, sycl.plus)
    queue.parallel_for(space, kernel).wait()
    assert (out == 1).all()
