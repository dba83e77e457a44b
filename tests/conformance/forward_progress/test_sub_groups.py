"""Sub-groups of one work-group that wait for one another (FP §4.2; a kernel says that it needs it).

Run one after another, sub-group by sub-group, these kernels would never end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.ext.oneapi import experimental as exp
from unisycl.ext.oneapi.experimental import execution_scope as scope
from unisycl.ext.oneapi.experimental import forward_progress_guarantee as guarantee

info = sycl.info
in_group = exp.sub_group_progress(guarantee.concurrent, scope.work_group)
everywhere = exp.sub_group_progress(guarantee.concurrent, scope.root_group)


@pytest.fixture
def own(queue: sycl.queue) -> sycl.queue:
    """Return a queue of a device whose sub-groups can be concurrent; else see it refused."""
    device = queue.get_device()
    if device.get_info(info.device.forward_progress_guarantee[
            scope.sub_group, scope.work_group]) < guarantee.concurrent:
        @sycl.kernel(properties=in_group)
        def nothing(it):
            pass
        with sycl.testing.refused(device, able=False):
            queue.parallel_for(sycl.nd_range(1, 1), nothing).wait()
            pytest.fail("a kernel ran with less progress than it requires")
    return queue


def pass_on(it, flag, order):
    """Let the sub-groups of a work-group go on in the reverse of their order, or in order."""
    sg = it.get_sub_group()
    mine = sg.get_group_linear_id()
    if order < 0:
        mine = sg.get_group_linear_range() - 1 - mine
    ref = sycl.atomic_ref(flag, 0, sycl.memory_order.acq_rel, sycl.memory_scope.work_group)
    if sg.leader():
        while ref.load(sycl.memory_order.acquire) != mine:
            pass
    sycl.group_barrier(sg)
    return ref


@pytest.mark.row("H-6", "H-7")
@pytest.mark.parametrize(("size", "groups"), [(64, 1), (37, 3), (16, 9), (1, 2)])
def test_waiting_goes_with_barriers_local_memory_and_group_functions(
        own: sycl.queue, size: int, groups: int) -> None:
    """The turn is taken through local memory, forth and back, with all kinds of meetings between.
    """
    out = np.zeros((groups * size, 8), np.int64)

    @sycl.kernel(properties=in_group)
    def kernel(it, tile, flag):
        group, i, lid = it.get_group(), it.get_global_id(0), it.get_local_id(0)
        kept = sycl.private_array(np.int64, 2)
        kept[0] = 3 * lid
        if group.leader():
            flag[0] = 0
        sycl.group_barrier(group)
        for order in (-1, 1):
            ref = pass_on(it, flag, order)
            tile[lid] = 10 * i + order
            kept[1] = order * lid
            sycl.group_barrier(it.get_sub_group())
            if it.get_sub_group().leader():
                ref.fetch_add(1)
            sycl.group_barrier(group)
            if group.leader():
                flag[0] = 0
            out[i, 0] += tile[size - 1 - lid]
            sycl.group_barrier(group)
        out[i, 1] = sycl.reduce_over_group(group, i, sycl.maximum())
        out[i, 2] = sycl.exclusive_scan_over_group(group, lid, sycl.plus())
        out[i, 3] = sycl.inclusive_scan_over_group(group, lid, sycl.plus(), 100)
        out[i, 4] = sycl.group_broadcast(group, 7 * i, size - 1)
        any_of = sycl.any_of_group(group, lid == size - 1)
        all_of = sycl.all_of_group(group, lid < size - 1)
        out[i, 5] = (1 if any_of else 0) + (2 if all_of else 0)
        out[i, 6] = kept[0] + kept[1]
        total = np.int64(0)
        for k in range(3):
            total += sycl.reduce_over_group(group, k + lid, sycl.plus())
        out[i, 7] = total
    own.parallel_for(sycl.nd_range(groups * size, size), kernel,
                     sycl.local_accessor(np.int64, size),
                     sycl.local_accessor(np.int32, 1)).wait()
    i = np.arange(groups * size)
    lid = i % size
    first = i - lid
    expected = np.stack([
        2 * 10 * (first + size - 1 - lid), first + size - 1, lid * (lid - 1) // 2,
        100 + lid * (lid + 1) // 2, 7 * (first + size - 1), 0 * i + 1, 4 * lid,
        0 * i + 3 * size * (size - 1) // 2 + 3 * size], axis=1)
    assert expected.tolist() == out.tolist()


@pytest.mark.row("H-6", "H-7")
def test_sub_groups_wait_for_those_of_other_work_groups(own: sycl.queue) -> None:
    """Each sub-group of the launch waits for the next one, whatever work-group that is in."""
    @sycl.kernel(properties=everywhere)
    def kernel(it, turn, out):
        sg = it.get_sub_group()
        count = sg.get_group_linear_range()
        mine = it.get_group_linear_id() * count + sg.get_group_linear_id()
        behind = it.get_group().get_group_linear_range() * count - 1 - mine
        ref = sycl.atomic_ref(turn, 0, sycl.memory_order.acq_rel, sycl.memory_scope.device)
        if sg.leader():
            while ref.load(sycl.memory_order.acquire) != behind:
                pass
            ref.fetch_add(1)
        sycl.group_barrier(it.get_group())
        out[it.get_global_id(0)] = sycl.reduce_over_group(it.get_group(), 1, sycl.plus())
    bundle = sycl.get_kernel_bundle(own.get_context(), [kernel]).get_kernel(kernel)
    if own.get_device().get_info(info.device.forward_progress_guarantee[
            scope.sub_group, scope.root_group]) < guarantee.concurrent:
        assert 0 == bundle.get_info(info.kernel.max_num_work_groups, own, 32)
        return
    groups = min(2, bundle.get_info(info.kernel.max_num_work_groups, own, 32))
    turn, out = np.zeros(1, np.int32), np.zeros(32 * groups, np.int32)
    own.parallel_for(sycl.nd_range(32 * groups, 32), kernel, turn, out).wait()
    assert [32] * (32 * groups) == out.tolist()


@pytest.mark.row("H-7", "H-20")
def test_results_have_the_same_bits_as_without_it(own: sycl.queue) -> None:
    rng = np.random.default_rng(5)
    values = rng.standard_normal(96).astype(np.float32)

    def kernel(it, out):
        i = it.get_global_id(0)
        out[i, 0] = sycl.reduce_over_group(it.get_group(), values[i], sycl.plus())
        out[i, 1] = sycl.inclusive_scan_over_group(it.get_group(), values[i], sycl.plus())
        out[i, 2] = sycl.exclusive_scan_over_group(it.get_group(), values[i], sycl.multiplies())
    found = []
    for made in (kernel, sycl.kernel(properties=in_group)(kernel)):
        out = np.zeros((96, 3), np.float32)
        own.parallel_for(sycl.nd_range(96, 48), made, out).wait()
        found.append(out.tobytes())
        assert out[:, :2].all()
    assert found[0] == found[1]


@pytest.mark.row("H-7", "H-20")
def test_reductions_rows_and_many_groups_go_with_it(own: sycl.queue) -> None:
    """More work-groups than there could be threads for: each begins when others have ended."""
    total = np.zeros(1, np.int64)
    few = own.get_device().has(sycl.aspect.emulated)
    rows = 12 if few else 3000

    @sycl.kernel(properties=in_group)
    def kernel(it, result, flag):
        if it.get_local_linear_id() == 0:
            flag[0] = 0
        sycl.group_barrier(it.get_group())
        ref = pass_on(it, flag, -1)
        if it.get_sub_group().leader():
            ref.fetch_add(1)
        result += it.get_global_id(0) * 5 + it.get_global_id(1)
    with sycl.buffer(total) as b:
        def group(h: sycl.handler) -> None:
            h.parallel_for(sycl.nd_range(sycl.range(rows, 5), sycl.range(3, 5)),
                           sycl.reduction(b, h, sycl.plus()), kernel,
                           sycl.local_accessor(np.int32, 1, h))
        own.submit(group)
    assert [rows * 5 * (rows * 5 - 1) // 2] == total.tolist()


@pytest.mark.row("H-8", "H-9", "H-10")
def test_the_largest_work_group_can_be_asked_and_is_kept(own: sycl.queue) -> None:
    @sycl.kernel(properties=in_group)
    def kernel(it, flag, out):
        ref = pass_on(it, flag, -1)
        if it.get_sub_group().leader():
            ref.fetch_add(1)
        sycl.group_barrier(it.get_group())
        out[it.get_global_id(0)] = 1
    bundle = sycl.get_kernel_bundle(own.get_context(), [kernel]).get_kernel(kernel)
    most = bundle.get_info(info.kernel.max_work_group_size, own)
    assert most <= own.get_device().get_info(info.device.max_work_group_size)
    assert 1 <= bundle.get_info(info.kernel.max_num_work_groups, own, most)
    assert 0 == bundle.get_info(info.kernel.max_num_work_groups, own, most + 1)
    size = min(most, 64) if own.get_device().has(sycl.aspect.emulated) else most
    flag, out = np.zeros(1, np.int32), np.zeros(size, np.int32)
    own.parallel_for(sycl.nd_range(size, size), kernel, flag, out).wait()
    assert size == out.sum()
    with pytest.raises(sycl.exception) as caught:
        own.parallel_for(sycl.nd_range(most + 1, most + 1), kernel, flag, out)
    assert sycl.errc.nd_range is caught.value.code()


@pytest.mark.row("H-20")
@pytest.mark.parametrize("waits_in", ["a loop", "a barrier"])
def test_a_failure_of_one_sub_group_ends_those_that_wait_for_it(own: sycl.queue,
                                                              waits_in: str) -> None:
    looping = waits_in == "a loop"

    @sycl.kernel(properties=in_group, debug=True)
    def kernel(it, flag):
        sg = it.get_sub_group()
        last = sg.get_group_linear_id() == sg.get_group_linear_range() - 1
        assert not last, "the last one fails"
        ref = sycl.atomic_ref(flag, 0, sycl.memory_order.acq_rel, sycl.memory_scope.work_group)
        while looping and ref.load(sycl.memory_order.acquire) == 0:
            pass
        sycl.group_barrier(it.get_group())

    flag: Any = np.zeros(1, np.int32)
    with pytest.raises(sycl.exception, match="the last one fails"):
        own.parallel_for(sycl.nd_range(64, 64), kernel, flag).wait_and_throw()
