"""Vector code means what the kernel says: tails, masks, regions, every shape of work-group."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl


@pytest.mark.row("C-2", "K-4")
@pytest.mark.parametrize("extent", [1, 7, 16, 31, 32, 33, 1000])
def test_a_range_of_any_size_touches_each_element_once(queue: sycl.queue, extent: int) -> None:
    out = np.zeros(extent + 8, np.int32)

    def kernel(i):  # type: ignore[no-untyped-def]
        out[i] += i + 1
    queue.parallel_for(extent, kernel).wait()
    expected = np.concatenate([np.arange(1, extent + 1), np.zeros(8)])
    assert np.array_equal(expected, out)


@pytest.mark.row("C-2", "D-14")
@pytest.mark.parametrize("extent", [(1, 1, 1), (3, 5, 7), (2, 1, 33), (4, 9, 16)])
def test_three_dimensional_ids_are_row_major(
        queue: sycl.queue, extent: tuple[int, int, int]) -> None:
    out = np.zeros(extent, np.int64)

    def kernel(i):  # type: ignore[no-untyped-def]
        out[i] = i.get_linear_id() * 1000 + i[0] * 100 + i[1] * 10 + i[2]
    queue.parallel_for(extent, kernel).wait()
    a, b, c = np.indices(extent)
    assert np.array_equal(np.arange(out.size).reshape(extent) * 1000 + a * 100 + b * 10 + c, out)


@pytest.mark.row("D-36", "D-37", "K-4")
@pytest.mark.parametrize("local", [1, 3, 8, 16, 24, 33, 64, 100])
def test_neighbours_exchange_through_local_memory(queue: sycl.queue, local: int) -> None:
    source = np.arange(local * 4, dtype=np.float32)
    out = np.zeros_like(source)

    def kernel(it, tile):  # type: ignore[no-untyped-def]
        lid, g = it.get_local_id(0), it.get_global_id(0)
        tile[lid] = source[g]
        sycl.group_barrier(it.get_group())
        out[g] = tile[(lid + 1) % it.get_local_range(0)]
    queue.parallel_for(sycl.nd_range(local * 4, local), kernel,
                       sycl.local_accessor(np.float32, local)).wait()
    assert np.array_equal(np.roll(source.reshape(4, local), -1, axis=1).reshape(-1), out)


@pytest.mark.row("D-37", "J-1")
@pytest.mark.parametrize("local", [(16,), (4, 8), (2, 3, 4)])
def test_a_tree_reduction_keeps_barriers_in_a_uniform_loop(
        queue: sycl.queue, local: tuple[int, ...]) -> None:
    size = int(np.prod(local))
    source = np.arange(size * 8, dtype=np.int64)
    out = np.zeros(8, np.int64)

    def kernel(it, tile):  # type: ignore[no-untyped-def]
        lid = it.get_local_linear_id()
        group = it.get_group_linear_id()
        tile[lid] = source[group * size + lid]
        width = size
        while width > 1:
            sycl.group_barrier(it.get_group())
            half = (width + 1) // 2
            if lid + half < width:
                tile[lid] += tile[lid + half]
            width = half
        if lid == 0:
            out[group] = tile[0]
    extent = (local[0] * 8, *local[1:])
    queue.parallel_for(sycl.nd_range(extent, local), kernel,
                       sycl.local_accessor(np.int64, size)).wait()
    assert np.array_equal(source.reshape(8, size).sum(axis=1), out)


def shifted(it, tile, value):  # type: ignore[no-untyped-def]
    """A helper with two barriers, called from a kernel."""
    lid = it.get_local_id(0)
    tile[lid] = value
    sycl.group_barrier(it.get_group())
    result = tile[it.get_local_range(0) - 1 - lid]
    sycl.group_barrier(it.get_group())
    return result


@pytest.mark.row("D-36", "C-33")
def test_barriers_inside_called_functions_and_private_arrays_across_them(queue: sycl.queue) -> None:
    source = np.arange(96, dtype=np.int32)
    out = np.zeros_like(source)

    def kernel(it, tile):  # type: ignore[no-untyped-def]
        g = it.get_global_id(0)
        mine = sycl.private_array(np.int32, 4)
        for k in range(4):
            mine[k] = source[g] * (k + 1)
        for k in range(4):
            mine[k] += shifted(it, tile, mine[k])
        out[g] = mine[0] + mine[3]
    queue.parallel_for(sycl.nd_range(96, 24), kernel, sycl.local_accessor(np.int32, 24)).wait()
    flipped = source.reshape(4, 24)[:, ::-1].reshape(-1)
    assert np.array_equal(5 * (source + flipped), out)


@pytest.mark.row("C-5", "C-6")
def test_hierarchical_scopes_share_group_values(queue: sycl.queue) -> None:
    out = np.zeros(64, np.int32)

    def kernel(group):  # type: ignore[no-untyped-def]
        base = group.get_group_id(0) * 16

        def first(item):  # type: ignore[no-untyped-def]
            out[base + item.get_local_id(0)] = base

        def second(item):  # type: ignore[no-untyped-def]
            out[item.get_global_id(0)] += item.get_local_id(0)
        group.parallel_for_work_item(first)
        if group.get_group_id(0) % 2 == 0:
            group.parallel_for_work_item(second)
    queue.submit(lambda h: h.parallel_for_work_group(sycl.range(4), sycl.range(16), kernel)).wait()
    expected = np.arange(64).reshape(4, 16) // 16 * 16
    expected[::2] += np.arange(16)
    assert np.array_equal(expected.reshape(-1), out)


@pytest.mark.row("D-33", "D-32")
@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64, np.float32,
                                   np.float64])
def test_contended_atomic_adds_lose_nothing(queue: sycl.queue, dtype: type) -> None:
    bins = np.zeros(7, dtype)
    count = 2000

    def kernel(i):  # type: ignore[no-untyped-def]
        ref = sycl.atomic_ref(bins, i % 7, sycl.memory_order.relaxed, sycl.memory_scope.device)
        ref.fetch_add(1)
    queue.parallel_for(count, kernel).wait()
    assert np.array_equal(np.bincount(np.arange(count) % 7), bins)


@pytest.mark.row("D-44", "D-45")
@pytest.mark.parametrize("extent", [1, 5, 31, 33, 1000, 40000])
def test_reductions_over_any_size_include_the_old_value(queue: sycl.queue, extent: int) -> None:
    x = (np.arange(extent, dtype=np.int64) * 7919) % 1009
    total, low, high = np.array([5]), np.array([2000]), np.array([-1])

    def kernel(i, s, lo, hi):  # type: ignore[no-untyped-def]
        s += x[i]
        lo.combine(x[i])
        hi.combine(x[i])
    queue.parallel_for(extent, sycl.reduction(total, sycl.plus()),
                       sycl.reduction(low, sycl.minimum()), sycl.reduction(high, sycl.maximum()),
                       kernel).wait()
    assert (5 + x.sum(), x.min(), x.max()) == (total[0], low[0], high[0])


@pytest.mark.row("C-2", "K-4")
@pytest.mark.parametrize("start", [0, 1, 7, 15])
def test_streams_larger_than_the_caches_are_written_whole(queue: sycl.queue, start: int) -> None:
    if queue.get_device().has(sycl.aspect.host_debuggable):
        pytest.skip("the host device has no streams, and 17 million items take it minutes")
    count = (1 << 12 if queue.get_device().has(sycl.aspect.emulated) else 1 << 24) + 5
    memory = np.full(count + 32, -1.0, np.float32)
    out = memory[start:start + count]

    def kernel(i):  # type: ignore[no-untyped-def]
        out[i] = i % 1000
    queue.parallel_for(count, kernel).wait()
    assert np.array_equal(np.arange(count) % 1000, out)
    assert (memory[:start] == -1).all()
    assert (memory[start + count:] == -1).all()
