"""Index objects without a parameter, and kernels that are plain functions (oneAPI's extensions)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import code_of
from unisycl.ext.oneapi import this_work_item

x = sycl.ext.oneapi.experimental


def here():
    return this_work_item.get_nd_item().get_global_id(0)


@x.nd_range_kernel(1)
def iota(start, p):
    """The extension's own example: no index parameter."""
    it = this_work_item.get_nd_item()
    p[it.get_global_linear_id()] = start + it.get_global_linear_id()


@sycl.kernel(properties=x.nd_range_kernel(2))
def tile(p):
    it = this_work_item.get_nd_item()
    p[it.get_global_id(0), it.get_global_id(1)] = it.get_local_linear_id()


@x.nd_range_kernel(1)
def turn(p, tile):
    group = this_work_item.get_work_group()
    k = this_work_item.get_nd_item().get_local_id(0)
    tile[k] = p[here()]
    sycl.group_barrier(group)
    p[here()] = tile[3 - k] + sycl.reduce_over_group(group, tile[k], sycl.plus())


@x.single_task_kernel()
def once(p, value):
    p[0] = value


@pytest.mark.row("M-7")
def test_queries_work_anywhere_in_a_kernel(queue: sycl.queue) -> None:
    p = sycl.malloc_shared((3, 8), np.int64, queue)

    def kernel(it, p):
        p[0, here()] = this_work_item.get_work_group().get_group_id(0)
        p[1, here()] = this_work_item.get_sub_group().get_local_id()[0]
        p[2, here()] = it.get_sub_group().get_local_id()[0]
    queue.parallel_for(sycl.nd_range(8, 4), kernel, p).wait()
    assert [0, 0, 0, 0, 1, 1, 1, 1] == p[0].tolist()
    assert p[1].tolist() == p[2].tolist()
    for ask in (this_work_item.get_nd_item, this_work_item.get_work_group,
                this_work_item.get_sub_group):
        assert sycl.errc.invalid == code_of(ask)


@pytest.mark.row("M-7")
def test_plain_functions_are_kernels(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(8, np.float32, queue)
    queue.parallel_for(sycl.nd_range(8, 4), iota, np.float32(3), p).wait()
    assert [3, 4, 5, 6, 7, 8, 9, 10] == p[:].tolist()
    x.nd_launch(queue, sycl.nd_range(8, 4), turn, p, sycl.local_accessor(np.float32, 4))
    queue.wait()
    assert [24, 23, 22, 21, 44, 43, 42, 41] == p[:].tolist()
    x.single_task(queue, once, p, 9)
    queue.wait()
    assert 9 == p[0]
    q = sycl.malloc_shared((4, 4), np.int32, queue)
    with sycl.buffer(q[:].copy()) as b:
        queue.submit(lambda h: h.parallel_for(
            sycl.nd_range((4, 4), (2, 2)), tile, sycl.accessor(b, h)))
        with sycl.host_accessor(b) as view:
            assert [[0, 1, 0, 1], [2, 3, 2, 3]] * 2 == view.get_view().tolist()


@pytest.mark.row("M-7")
def test_free_functions_are_launched_as_they_say(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(8, np.float32, queue)
    for space in (sycl.range(8), sycl.nd_range((4, 2), (2, 2))):
        assert sycl.errc.invalid == code_of(queue.parallel_for, space, iota, np.float32(3), p)
    assert sycl.errc.invalid == code_of(queue.single_task, iota, np.float32(3), p)
    assert sycl.errc.invalid == code_of(queue.parallel_for, sycl.nd_range(8, 4), once, p, 1)
    assert sycl.errc.invalid == code_of(x.nd_range_kernel, 4)
    with pytest.raises(sycl.KernelError, match="K034"):
        queue.parallel_for(sycl.nd_range(8, 4), iota, p)
    bundle = sycl.get_kernel_bundle(queue.get_context(), [sycl.get_kernel_id(iota)],
                                    sycl.bundle_state.executable)
    assert bundle.has_kernel(sycl.get_kernel_id(iota))


@pytest.mark.row("M-7")
def test_a_free_function_is_still_the_function(device: sycl.device) -> None:
    seen = [0]
    once(seen, 4)
    assert [4] == seen
