"""Attributes of kernels and optional features (SYCL 2020 §5.7, §5.8)."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import code_of
from tests.unit.runtime.null import null_queue
from unisycl.backends.null.driver import INFO


@sycl.kernel(reqd_work_group_size=(2, 4), vec_type_hint=np.float32, work_group_size_hint=(2, 4))
def tile(it, p):
    p[it.get_global_id(0), it.get_global_id(1)] = it.get_local_linear_id()


@sycl.kernel(reqd_work_group_size=(2, 4))
def plain(i, p):
    p[i[0], i[1]] = 1


@pytest.mark.row("C-29", "F-12")
def test_a_required_size_is_the_only_one(queue: sycl.queue) -> None:
    p = sycl.malloc_shared((4, 8), np.int32, queue)
    queue.parallel_for(sycl.nd_range((4, 8), (2, 4)), tile, p).wait()
    assert list(range(8)) == sorted(p[:2, :4].reshape(-1).tolist())
    for space, kernel in ((sycl.nd_range((4, 8), (4, 4)), tile), (sycl.range(4, 8), plain)):
        with pytest.raises(sycl.exception, match=r"\(2, 4\)") as caught:
            queue.parallel_for(space, kernel, p)
        assert sycl.errc.nd_range == caught.value.code()


@pytest.mark.row("C-29", "F-14")
def test_a_size_the_device_cannot_have_is_not_supported(queue: sycl.queue) -> None:
    large = 2 * queue.get_device().get_info(sycl.info.device.max_work_group_size)

    @sycl.kernel(reqd_work_group_size=large)
    def huge(it, p):
        p[0] = 1

    p = sycl.malloc_shared(4, np.int32, queue)
    assert sycl.errc.kernel_not_supported == code_of(
        queue.parallel_for, sycl.nd_range(large, large), huge, p)


@sycl.kernel(reqd_work_group_size=16)
def helper(x):
    return x + 1


@pytest.mark.row("C-29")
def test_a_size_a_helper_requires_is_its_callers(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(64, np.int32, queue)
    p[:] = 1

    def kernel(it, p):
        p[it.get_global_id(0)] = helper(p[it.get_global_id(0)])
    queue.parallel_for(sycl.nd_range(64, 16), kernel, p).wait()
    assert [2] * 64 == p[:].tolist()
    assert sycl.errc.nd_range == code_of(queue.parallel_for, sycl.nd_range(64, 32), kernel, p)


@pytest.mark.row("C-30", "F-14")
def test_a_required_sub_group_size_is_kept_or_refused(queue: sycl.queue) -> None:
    sizes = queue.get_device().get_info(sycl.info.device.sub_group_sizes)
    p = sycl.malloc_shared(64, np.int32, queue)
    for size in {min(sizes), max(sizes)}:
        @sycl.kernel(reqd_sub_group_size=size)
        def kernel(it, p):
            p[it.get_global_id(0)] = it.get_sub_group().get_max_local_range()[0]
        queue.parallel_for(sycl.nd_range(64, 64), kernel, p).wait()
        assert [size] * 64 == p[:].tolist()

    @sycl.kernel(reqd_sub_group_size=3)
    def wrong(it, p):
        p[it.get_global_id(0)] = 1
    assert sycl.errc.kernel_not_supported == code_of(
        queue.parallel_for, sycl.nd_range(64, 64), wrong, p)


@sycl.kernel(device_has=sycl.aspect.fp64)
def wide(i, p):
    p[i] = 1


@sycl.device_has(sycl.aspect.gpu, sycl.aspect.cpu)
def both(i, p):
    p[i] = 1


@pytest.mark.row("C-31", "F-14")
def test_a_kernel_that_lists_aspects_needs_them(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(4, np.int32, queue)
    device = queue.get_device()
    for kernel, aspects in ((wide, [sycl.aspect.fp64]), (both, [sycl.aspect.gpu, sycl.aspect.cpu])):
        if all(device.has(a) for a in aspects):
            queue.parallel_for(4, kernel, p).wait()
        else:
            assert sycl.errc.kernel_not_supported == code_of(queue.parallel_for, 4, kernel, p)


@pytest.mark.row("C-31")
def test_a_function_is_marked_once() -> None:
    mark = sycl.device_has(sycl.aspect.fp64)
    assert wide is mark(wide)
    with pytest.raises(sycl.exception, match="marked twice") as caught:
        sycl.device_has(sycl.aspect.fp16)(wide)
    assert sycl.errc.invalid == caught.value.code()
    with pytest.raises(sycl.exception, match="expected aspects"):
        sycl.device_has("fp64")


def doubles(i, p):
    p[i] = np.float64(p[i]) / 3


def halves(i, p):
    p[i] = np.float16(p[i])


def big_atomics(i, p):
    sycl.atomic_ref(p, 0, sycl.memory_order.relaxed, sycl.memory_scope.device).fetch_add(1)


@pytest.mark.row("C-32", "F-14")
def test_features_the_device_lacks_are_refused_at_the_launch_only() -> None:
    poor = dataclasses.replace(INFO, aspects=INFO.aspects - {sycl.aspect.fp64,
                                                             sycl.aspect.atomic64})
    q = null_queue(aspects=poor.aspects)
    p = sycl.malloc_shared(4, np.float32, q)
    n = sycl.malloc_shared(4, np.int64, q)
    for kernel, memory in ((doubles, p), (halves, p), (big_atomics, n)):
        with pytest.raises(sycl.exception, match="aspect") as caught:
            q.parallel_for(4, kernel, memory)
        assert sycl.errc.kernel_not_supported == caught.value.code()

    def single(i, p):
        p[i] = p[i] / 3
    q.parallel_for(4, single, p).wait()


@pytest.mark.row("C-32")
def test_features_work_where_the_device_has_them(queue: sycl.queue) -> None:
    device = queue.get_device()
    for kernel, dtype, aspect in ((doubles, np.float32, sycl.aspect.fp64),
                                  (halves, np.float32, sycl.aspect.fp16),
                                  (big_atomics, np.int64, sycl.aspect.atomic64)):
        p = sycl.malloc_shared(4, dtype, queue)
        p[:] = 0
        if device.has(aspect):
            queue.parallel_for(4, kernel, p).wait()
        else:
            assert sycl.errc.kernel_not_supported == code_of(queue.parallel_for, 4, kernel, p)
