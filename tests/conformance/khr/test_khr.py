"""SYCL's KHR extensions: each constant is true, each name is tried."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl import khr

CONSTANTS = ("QUEUE_FLUSH QUEUE_EMPTY_QUERY DEFAULT_CONTEXT FREE_FUNCTION_COMMANDS "
             "WORK_ITEM_QUERIES GROUP_INTERFACE DYNAMIC_ADDRSPACE_CAST STATIC_ADDRSPACE_CAST "
             "MAX_NUM_WORK_GROUPS MAX_WORK_GROUP_QUERIES INCLUDES SPLIT_HEADERS PROPERTIES").split()


def double(it: sycl.item, p, by):  # type: ignore[no-untyped-def]
    i = it[0]
    p[i] = p[i] * by


@pytest.mark.row("P-9")
def test_every_constant_is_true_and_every_name_of_the_namespace_is_there() -> None:
    assert all(getattr(sycl, f"SYCL_KHR_{name}") == 1 for name in CONSTANTS)
    assert all(getattr(khr, name).__doc__ for name in khr.__all__ if name != "info")


@pytest.mark.row("P-9")
def test_queues_without_a_context_share_the_default_one_of_the_platform(
        device: sycl.device) -> None:
    place = device.get_platform()
    found = place.khr_get_default_context()
    assert found == sycl.queue(device).get_context() == place.ext_oneapi_get_default_context()
    assert set(place.get_devices()) == set(found.get_devices())


@pytest.mark.row("P-9")
def test_a_launch_within_the_most_work_groups_is_accepted(queue: sycl.queue) -> None:
    device, about = queue.get_device(), khr.info.device
    total = device.get_info(about.max_work_group_range_size)
    assert total >= 1
    for n in (1, 2, 3):
        most = device.get_info(about.max_work_group_range[n])
        assert isinstance(most, sycl.range)
        assert len(most) == n
        assert all(1 <= m for m in most)
        older = device.get_info(about.max_num_work_groups_nd_range[n])
        assert isinstance(older, sycl.id)
        assert tuple(older) == tuple(most)
    assert len(device.get_info(about.max_work_group_range)) == 3
    with pytest.raises(sycl.exception, match="1, 2 or 3"):
        device.get_info(about.max_work_group_range[4])
    out = sycl.malloc_shared(1, np.int64, queue)

    def kernel(it):  # type: ignore[no-untyped-def]
        if it.get_global_linear_id() == 999:
            out[0] = it.get_group(0)
    khr.launch_grouped(queue, min(1000, total), 1, kernel)
    queue.wait()
    assert out[0] == 999


@pytest.mark.row("P-9")
def test_properties_with_values(device: sycl.device) -> None:
    listed = khr.properties(khr.in_order(), khr.enable_profiling(False))
    q = sycl.queue(device, listed)
    assert q.is_in_order()
    assert not q.khr_is_profiling_enabled()
    assert not sycl.queue(device, khr.in_order(False)).is_in_order()
    assert sycl.queue(device, khr.enable_profiling()).khr_is_profiling_enabled()
    assert listed.has_property(khr.in_order)
    assert listed.get_property(khr.in_order).value
    assert not khr.properties().has_property(khr.in_order)
    with pytest.raises(sycl.exception, match="has_property"):
        khr.properties().get_property(khr.in_order)
    assert khr.is_property(khr.in_order)
    assert not khr.is_property(int)
    assert khr.is_property_key(khr.in_order)
    assert not khr.is_property_key_compile_time(khr.in_order)
    assert khr.is_property_for(khr.in_order, sycl.queue)
    assert not khr.is_property_key_for(khr.in_order, sycl.buffer)
    assert khr.is_property_list_for(listed, sycl.queue)
    assert khr.is_property_list_for(khr.properties(), sycl.buffer)
    for wrong in ((khr.in_order(), khr.in_order(False)), (3,), (sycl.property.queue.in_order(),)):
        with pytest.raises(sycl.exception, match="properties"):
            khr.properties(*wrong)
    with pytest.raises(sycl.exception, match="True or False"):
        khr.in_order(1)  # type: ignore[arg-type]


@pytest.mark.row("P-9")
def test_headers_have_the_names_of_the_core() -> None:
    assert khr.includes.queue.queue is sycl.queue
    assert khr.split_headers.usm.malloc_shared is sycl.malloc_shared
    assert khr.includes.math.sin is sycl.sin
    assert khr.includes.version.SYCL_KHR_INCLUDES == 1
    for name in khr.includes.__all__:
        one = getattr(khr.includes, name)
        assert dir(one)
        assert all(getattr(one, inside) is not None for inside in dir(one))
    assert not hasattr(khr.includes.queue, "malloc_shared")
    assert not hasattr(khr.includes, "nothing")


@pytest.mark.row("P-9")
def test_launches_by_free_functions_with_requirements(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(16, np.int32, queue)
    total = sycl.malloc_shared(2, np.int32, queue)
    p[:], total[:] = np.arange(16), 0
    done = khr.make_event(queue.get_context())
    done.wait()  # nothing is to signal it so far

    def rows(it: sycl.nd_item) -> None:
        p[it.get_global_linear_id()] += it.get_local_range(0)

    def add(it, into):  # type: ignore[no-untyped-def]
        into += p[it[0]]

    def add_grouped(it, into):  # type: ignore[no-untyped-def]
        into += p[it.get_global_linear_id()]
    assert khr.launch(queue, 16, khr.requirements(khr.signal_event(done)), double, p, 2) is None
    second = khr.make_event(queue.get_context())
    khr.launch_grouped(queue, 16, 4, khr.requirements(
        khr.wait_event(done), khr.signal_event(second)), rows)
    third, fourth = (khr.make_event(queue.get_context()) for _ in range(2))
    khr.launch_reduce(queue, 16, khr.requirements(khr.wait_events([done, second]),
                                                  khr.signal_event(third)), add,
                      sycl.reduction(total, sycl.plus))
    khr.launch_grouped_reduce(
        queue, 16, 4, khr.requirements(khr.wait_event(third), khr.signal_event(fourth)),
        add_grouped, sycl.reduction(total, sycl.plus))
    fourth.wait()
    assert p[:].tolist() == [2 * i + 4 for i in range(16)]
    assert total[0] == 2 * sum(2 * i + 4 for i in range(16))

    def once() -> None:
        p[0] = -1
    seen: list[int] = []
    khr.launch_task(queue, khr.requirements(khr.signal_event(done)), once)
    khr.launch_host(queue, khr.requirements(khr.wait_event(done)), lambda: seen.append(int(p[0])))
    queue.wait()
    assert seen == [-1]


@pytest.mark.row("P-9")
def test_accessors_and_bundles_among_requirements(queue: sycl.queue) -> None:
    with sycl.buffer(np.arange(8, dtype=np.float32)) as data:
        acc = sycl.accessor(data, sycl.read_write)
        bundle = sycl.get_kernel_bundle(queue.get_context(), sycl.bundle_state.executable)

        def add_one(i):  # type: ignore[no-untyped-def]
            acc[i] += 1
        khr.launch(queue, 8, khr.requirements(acc), add_one)
        out = np.zeros(8, np.float32)
        khr.enqueue_copy(queue, acc, out)
        khr.enqueue_fill(queue, acc, np.float32(7))
        khr.enqueue_update_host(queue, acc)
        queue.wait()
        assert out.tolist() == [i + 1 for i in range(8)]
        for wrong, say in (((bundle, bundle), "one kernel_bundle"), ((3,), "got int"),
                           ((khr.wait_event(sycl.event()), khr.wait_events([])), "one wait_event"),
                           ((khr.signal_event(sycl.event()),) * 2, "one signal_event")):
            with pytest.raises(sycl.exception, match=say):
                khr.requirements(*wrong)
        for needs in (khr.requirements(acc), khr.requirements(bundle)):
            with pytest.raises(sycl.exception, match="may have no"):
                khr.enqueue_memset(queue, out, 0, 4, needs)
    assert khr.is_requirement(sycl.accessor)
    assert not khr.is_requirement(int)


@pytest.mark.row("P-9")
def test_commands_on_memory_and_barriers_by_free_functions(queue: sycl.queue) -> None:
    a, b = (sycl.malloc_shared(8, np.int32, queue) for _ in range(2))
    end = khr.make_event(queue.get_context())
    khr.enqueue_fill(queue, a, 5, 8)
    khr.enqueue_barrier(queue)
    khr.enqueue_memcpy(queue, b, a, 16)
    khr.enqueue_signal_event(queue, end)
    khr.enqueue_wait_event(queue, end)
    khr.enqueue_copy(queue, a, b, 2)
    khr.enqueue_wait_events(queue, [end])
    khr.enqueue_prefetch(queue, b, 32)
    khr.enqueue_mem_advise(queue, b, 32, 0)
    khr.enqueue_barrier(queue)
    khr.enqueue_memset(queue, b, 255, 4, khr.requirements(khr.wait_event(end)))
    queue.wait()
    assert b[:4].tolist() == [-1, 5, 5, 5]
    with pytest.raises(sycl.exception, match="user_event"):
        khr.signal_event(sycl.ext.unisycl.user_event())
    with pytest.raises(sycl.exception, match="expected a queue"):
        khr.enqueue_barrier(3)  # type: ignore[arg-type]


@pytest.mark.row("P-9")
def test_the_functions_by_their_older_names(queue: sycl.queue) -> None:
    a, b = (sycl.malloc_shared(8, np.int32, queue) for _ in range(2))
    khr.submit(queue, lambda h: khr.launch(h, 8, double, a, 1))
    khr.command_barrier(queue)
    khr.fill(queue, a, 3)
    khr.event_barrier(queue, [khr.submit_tracked(queue, lambda h: khr.memset(h, b, 0))])
    khr.command_barrier(queue)
    khr.copy(queue, a, b, 4)
    khr.prefetch(queue, a)
    khr.mem_advise(queue, a)
    khr.command_barrier(queue)
    khr.memcpy(queue, a, b)
    queue.wait()
    assert a[:].tolist() == [3] * 4 + [0] * 4
