"""Local memory sized by the launch (sycl_ext_oneapi_work_group_scratch_memory)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

syclex = sycl.ext.oneapi.experimental
scratch = syclex.get_work_group_scratch_memory


def reversed_tile(k, n):  # type: ignore[no-untyped-def]
    return scratch(np.int32)[n - 1 - k]  # the memory of the caller


def turn(it: sycl.nd_item, p):  # type: ignore[no-untyped-def]
    tile = scratch(np.int32)
    k, n = it.get_local_linear_id(), it.get_local_range(0)
    tile[k] = p[it.get_global_linear_id()]
    sycl.group_barrier(it.get_group())
    p[it.get_global_linear_id()] = reversed_tile(k, n) + 1000 * tile.size()


@pytest.mark.row("P-3")
def test_tiles_of_sizes_that_launches_choose(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(24, np.int32, queue)
    for local in (4, 12):
        p[:] = np.arange(24)
        config = syclex.launch_config(sycl.nd_range(24, local), syclex.properties(
            syclex.work_group_scratch_size(4 * local + 3)))
        assert config.get_property(syclex.work_group_scratch_size).value == (4 * local + 3,)
        syclex.nd_launch(queue, config, turn, p)
        queue.wait()
        expected = np.arange(24).reshape(-1, local)[:, ::-1].reshape(-1) + 1000 * local
        assert np.array_equal(p[:], expected)


@pytest.mark.row("P-3")
def test_matrices_are_multiplied_by_tiles_without_an_accessor(queue: sycl.queue) -> None:
    n, t = 8, 4
    a, b, c = (sycl.malloc_shared((n, n), np.float32, queue) for _ in range(3))
    a[:], b[:] = np.random.default_rng(5).integers(-4, 5, (2, n, n))

    def multiply(it: sycl.nd_item) -> None:
        tiles = scratch(np.float32)
        i, j = it.get_local_id(0), it.get_local_id(1)
        row, column = it.get_global_id(0), it.get_global_id(1)
        total = np.float32(0)
        for k in range(0, n, t):
            tiles[i * t + j] = a[row, k + j]
            tiles[t * t + i * t + j] = b[k + i, column]
            sycl.group_barrier(it.get_group())
            for m in range(t):
                total += tiles[i * t + m] * tiles[t * t + m * t + j]
            sycl.group_barrier(it.get_group())
        c[row, column] = total
    queue.parallel_for(sycl.nd_range((n, n), (t, t)), syclex.properties(
        syclex.work_group_scratch_size(2 * t * t * 4)), multiply).wait()
    assert np.array_equal(c[:], a[:] @ b[:])


@pytest.mark.row("P-3")
def test_launches_without_enough_of_it_are_refused(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(8, np.int32, queue)
    space = sycl.nd_range(8, 4)
    with pytest.raises(sycl.exception, match="work_group_scratch_size") as caught:
        queue.parallel_for(space, turn, p)
    assert caught.value.code() == sycl.errc.memory_allocation
    local = queue.get_device().get_info(sycl.info.device.local_mem_size)
    too_much = syclex.properties(syclex.work_group_scratch_size(local + 4))
    with pytest.raises(sycl.exception, match="local memory") as caught:
        queue.parallel_for(space, too_much, turn, p)
    assert caught.value.code() == sycl.errc.memory_allocation

    def with_accessor(it: sycl.nd_item, p, other):  # type: ignore[no-untyped-def]
        other[0] = scratch(np.int32)[0]
        p[0] = other[0]
    half = syclex.properties(syclex.work_group_scratch_size(local // 2 + 64))
    with pytest.raises(sycl.exception) as caught:
        queue.parallel_for(space, half, with_accessor, p,
                           sycl.local_accessor(np.uint8, local // 2))
    assert caught.value.code() == sycl.errc.memory_allocation
    for few in (0, 3):
        with pytest.raises(sycl.exception, match="too few") as caught:
            queue.parallel_for(space, syclex.properties(
                syclex.work_group_scratch_size(few)), turn, p)
        assert caught.value.code() == sycl.errc.memory_allocation
    with pytest.raises(sycl.exception, match="number of bytes"):
        syclex.work_group_scratch_size(-1)
    with pytest.raises(sycl.KernelError, match="needs work-groups"):
        queue.parallel_for(8, half, lambda i: scratch(np.int32)[0])

    def two_types(it: sycl.nd_item) -> None:
        p[0] = scratch(np.int32)[0] + np.int32(scratch(np.float32)[0])
    with pytest.raises(sycl.KernelError, match="one type"):
        queue.parallel_for(space, half, two_types)
