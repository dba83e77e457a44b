"""Launch queries by their own names, and launches at and beyond their answers."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

syclex = sycl.ext.oneapi.experimental
ask = syclex.info.kernel_queue_specific


def exchange(it: sycl.nd_item, p):  # type: ignore[no-untyped-def]
    root = it.ext_oneapi_get_root_group()
    i = root.get_local_linear_id()
    p[i] = i
    sycl.group_barrier(root)
    seen = p[(i + 1) % root.get_local_linear_range()]
    sycl.group_barrier(root)
    p[i] = seen


together = sycl.kernel(properties=syclex.properties(syclex.use_root_sync))(exchange)


def plain(it: sycl.nd_item, p):  # type: ignore[no-untyped-def]
    p[it.get_global_linear_id()] = it.get_sub_group().get_max_local_range()[0]


@pytest.mark.row("P-7")
def test_a_root_group_runs_at_the_maximum_and_one_above_is_refused(queue: sycl.queue) -> None:
    kernel = sycl.get_kernel_bundle(queue.get_context(), [together]).get_kernel(together)
    if queue.get_device().get_info(sycl.info.device.forward_progress_guarantee[
            syclex.execution_scope.work_group, syclex.execution_scope.root_group]) < (
                syclex.forward_progress_guarantee.concurrent):
        assert kernel.ext_oneapi_get_info(ask.max_num_work_groups, queue, 8) == 0
        with pytest.raises(sycl.exception) as caught:
            queue.parallel_for(sycl.nd_range(8, 8), together, np.zeros(8, np.int64))
        assert caught.value.code() == sycl.errc.feature_not_supported
        return
    most = kernel.ext_oneapi_get_info(ask.max_num_work_groups, queue, 8)
    n = 8 * most
    p = sycl.malloc_shared(n + 8, np.int64, queue)
    queue.parallel_for(sycl.nd_range(n, 8), together, p).wait()
    assert p[:n].tolist() == [*range(1, n), 0]
    with pytest.raises(sycl.exception) as caught:
        queue.parallel_for(sycl.nd_range(n + 8, 8), together, p)
    assert caught.value.code() == sycl.errc.nd_range


@pytest.mark.row("P-7")
def test_queries_account_for_local_memory_and_the_sub_group_size(queue: sycl.queue) -> None:
    device = queue.get_device()
    size = min(device.get_info(sycl.info.device.sub_group_sizes))
    sized = sycl.kernel(reqd_sub_group_size=size)(plain)
    kernel = sycl.get_kernel_bundle(queue.get_context(), [sized]).get_kernel(sized)
    query = kernel.ext_oneapi_get_info
    local = device.get_info(sycl.info.device.local_mem_size)
    most = query(ask.max_work_group_size, queue)
    assert query(ask.max_sub_group_size, queue, 4 * size) == size
    assert query(ask.num_sub_groups, queue, 4 * size) == 4
    assert len(query(ask.max_work_item_sizes, queue)) == 3
    assert query(ask.max_num_work_groups, queue, 4, local) >= 1
    assert query(ask.max_num_work_groups, queue, 4, local + 1) == 0
    assert query(ask.recommended_num_work_groups, queue, 4, local) >= 1
    assert query(ask.recommended_num_work_groups, queue, 4, local + 1) == 0
    assert query(ask.max_num_work_groups, queue, most + 1) == 0
    with pytest.raises(sycl.exception) as caught:
        query(ask.max_num_work_groups, queue, 0)
    assert caught.value.code() == sycl.errc.invalid
    p = sycl.malloc_shared(4 * size, np.int64, queue)
    queue.parallel_for(sycl.nd_range(4 * size, 4 * size), sized, p).wait()
    assert set(p[:].tolist()) == {size}


@pytest.mark.row("P-7")
def test_a_device_tells_how_many_groups_a_launch_may_have(device: sycl.device) -> None:
    about = syclex.info.device
    total = device.get_info(about.max_global_work_groups)
    for n in (1, 2, 3):
        each = device.get_info(about.max_work_groups[n])
        assert isinstance(each, sycl.id)
        assert len(each) == n
        assert all(1 <= extent <= total for extent in each)
