"""Queues by the public API (SYCL 2020 §4.6.5)."""

from __future__ import annotations

import copy
import gc
import threading
import time

import numpy as np
import pytest

import unisycl as sycl


def count_up(i, p):
    p[i] += 1


@pytest.mark.row("A-19")
def test_queues_of_a_device_share_the_default_context(device: sycl.device) -> None:
    assert sycl.queue(device).get_context() == sycl.queue(device).get_context()
    own = sycl.context(device)
    assert own == sycl.queue(own, device).get_context()
    assert own != sycl.queue(device).get_context()


@pytest.mark.row("A-19", "F-9")
def test_a_device_outside_the_context_is_refused(device: sycl.device) -> None:
    others = [d for d in sycl.device.get_devices() if d != device]
    if not others:
        pytest.skip("there is only one device")
    with pytest.raises(sycl.exception) as caught:
        sycl.queue(sycl.context(device), others[0])
    assert sycl.errc.invalid == caught.value.code()


@pytest.mark.row("A-20", "A-33", "E-10")
def test_properties(device: sycl.device) -> None:
    q = sycl.queue(device, sycl.property.queue.in_order())
    assert q.is_in_order()
    assert q.has_property(sycl.property.queue.in_order)
    with pytest.raises(sycl.exception) as caught:
        q.get_property(sycl.property.queue.enable_profiling)
    assert sycl.errc.invalid == caught.value.code()
    assert not sycl.queue(device).is_in_order()
    assert device == q.get_info(sycl.info.queue.device)
    with pytest.raises(sycl.exception, match="no property of a queue"):
        sycl.queue(device, sycl.property.buffer.use_host_ptr())
    assert sycl.is_property_of(sycl.property.queue.in_order, sycl.queue)


@pytest.mark.row("A-21", "F-11")
def test_one_run_of_a_group_issues_at_most_one_command(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(4, np.int32, queue)
    p[:] = 0

    def group(h: sycl.handler) -> None:
        h.parallel_for(4, count_up, p)
        h.parallel_for(4, count_up, p)
    with pytest.raises(sycl.exception, match="already has a command") as caught:
        queue.submit(group)
    assert sycl.errc.invalid == caught.value.code()
    queue.wait()
    assert [0] * 4 == p[:].tolist()


@pytest.mark.row("A-21")
def test_a_group_runs_once_at_once_in_this_thread_and_may_be_empty(queue: sycl.queue) -> None:
    threads = []
    queue.submit(lambda h: threads.append(threading.get_ident())).wait()
    assert [threading.get_ident()] == threads


@pytest.mark.row("A-21")
def test_submit_works_as_a_decorator(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(4, np.int32, queue)
    p[:] = 0

    @queue.submit
    def event(h):
        h.parallel_for(4, count_up, p)
    assert isinstance(event, sycl.event)
    event.wait()
    assert [1] * 4 == p[:].tolist()


@pytest.mark.row("A-22", "F-3", "F-5", "C-27", "F-22")
def test_an_error_reaches_the_handler_exactly_once(device: sycl.device) -> None:
    lists = []
    q = sycl.queue(device, lists.append)

    def fail() -> None:
        raise ValueError("boom")
    q.submit(lambda h: h.host_task(fail))
    q.submit(lambda h: h.host_task(fail))
    q.wait()
    assert [] == lists
    q.wait_and_throw()
    q.wait_and_throw()
    q.throw_asynchronous()
    assert [2] == [len(errors) for errors in lists]
    for error in lists[0]:
        assert isinstance(error, sycl.exception)
        assert isinstance(error.__cause__, ValueError)


@pytest.mark.row("F-6")
def test_the_queues_handler_goes_before_its_contexts(device: sycl.device) -> None:
    def fail(h: sycl.handler) -> None:
        h.host_task(lambda: 1 // 0)
    for with_context in (False, True):
        for with_queue in (False, True):
            seen = []
            context = sycl.context(device, (lambda errors: seen.append("context"))
                                   if with_context else None)
            q = sycl.queue(context, device, async_handler=(lambda errors: seen.append("queue"))
                           if with_queue else None)
            q.submit(fail)
            if with_context or with_queue:
                q.wait_and_throw()
                assert ["queue" if with_queue else "context"] == seen
            else:
                with pytest.raises(sycl.exception, match="ZeroDivisionError"):
                    q.wait_and_throw()


@pytest.mark.row("F-7")
def test_what_a_handler_raises_leaves_the_wait(device: sycl.device) -> None:
    def handle(errors: sycl.exception_list) -> None:
        raise KeyError("handled")
    q = sycl.queue(device, handle)
    q.submit(lambda h: h.host_task(lambda: 1 // 0))
    with pytest.raises(KeyError):
        q.wait_and_throw()
    q.wait_and_throw()


@pytest.mark.row("X-4", "F-4")
def test_without_a_handler_waiting_raises_once_and_the_queue_goes_on(queue: sycl.queue) -> None:
    queue.submit(lambda h: h.host_task(lambda: 1 // 0))
    with pytest.raises(sycl.exception, match="ZeroDivisionError"):
        queue.wait()
    queue.wait()
    queue.submit(lambda h: None).wait()


@pytest.mark.row("A-23", "X-3")
def test_pending_work_outlives_its_queue(device: sycl.device) -> None:
    q = sycl.queue(device)
    p = sycl.malloc_shared(64, np.int32, q)
    p[:] = 0
    go = threading.Event()
    event = q.submit(lambda h: h.host_task(lambda: go.wait(10)))
    event = q.parallel_for(64, event, count_up, p)
    del q
    gc.collect()
    go.set()
    event.wait()
    assert 64 == int(np.sum(p[:]))


@pytest.mark.row("A-24")
def test_shortcuts_use_usm_not_accessors(queue: sycl.queue) -> None:
    with sycl.buffer(np.zeros(4, np.int32)) as b:
        acc = sycl.accessor(b, sycl.read_write)

        def kernel(i):
            acc[i] = 1
        with pytest.raises(sycl.exception, match=r"queue\.submit"):
            queue.parallel_for(4, kernel)


@pytest.mark.row("A-24", "C-26", "E-11")
def test_shortcuts_wait_for_events(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(8, np.int32, queue)
    event = queue.fill(p, 1)
    event = queue.parallel_for(8, event, count_up, p)
    event = queue.parallel_for(sycl.range(8), [event], count_up, p)
    event = queue.parallel_for(sycl.range(8), count_up, p, depends_on=event)
    queue.single_task(event, lambda q=p: None).wait()
    assert [4] * 8 == p[:].tolist()


@pytest.mark.row("A-25", "B-51")
def test_copies_take_placeholders(queue: sycl.queue) -> None:
    x, out = np.arange(6, dtype=np.float32), np.zeros(6, np.float32)
    with sycl.buffer(x) as bx:
        again = sycl.accessor(bx, sycl.read_only)
        queue.copy(again, out).wait()
        queue.copy(again, out).wait()
        queue.update_host(sycl.accessor(bx, sycl.read_only)).wait()
        queue.fill(sycl.accessor(bx, sycl.write_only), 8)
    assert [0, 1, 2, 3, 4, 5] == out.tolist()
    assert [8] * 6 == x.tolist()


@pytest.mark.row("A-26", "E-1")
def test_groups_from_several_threads_never_interleave(queue: sycl.queue) -> None:
    x = np.zeros(1, np.int64)
    with sycl.buffer(x) as bx:
        def group(h: sycl.handler) -> None:
            acc = sycl.accessor(bx, h, sycl.read_write)

            @h.single_task
            def kernel():
                acc[0] += 1

        def submit() -> None:
            for _ in range(50):
                queue.submit(group)
        threads = [threading.Thread(target=submit) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert 200 == x[0]


@pytest.mark.row("A-27", "P-9")
def test_empty_and_flush(queue: sycl.queue) -> None:
    event = queue.submit(lambda h: h.host_task(lambda: time.sleep(0.02)))
    assert not queue.khr_empty()
    assert not queue.ext_oneapi_empty()
    queue.khr_flush()
    queue.ext_oneapi_prod()
    event.wait()
    assert queue.khr_empty()
    assert queue.ext_oneapi_empty()


@pytest.mark.row("A-31")
def test_copies_are_the_same_queue(queue: sycl.queue) -> None:
    assert queue == copy.copy(queue)
    assert 1 == len({queue, copy.copy(queue)})
    assert queue != sycl.queue(queue.get_device())


@pytest.mark.row("E-10")
def test_an_in_order_queue_needs_no_events(device: sycl.device) -> None:
    q = sycl.queue(device, sycl.property.queue.in_order())
    p = sycl.malloc_shared(256, np.int32, q)
    q.memset(p, 0)
    for _ in range(20):
        q.parallel_for(256, count_up, p)
    q.wait()
    assert [20] * 256 == p[:].tolist()


@pytest.mark.row("E-17")
def test_a_barrier_orders_without_data(queue: sycl.queue) -> None:
    seen = []
    queue.submit(lambda h: h.host_task(lambda: (time.sleep(0.03), seen.append(1))))
    barrier = queue.ext_oneapi_submit_barrier()
    queue.submit(lambda h: (h.depends_on(barrier), h.host_task(lambda: seen.append(2)))).wait()
    assert [1, 2] == seen


@pytest.mark.row("A-37")
def test_a_queue_is_a_context_manager_that_waits(device: sycl.device) -> None:
    with sycl.queue(device) as q:
        p = sycl.malloc_shared(4, np.int32, q)
        p[:] = 0
        q.parallel_for(4, count_up, p)
    assert [1] * 4 == p[:].tolist()



@pytest.mark.row("F-4")
@pytest.mark.parametrize("bad", [
    lambda q: q.parallel_for(-1, count_up, None), lambda q: q.parallel_for("x", count_up, None),
    lambda q: q.parallel_for(4, 5), lambda q: q.submit(3), lambda q: q.memcpy(3, 4),
    lambda q: q.parallel_for(4, ["no event"], count_up, None)])
def test_bad_calls_are_refused_and_the_queue_goes_on(queue: sycl.queue, bad) -> None:
    with pytest.raises(sycl.exception):
        bad(queue)
    queue.submit(lambda h: None).wait()


@pytest.mark.row("C-13", "F-13")
def test_host_objects_are_no_kernel_arguments(queue: sycl.queue) -> None:
    buffer = sycl.buffer(np.zeros(4))

    def kernel(i, data):
        data[i] = 1

    def capturing(i):
        buffer[i] = 1
    with pytest.raises(sycl.exception, match="'data'") as caught:
        queue.parallel_for(4, kernel, buffer)
    assert sycl.errc.kernel_argument == caught.value.code()
    with pytest.raises(sycl.exception, match="'buffer'"):
        queue.parallel_for(4, capturing)
    with pytest.raises(sycl.exception, match="queue"):
        queue.parallel_for(4, kernel, queue)
    queue.submit(lambda h: None).wait()
