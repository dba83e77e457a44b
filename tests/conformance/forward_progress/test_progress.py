"""Forward progress: what devices promise, what kernels require, and that it is given.

Clauses FP are of the paper among the specifications (sycl_ext_oneapi_forward_progress).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.ext.oneapi import experimental as exp
from unisycl.ext.oneapi.experimental import execution_scope as scope
from unisycl.ext.oneapi.experimental import forward_progress_guarantee as guarantee

errc, info = sycl.errc, sycl.info
SCOPES = (scope.work_item, scope.sub_group, scope.work_group)
together = exp.work_group_progress(guarantee.concurrent, scope.root_group)


def meet(it, counter, groups, rounds, sums):
    """Meet all work-groups of the launch in each round (FP Fig. 1)."""
    for r in range(rounds):
        sums[it.get_global_id(0)] += r
        sycl.group_barrier(it.get_group())
        if it.get_local_id(0) == 0:
            ref = sycl.atomic_ref(counter, 0, sycl.memory_order.acq_rel, sycl.memory_scope.device)
            ref.fetch_add(1)
            while ref.load(sycl.memory_order.acquire) < groups * (r + 1):
                pass
        sycl.group_barrier(it.get_group())


@sycl.kernel(properties=together)
def phases(it, counter, groups, rounds, sums):
    meet(it, counter, groups, rounds, sums)


def capability(device: sycl.device) -> guarantee:
    return device.get_info(info.device.forward_progress_guarantee[scope.work_group,
                                                                  scope.root_group])


def zeros(queue: sycl.queue, count: int, dtype: Any) -> Any:
    memory = sycl.malloc_device(count, dtype, queue)
    queue.fill(memory, 0).wait()
    return memory


def seen(queue: sycl.queue, memory: Any) -> list[Any]:
    found = np.zeros(memory.size(), memory.dtype)
    queue.copy(memory, found).wait()
    return found.tolist()


def need_groups_together(queue: sycl.queue) -> None:
    """End the test as refused where work-groups cannot be concurrent, and are refused to be."""
    if capability(queue.get_device()) < guarantee.concurrent:
        counter, sums = zeros(queue, 1, np.int32), zeros(queue, 1, np.int64)
        with sycl.testing.refused(queue.get_device(), able=False):
            queue.parallel_for(sycl.nd_range(1, 1), phases, counter, 1, 1, sums).wait()
            pytest.fail("a kernel ran with less progress than it requires")


def in_bundle(queue: sycl.queue, kernel: Any) -> Any:
    return sycl.get_kernel_bundle(queue.get_context(), [kernel]).get_kernel(kernel)


@pytest.mark.row("H-1")
def test_guarantees_compare_by_strength() -> None:
    assert guarantee.concurrent > guarantee.parallel > guarantee.weakly_parallel
    assert guarantee.weakly_parallel <= guarantee.weakly_parallel < guarantee.concurrent
    assert not guarantee.weakly_parallel >= guarantee.parallel
    assert scope.work_item < scope.sub_group < scope.work_group < scope.root_group
    with pytest.raises(TypeError):
        assert guarantee.concurrent > scope.work_item


@pytest.mark.row("H-1", "H-2", "H-3", "H-16")
def test_a_scope_gives_the_weakest_of_the_levels_between(device: sycl.device) -> None:
    def ask(s: scope, c: scope) -> guarantee:
        return device.get_info(info.device.forward_progress_guarantee[s, c])
    own = {s: ask(s, scope(s.value + 1)) for s in SCOPES}
    for s in SCOPES:
        for c in scope:
            if c > s:
                assert min(own[k] for k in SCOPES if s <= k < c) is ask(s, c)
            else:
                with pytest.raises(sycl.exception, match="wider") as caught:
                    ask(s, c)
                assert errc.invalid is caught.value.code()
    with pytest.raises(sycl.exception, match="brackets"):
        device.get_info(info.device.forward_progress_guarantee)
    with pytest.raises(sycl.exception, match="execution_scope"):
        device.get_info(info.device.forward_progress_guarantee[scope.work_item, 3])


@pytest.mark.row("H-4", "H-13")
def test_lists_of_capabilities_are_closed_downwards(device: sycl.device) -> None:
    for s in SCOPES:
        what = getattr(info.device, f"{s.name}_progress_capabilities")
        for c in (c for c in scope if c > s):
            strongest = device.get_info(info.device.forward_progress_guarantee[s, c])
            assert [g for g in guarantee if g <= strongest] == device.get_info(what[c])
            assert guarantee.weakly_parallel in device.get_info(what[c])


@pytest.mark.row("H-5")
def test_what_a_kernel_may_require(device: sycl.device) -> None:
    assert not hasattr(exp, "root_group_progress")
    for make, s in ((exp.work_group_progress, scope.work_group),
                    (exp.work_item_progress, scope.work_item)):
        with pytest.raises(sycl.exception, match="wider"):
            make(guarantee.parallel, s)
    with pytest.raises(sycl.exception, match="forward_progress_guarantee"):
        exp.sub_group_progress("concurrent", scope.root_group)
    with pytest.raises(sycl.exception, match="twice"):
        sycl.kernel(properties=[together, together])
    with pytest.raises(sycl.exception, match="properties of kernels"):
        sycl.kernel(properties=[sycl.property.queue.in_order()])


class Meeting:
    """FP Fig. 11: the object says itself what it requires."""

    def __init__(self, groups: int, counter: Any, sums: Any) -> None:
        self.groups = groups
        self.counter = counter
        self.sums = sums

    def __call__(self, it):
        meet(it, self.counter, self.groups, 3, self.sums)

    def get(self, tag: exp.properties_tag):
        return [together]


@pytest.mark.row("H-5", "H-7", "H-20", "H-21")
def test_a_launch_is_accepted_or_refused_and_never_hangs(queue: sycl.queue) -> None:
    """FP Fig. 12: try it."""
    counter = zeros(queue, 1, np.int32)
    sums = zeros(queue, 8, np.int64)
    enough = capability(queue.get_device()) >= guarantee.concurrent
    code = errc.success
    try:
        queue.parallel_for(sycl.nd_range(8, 8), Meeting(1, counter, sums)).wait()
    except sycl.exception as error:
        code = error.code()
    assert (errc.success if enough else errc.feature_not_supported) is code
    assert [3 if enough else 0] * 8 == seen(queue, sums)


@pytest.mark.row("H-8", "H-10", "H-12", "H-19", "H-20", "H-21")
def test_all_groups_meet_a_thousand_times(queue: sycl.queue) -> None:
    """FP Fig. 13: ask, then launch."""
    device = queue.get_device()
    kernel = in_bundle(queue, phases)
    most = kernel.get_info(info.kernel.max_num_work_groups, queue, 16)
    if capability(device) < guarantee.concurrent:
        assert 0 == most
        return
    emulated = device.has(sycl.aspect.emulated)
    groups, rounds = (min(3, most), 20) if emulated else (most, 1000)
    counter = zeros(queue, 1, np.int32)
    sums = zeros(queue, 16 * groups, np.int64)
    queue.parallel_for(sycl.nd_range(16 * groups, 16), phases, counter, groups, rounds,
                       sums).wait()
    assert [groups * rounds] == seen(queue, counter)
    assert {rounds * (rounds - 1) // 2} == set(seen(queue, sums))
    with pytest.raises(sycl.exception, match="work-groups") as caught:
        queue.parallel_for(sycl.nd_range(16 * (most + 1), 16), phases, counter, groups, 1, sums)
    assert errc.nd_range is caught.value.code()
    with pytest.raises(sycl.exception, match="nd_range"):
        queue.parallel_for(16, phases, counter, groups, 1, sums)


@pytest.mark.row("H-20")
def test_two_such_kernels_do_not_wait_for_each_other_for_ever(queue: sycl.queue) -> None:
    need_groups_together(queue)
    most = in_bundle(queue, phases).get_info(info.kernel.max_num_work_groups, queue, 1)
    groups = min(most, 2)
    kept = []
    for _ in range(6):
        counter = zeros(queue, 1, np.int32)
        sums = zeros(queue, groups, np.int64)
        kept.append((queue.parallel_for(sycl.nd_range(groups, 1), phases, counter, groups, 5,
                                        sums), sums))
    for event, sums in kept:
        event.wait()
        assert [10] * groups == seen(queue, sums)


@sycl.kernel(properties=exp.sub_group_progress(guarantee.concurrent, scope.work_group))
def relay(it, flag, out):
    """The last sub-group goes first, and each waits for the one behind it."""
    sg = it.get_sub_group()
    mine = sg.get_group_linear_range() - 1 - sg.get_group_linear_id()
    ref = sycl.atomic_ref(flag, 0, sycl.memory_order.acq_rel, sycl.memory_scope.device)
    if sg.leader():
        while ref.load(sycl.memory_order.acquire) != mine:
            pass
        ref.fetch_add(1)
    sycl.group_barrier(it.get_group())
    out[it.get_global_id(0)] = sycl.reduce_over_group(it.get_group(), 1, sycl.plus())


@sycl.kernel(properties=exp.work_item_progress(guarantee.concurrent, scope.root_group))
def chain(it, flag, out):
    """Each work-item waits for the next one."""
    mine = it.get_global_range(0) - 1 - it.get_global_id(0)
    ref = sycl.atomic_ref(flag, 0, sycl.memory_order.acq_rel, sycl.memory_scope.device)
    while ref.load(sycl.memory_order.acquire) != mine:
        pass
    out[it.get_global_id(0)] = mine
    ref.store(mine + 1)


@pytest.mark.row("H-6", "H-7")
@pytest.mark.parametrize(("kernel", "s", "c", "space", "expected"), [
    (relay, scope.sub_group, scope.work_group, sycl.nd_range(32, 32), [32] * 32),
    (chain, scope.work_item, scope.root_group, sycl.nd_range(12, 4), list(range(12))[::-1])])
def test_threads_wait_for_one_another_where_that_is_promised(
        queue: sycl.queue, kernel: Any, s: scope, c: scope, space: Any,
        expected: list[int]) -> None:
    flag = zeros(queue, 1, np.int32)
    out = zeros(queue, len(expected), np.int32)
    strongest = queue.get_device().get_info(info.device.forward_progress_guarantee[s, c])
    if strongest >= guarantee.concurrent:
        queue.parallel_for(space, kernel, flag, out).wait()
        assert expected == seen(queue, out)
    else:
        with pytest.raises(sycl.exception, match=f"{s.name}s") as caught:
            queue.parallel_for(space, kernel, flag, out)
        assert errc.feature_not_supported is caught.value.code()


@pytest.mark.row("H-20")
def test_a_failure_ends_those_that_wait_for_it(queue: sycl.queue) -> None:
    """A kernel's error must not leave the other groups waiting."""
    need_groups_together(queue)
    if queue.get_device().get_info(info.device.max_compute_units) < 2 \
            and not queue.get_device().has(sycl.aspect.emulated):
        pytest.skip("two work-groups cannot run at the same time")

    @sycl.kernel(properties=together, debug=True)
    def broken(it, counter, x):
        if it.get_group_linear_id() == 1:
            x[100] = 1
        ref = sycl.atomic_ref(counter, 0, sycl.memory_order.acq_rel, sycl.memory_scope.device)
        ref.fetch_add(1)
        while ref.load(sycl.memory_order.acquire) < 2:
            pass
    counter, x = zeros(queue, 1, np.int32), zeros(queue, 4, np.int32)
    with pytest.raises(sycl.exception, match="100"):
        queue.parallel_for(sycl.nd_range(2, 1), broken, counter, x).wait_and_throw()


@pytest.mark.row("H-20")
def test_reductions_and_local_memory_work_together_with_it(queue: sycl.queue) -> None:
    need_groups_together(queue)
    total = np.zeros(1, np.int64)

    @sycl.kernel(properties=together)
    def kernel(it, result, tile):
        tile[it.get_local_id(0)] = it.get_global_id(0)
        sycl.group_barrier(it.get_group())
        result += tile[7 - it.get_local_id(0)]
    with sycl.buffer(total) as b:
        def group(h: sycl.handler) -> None:
            tile = sycl.local_accessor(np.int64, 8, h)
            h.parallel_for(sycl.nd_range(16, 8), sycl.reduction(b, h, sycl.plus()), kernel, tile)
        queue.submit(group)
    assert [120] == total.tolist()


@pytest.mark.row("H-9", "H-10", "H-11", "H-12")
def test_limits_of_launches_can_be_asked(queue: sycl.queue) -> None:
    @sycl.kernel
    def plain(it, x):
        sg = it.get_sub_group()
        x[0] = sg.get_max_local_range()
        x[1] = sg.get_group_linear_range()
    kernel = in_bundle(queue, plain)
    ask = info.kernel
    size = kernel.get_info(ask.max_work_group_size, queue)
    assert 3 == len(kernel.get_info(ask.max_work_item_sizes, queue))
    x = zeros(queue, 2, np.int64)
    queue.parallel_for(sycl.nd_range(size, size), plain, x).wait()
    a, b = seen(queue, x)
    assert a <= kernel.get_info(ask.max_sub_group_size, queue, size)
    assert b <= kernel.get_info(ask.max_num_sub_groups, queue, size)
    assert 1 <= kernel.get_info(ask.max_num_work_groups, queue, size)
    assert 1 <= kernel.get_info(ask.max_num_work_groups, queue, sycl.range(2, 4), 64)
    assert 0 == kernel.get_info(ask.max_num_work_groups, queue, size + 1)
    assert 0 == kernel.get_info(ask.max_num_work_groups, queue, 1, 1 << 40)
    with pytest.raises(sycl.exception) as caught:
        kernel.get_info(ask.max_num_work_groups, queue, 0)
    assert errc.invalid is caught.value.code()
    for wrong in ((), (queue,), (8,), (8, queue), (queue, 8, 0, 0)):
        with pytest.raises(TypeError, match="takes"):
            kernel.get_info(ask.max_num_work_groups, *wrong)


@pytest.mark.row("H-14")
@pytest.mark.parametrize("size", [1, 3, 8, 33, 64])
def test_the_leader_may_work_long_while_the_rest_wait(queue: sycl.queue, size: int) -> None:
    out = zeros(queue, size, np.int64)

    def kernel(it, out, tile, turns):
        if it.get_local_id(0) == 0:
            total = np.int64(0)
            for k in range(turns):
                total += k % 7
            tile[0] = total
        sycl.group_barrier(it.get_group())
        out[it.get_local_id(0)] = tile[0]

    def group(h: sycl.handler) -> None:
        h.parallel_for(sycl.nd_range(size, size), kernel, out,
                       sycl.local_accessor(np.int64, 1, h), 2000)
    queue.submit(group).wait()
    assert {sum(k % 7 for k in range(2000))} == set(seen(queue, out))


@pytest.mark.row("H-15")
def test_waiting_for_a_command_makes_it_go_on(queue: sycl.queue) -> None:
    x = zeros(queue, 1, np.int64)

    def kernel(x, turns):
        for k in range(turns):
            x[0] += k
    last = None
    for _ in range(5):
        last = queue.single_task(kernel, x, 3000, depends_on=[] if last is None else [last])
    last.wait()
    assert info.event_command_status.complete is last.get_info(
        info.event.command_execution_status)
    assert [5 * sum(range(3000))] == seen(queue, x)


@sycl.kernel(properties=exp.use_root_sync)
def shift(it, a, b, rounds):
    """Every work-item reads what the next one of the launch wrote, in each round."""
    root = it.ext_oneapi_get_root_group()
    i = root.get_local_linear_id()
    n = root.get_local_linear_range()
    for _ in range(rounds):
        b[i] = a[(i + 1) % n] + 1
        sycl.group_barrier(root)
        a[i] = b[i]
        sycl.group_barrier(root)


@pytest.mark.row("H-22")
def test_a_barrier_over_all_groups_makes_all_writes_visible(queue: sycl.queue) -> None:
    most = in_bundle(queue, shift).get_info(info.kernel.max_num_work_group_sync, queue, 8)
    if capability(queue.get_device()) < guarantee.concurrent:
        assert 0 == most
        with pytest.raises(sycl.exception) as caught:
            queue.parallel_for(sycl.nd_range(8, 8), shift, zeros(queue, 8, np.int32),
                               zeros(queue, 8, np.int32), 1)
        assert errc.feature_not_supported is caught.value.code()
        return
    emulated = queue.get_device().has(sycl.aspect.emulated)
    groups, rounds = (3, 5) if emulated else (most, 500)
    n = 8 * groups
    a, b = zeros(queue, n, np.int32), zeros(queue, n, np.int32)
    queue.copy(np.arange(n, dtype=np.int32), a).wait()
    queue.parallel_for(sycl.nd_range(n, 8), shift, a, b, rounds).wait()
    expected = [(k + rounds) % n + rounds for k in range(n)]
    assert expected == seen(queue, a)
    with pytest.raises(sycl.exception) as caught:
        queue.parallel_for(sycl.nd_range(8 * (most + 1), 8), shift, a, b, 1)
    assert errc.nd_range is caught.value.code()


@pytest.mark.row("H-22")
def test_what_a_root_group_tells(queue: sycl.queue) -> None:
    out = zeros(queue, 14, np.int64)

    def kernel(it, out):
        root = it.ext_oneapi_get_root_group()
        same = exp.get_root_group()
        if root.leader():
            out[0] = root.get_group_linear_id()
            out[1] = root.get_group_linear_range()
            out[2] = root.get_local_linear_range()
            out[3] = root.get_local_range()[1]
            out[4] = root.get_group_range()[0]
            out[5] = root.get_group_id()[1]
            out[6] = root.get_local_linear_id()
            out[7] = same.get_max_local_range()[0]
        if it.get_global_id(0) == 3 and it.get_global_id(1) == 5:
            out[8] = root.get_local_linear_id()
            out[9] = root.get_local_id()[0]
            out[10] = root.get_local_id()[1]
    queue.parallel_for(sycl.nd_range(sycl.range(4, 6), sycl.range(2, 3)), kernel, out).wait()
    assert [0, 1, 24, 6, 1, 0, 0, 4, 23, 3, 5] == seen(queue, out)[:11]
