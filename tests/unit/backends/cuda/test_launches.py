"""How launches are made: shapes, local memory, and what is done again."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.cuda_fake.core import store
from tests.cuda_fake.install import installed
from tests.cuda_fake.library import H200, FakeCuda
from unisycl.ext.oneapi import experimental as exp


def number(i: Any, a: Any) -> None:
    a[i[0], i[1], i[2]] = i[0] * 1000 + i[1] * 100 + i[2]


def place(it: Any, b: Any) -> None:
    b[it.get_global_id(0), it.get_global_id(1)] = it.get_group(0) * 1000 + it.get_local_id(1)


def one(it: Any, p: Any) -> None:
    p[it.get_global_id(0)] = p[it.get_global_id(0)] + 1


def add(i: Any, p: Any, n: int) -> None:
    p[i] = p[i] + n


def test_more_work_groups_than_a_dimension_has_form_one() -> None:
    fake = FakeCuda(({**H200, 6: 3, 7: 2},), seed=3)
    with installed(fake):
        queue = sycl.queue("cuda")
        a, b = np.zeros((100, 7, 50), np.int32), np.zeros((64, 64), np.int32)
        queue.parallel_for((100, 7, 50), number, a).wait_and_throw()
        assert (137, 1, 1, 256, 1, 1, 0) == fake.launches[-1]
        queue.parallel_for(sycl.nd_range((64, 64), (4, 8)), place, b).wait_and_throw()
        assert (128, 1, 1, 32, 1, 1, 0) == fake.launches[-1]
    i, j, k = np.indices(a.shape)
    assert (a == i * 1000 + j * 100 + k).all()
    i, j = np.indices(b.shape)
    assert (b == (i // 4) * 1000 + j % 8).all()
    assert [] == fake.misuse


def test_dimensions_are_in_order_of_the_card(fake: FakeCuda, queue: sycl.queue) -> None:
    b = np.zeros((64, 32), np.int32)
    queue.parallel_for(sycl.nd_range((64, 32), (4, 8)), place, b).wait_and_throw()
    assert (4, 16, 1, 8, 4, 1, 0) == fake.launches[-1]


@pytest.mark.parametrize(("count", "asked"), [(1000, 0), (20_000, 1)])
def test_local_memory_beyond_48_kib_is_asked_for(
        fake: FakeCuda, queue: sycl.queue, count: int, asked: int) -> None:
    out = np.zeros(256, np.float32)
    with sycl.buffer(out) as b:
        def group(h: sycl.handler) -> None:
            tile, acc = sycl.local_accessor(np.float32, count, h), sycl.accessor(b, h)

            def kernel(it: Any) -> None:
                tile[it.get_local_id(0)] = it.get_global_id(0)
                sycl.group_barrier(it.get_group())
                acc[it.get_global_id(0)] = tile[63 - it.get_local_id(0)]
            h.parallel_for(sycl.nd_range(256, 64), kernel)
        queue.submit(group)
        queue.wait_and_throw()
    assert [64 * (k // 64) + 63 - k % 64 for k in range(256)] == out.tolist()
    assert (4 * count, asked) == (fake.launches[-1][-1], fake.calls["cuFuncSetAttribute"])


def test_more_local_memory_than_there_is_is_refused(queue: sycl.queue) -> None:
    def group(h: sycl.handler) -> None:
        tile = sycl.local_accessor(np.float32, 60_000, h)

        def kernel(it: Any) -> None:
            tile[it.get_local_id(0)] = 1
        h.parallel_for(sycl.nd_range(64, 64), kernel)
    with pytest.raises(sycl.exception, match="local memory") as caught:
        queue.submit(group)
    assert sycl.errc.memory_allocation == caught.value.code()


@pytest.mark.row("H-19")
def test_groups_are_there_at_once_where_a_kernel_asks_for_it_only(
        fake: FakeCuda, queue: sycl.queue) -> None:
    needs = exp.work_group_progress, exp.execution_scope.root_group
    p = np.zeros(64, np.int32)
    for strength, calls in (("weakly_parallel", 0), ("parallel", 0), ("concurrent", 1)):
        asked = exp.forward_progress_guarantee[strength]
        kernel = sycl.kernel(properties=needs[0](asked, needs[1]))(one)
        for _ in range(3):  # as is prepared, and as comes again
            queue.parallel_for(sycl.nd_range(64, 16), kernel, p).wait_and_throw()
        assert 3 * calls == fake.calls["cuLaunchCooperativeKernel"]
    assert [9] * 64 == p.tolist()


def test_a_launch_that_comes_again_needs_no_event(fake: FakeCuda) -> None:
    queue = sycl.queue("cuda", sycl.property.queue.in_order())
    p, out = sycl.malloc_device(16, np.int32, queue), np.zeros(16, np.int32)
    queue.fill(p, 0).wait()
    for _ in range(5):
        queue.parallel_for(16, add, p, 1)
    before = fake.calls["cuEventRecord"]
    for _ in range(6):
        queue.parallel_for(16, add, p, 1)
    assert before == fake.calls["cuEventRecord"]
    queue.memcpy(out, p, 64).wait()
    assert [11] * 16 == out.tolist()


def test_memory_of_a_launch_is_kept_until_its_end(fake: FakeCuda) -> None:
    queue = sycl.queue("cuda", sycl.property.queue.in_order())
    p = sycl.malloc_device(16, np.int32, queue)
    for _ in range(4):
        queue.parallel_for(16, add, p, 1)
    queue.wait()
    fake.held = True
    queue.parallel_for(16, add, p, 1)
    alive = weakref.ref(p.block.memory.allocation)
    sycl.free(p, queue)
    del p
    gc.collect()
    assert alive() is not None
    fake.held = False
    queue.wait()
    for _ in range(3):  # what was repeated is forgotten with its memory
        queue.parallel_for(16, lambda i: None)
    queue.wait()
    gc.collect()
    assert alive() is None


def test_sub_groups_of_other_sizes_are_refused(queue: sycl.queue) -> None:
    @sycl.kernel(reqd_sub_group_size=16)
    def kernel(it: Any) -> None:
        pass
    with pytest.raises(sycl.exception, match="sub-group"):
        queue.parallel_for(sycl.nd_range(64, 64), kernel)


def test_a_range_is_cut_into_the_groups_that_fill_a_card(
        fake: FakeCuda, queue: sycl.queue, monkeypatch: pytest.MonkeyPatch) -> None:
    def resident(self: FakeCuda, out: Any, function: Any, size: int, shared: int) -> None:
        store(out, {256: 1, 128: 3, 64: 6}[size])  # a quarter more, then no more

    monkeypatch.setattr(FakeCuda, "_cuOccupancyMaxActiveBlocksPerMultiprocessor", resident)
    p = sycl.malloc_device(1000, np.int64, queue)

    def heavy(i: Any, p: Any) -> None:
        p[i] = 3 * i

    queue.parallel_for(1000, heavy, p).wait()
    assert fake.launches[-1][:4] == (8, 1, 1, 128)
    out = np.zeros(1000, np.int64)
    queue.memcpy(out, p, out.nbytes).wait()
    assert out.tolist() == list(range(0, 3000, 3))
