"""Launches that come again: sharing an end, being asked for in between, failing, other threads."""

from __future__ import annotations

import gc
import threading
import time
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.cuda_fake.library import FakeCuda
from unisycl.backends.cuda.commands.completion import RepeatedCompletion


def add(i: Any, p: Any) -> None:
    p[i] = p[i] + 1


def double(i: Any, p: Any) -> None:
    p[i] = p[i] * 2


@pytest.fixture
def line(fake: FakeCuda) -> sycl.queue:
    return sycl.queue("cuda", sycl.property.queue.in_order())


def seen(queue: sycl.queue, p: Any) -> list[int]:
    out = np.zeros(8, np.int64)
    queue.memcpy(out, p, out.nbytes).wait_and_throw()
    return sorted(set(out.tolist()))


@pytest.mark.parametrize("bound", [False, True])
def test_as_many_run_as_were_submitted(fake: FakeCuda, line: sycl.queue, *, bound: bool) -> None:
    p = sycl.malloc_device(8, np.int64, line)
    line.fill(p, 0)
    submit: Any = line.bind(8, add, p) if bound else lambda: line.parallel_for(8, add, p)
    for _ in range(1000):
        submit()
    line.wait_and_throw()
    assert seen(line, p) == [1000]
    assert len(fake.launches) == 1001  # a fill of 64 bits is a kernel, too
    assert fake.calls["cuEventRecord"] < 100


def test_a_launch_known_as_the_last_is_refused_once_its_memory_was_freed(line: sycl.queue) -> None:
    p = sycl.malloc_device(8, np.int64, line)
    line.fill(p, 0)
    for _ in range(10):
        line.parallel_for(8, add, p).wait()
    assert seen(line, p) == [10]
    line.parallel_for(8, add, p).wait()
    sycl.free(p, line)
    with pytest.raises(sycl.exception, match="was freed"):
        line.parallel_for(8, add, p)


def test_what_was_waited_for_is_over_for_whoever_asks_the_queue(line: sycl.queue) -> None:
    p = sycl.malloc_device(8, np.int64, line)
    line.fill(p, 0)
    for _ in range(5):
        event = line.parallel_for(8, add, p)
        line.wait()
        for one in (event, line.ext_oneapi_get_last_event()):
            assert one.get_info(sycl.info.event.command_execution_status) == (
                sycl.info.event_command_status.complete)
        assert line.khr_empty()
    assert seen(line, p) == [5]


def test_threads_on_one_line_lose_no_launch(line: sycl.queue) -> None:
    p = sycl.malloc_device(8, np.int64, line)
    line.fill(p, 0)

    def work() -> None:
        for k in range(150):
            line.parallel_for(8, add, p)
            if k % 3 == 0:
                line.wait()

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    line.wait_and_throw()
    assert seen(line, p) == [600]


def test_another_kernel_in_between_keeps_its_place(line: sycl.queue) -> None:
    p = sycl.malloc_device(8, np.int64, line)
    line.fill(p, 0)
    want = 0
    for k in range(60):
        line.parallel_for(8, add, p)
        want += 1
        if k % 7 == 6:
            line.parallel_for(8, double, p)
            want *= 2
    assert seen(line, p) == [want]


def test_a_launch_behind_a_look_is_waited_for_by_itself(fake: FakeCuda, line: sycl.queue) -> None:
    p = sycl.malloc_device(8, np.int64, line)
    line.fill(p, 0)
    for _ in range(5):
        line.parallel_for(8, add, p)
    line.wait()
    fake.held = True
    first = line.parallel_for(8, add, p)
    second = line.parallel_for(8, add, p)
    status = sycl.info.event.command_execution_status
    assert first.get_info(status) != sycl.info.event_command_status.complete
    third = line.parallel_for(8, add, p)
    assert first.task is second.task is not third.task
    fake.held = False
    third.wait()
    assert seen(line, p) == [8]


def test_whoever_asks_while_a_launch_goes_out_waits_for_that_one_too(
        fake: FakeCuda, line: sycl.queue) -> None:
    p = sycl.malloc_device(8, np.int64, line)
    line.fill(p, 0)
    for _ in range(5):
        before = line.parallel_for(8, add, p)
    real, seen_by_thread = fake._cuLaunchKernelEx, list[int]()

    def waits() -> None:
        before.wait()
        seen_by_thread.append(len(fake.launches))

    thread = threading.Thread(target=waits)

    def asked_first(*args: Any) -> int:
        thread.start()
        time.sleep(0.05)  # it asks, and is kept until this launch is counted
        return real(*args)

    fake._cuLaunchKernelEx = asked_first  # type: ignore[method-assign]
    after = line.parallel_for(8, add, p)
    fake._cuLaunchKernelEx = real  # type: ignore[method-assign]
    thread.join()
    assert seen_by_thread == [7]  # a fill of 64 bits is a kernel, too
    assert after.task is before.task
    assert seen(line, p) == [6]


def buffers_of(count: int) -> list[Any]:
    return [sycl.buffer(np.zeros(8, np.int64)) for _ in range(count)]


def value(buffer: Any) -> list[int]:
    with sycl.host_accessor(buffer, sycl.read_only) as host:
        return sorted(set(np.asarray(host).tolist()))


@pytest.mark.parametrize("in_order", [False, True])
def test_command_groups_that_come_again_keep_the_order_of_their_buffers(
        fake: FakeCuda, *, in_order: bool) -> None:
    queue = sycl.queue("cuda", sycl.property.queue.in_order()) if in_order else sycl.queue("cuda")
    a, b = buffers_of(2)
    want_a = want_b = 0

    def onto(h: sycl.handler, buffer: Any, kernel: Any) -> None:
        h.parallel_for(8, kernel, sycl.accessor(buffer, h, sycl.read_write))

    def copied(i: Any, to: Any, start: Any) -> None:
        to[i] = start[i]

    for k in range(90):
        queue.submit(lambda h: onto(h, a, add))
        want_a += 1
        if k % 11 == 10:
            queue.submit(lambda h: onto(h, a, double))
            want_a *= 2
        if k % 17 == 16:
            queue.submit(lambda h: h.parallel_for(8, copied, sycl.accessor(
                b, h, sycl.write_only), sycl.accessor(a, h, sycl.read_only)))
            want_b = want_a
        if k % 23 == 22:
            assert value(b) == [want_b]
        if k % 31 == 30:
            with sycl.host_accessor(a, sycl.read_write) as host:
                host[:] = host[:] + 5
            want_a += 5
    assert (value(a), value(b)) == ([want_a], [want_b])
    assert fake.calls["cuLaunchKernelEx"] > 90


@pytest.mark.parametrize("in_order", [False, True])
def test_groups_that_are_waited_for_come_again_without_events(
        fake: FakeCuda, *, in_order: bool) -> None:
    queue = sycl.queue("cuda", sycl.property.queue.in_order()) if in_order else sycl.queue("cuda")
    a, b = buffers_of(2)

    def onto(buffer: Any, kernel: Any) -> None:
        queue.submit(lambda h: h.parallel_for(8, kernel, sycl.accessor(buffer, h)))

    want = 0
    for _ in range(12):  # by turns, so that none stands for the one before it
        onto(a, add)
        onto(b, add)
        onto(a, double)
        queue.wait()
        want = 2 * (want + 1)
    recorded = fake.calls["cuEventRecord"]
    for _ in range(40):
        onto(a, add)
        queue.wait()
    assert fake.calls["cuEventRecord"] == recorded
    fake.fail("cuLaunchKernelEx", 701)
    onto(a, double)
    with pytest.raises(sycl.exception, match="double"):
        queue.wait_and_throw()
    onto(a, add)
    assert (value(a), value(b)) == ([want + 41], [12])


def test_groups_of_threads_on_one_buffer_lose_nothing(fake: FakeCuda) -> None:
    queues = [sycl.queue("cuda"), sycl.queue("cuda", sycl.property.queue.in_order())]
    (a,) = buffers_of(1)

    def group(h: sycl.handler) -> None:
        h.parallel_for(8, add, sycl.accessor(a, h, sycl.read_write))

    def work(queue: sycl.queue) -> None:
        for k in range(150):
            made = queue.submit(group)
            if k % 19 == 0:
                made.wait()
            if k % 29 == 0:
                value(a)

    threads = [threading.Thread(target=work, args=(queues[k % 2],)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert value(a) == [600]


def test_a_launch_of_a_group_is_forgotten_with_its_buffer(fake: FakeCuda) -> None:
    queue = sycl.queue("cuda")
    gc.collect()
    before = fake.live("device")

    def once() -> None:
        (buffer,) = buffers_of(1)
        for _ in range(4):
            queue.submit(lambda h: h.parallel_for(8, add, sycl.accessor(
                buffer, h, sycl.read_write)))
        queue.wait()

    for _ in range(3):
        once()
        gc.collect()
        queue.wait()
    assert fake.live("device") <= before + 1


def test_a_launch_that_fails_among_its_like_is_an_error_of_its_own(
        fake: FakeCuda, line: sycl.queue) -> None:
    p = sycl.malloc_device(8, np.int64, line)
    line.fill(p, 0)
    for _ in range(5):
        line.parallel_for(8, add, p)
    fake.fail("cuLaunchKernelEx", 701)
    line.parallel_for(8, add, p)
    with pytest.raises(sycl.exception, match="add"):
        line.wait_and_throw()
    line.parallel_for(8, add, p)
    assert seen(line, p) == [6]


def test_threads_that_submit_to_one_queue_lose_nothing(line: sycl.queue) -> None:
    p = sycl.malloc_device(8, np.int64, line)
    line.fill(p, 0)

    def work() -> None:
        for k in range(300):
            made = line.parallel_for(8, add, p)
            if k % 13 == 0:
                made.wait()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert seen(line, p) == [1200]


def test_kernels_out_of_order_go_to_streams_of_their_own(
        fake: FakeCuda, queue: sycl.queue) -> None:
    p = sycl.malloc_device(8, np.int64, queue)
    queue.fill(p, 0).wait()
    for _ in range(100):
        queue.parallel_for(8, add, p).wait()
    assert seen(queue, p) == [100]
    assert RepeatedCompletion.asked is False


def test_streams_that_are_shared_take_no_more_launches_behind_old_ones(
        line: sycl.queue) -> None:
    p = sycl.malloc_device(8, np.int64, line)
    line.fill(p, 0)
    for _ in range(5):
        line.parallel_for(8, add, p)
    driver: Any = line.channel.driver
    stream = driver.opened().commands.share()
    for _ in range(5):
        last = line.parallel_for(8, add, p)
    assert last.task is not None
    end: Any = last.task.completion
    assert end.lane.value == stream
    assert seen(line, p) == [10]


def turned(it: Any, p: Any, tile: Any) -> None:
    k = it.get_local_id(0)
    tile[k] = p[k] + 1
    sycl.group_barrier(it.get_group())
    p[k] = tile[k]


def test_launches_with_local_memory_come_again(fake: FakeCuda, line: sycl.queue) -> None:
    p, tile = sycl.malloc_device(8, np.int64, line), sycl.local_accessor(np.int64, 8)
    line.memset(p, 0, 64)
    for _ in range(300):
        line.parallel_for(sycl.nd_range(8, 8), turned, p, tile)
    assert seen(line, p) == [300]
    assert fake.calls["cuEventRecord"] < 40


def add_up(i: Any, total: Any, p: Any) -> None:
    total.combine(p[i])


@pytest.mark.parametrize("in_order", [False, True])
def test_reductions_that_come_again_are_one_call_each(fake: FakeCuda, *, in_order: bool) -> None:
    order = (sycl.property.queue.in_order(),) if in_order else ()
    queue = sycl.queue("cuda", *order)
    p, out = (sycl.malloc_device(n, np.int64, queue) for n in (8, 1))
    queue.fill(p, 3).wait()
    queue.fill(out, 0).wait()
    for _ in range(20):
        queue.parallel_for(8, sycl.reduction(out, sycl.plus), add_up, p)
        if not in_order:
            queue.wait()
    queue.wait_and_throw()
    assert seen_first(queue, out) == 480
    assert fake.calls["cuLaunchKernelEx"] >= 18
    fresh = sycl.property.reduction.initialize_to_identity()
    for _ in range(4):
        queue.parallel_for(8, sycl.reduction(out, sycl.plus, fresh), add_up, p).wait()
    assert seen_first(queue, out) == 24
    other = sycl.malloc_device(1, np.int64, queue)
    queue.fill(other, 1).wait()
    queue.parallel_for(8, sycl.reduction(other, sycl.plus), add_up, p).wait()
    queue.parallel_for(8, sycl.reduction(other, sycl.maximum), add_up, p).wait()
    assert (seen_first(queue, other), seen_first(queue, out)) == (25, 24)


def seen_first(queue: sycl.queue, p: Any) -> int:
    out = np.zeros(1, np.int64)
    queue.memcpy(out, p, out.nbytes).wait_and_throw()
    return int(out[0])


def test_reductions_over_buffers_come_again(fake: FakeCuda, queue: sycl.queue) -> None:
    values, total = sycl.buffer(np.arange(8)), sycl.buffer(np.zeros(1, np.int64))
    for _ in range(12):
        def group(h: sycl.handler) -> None:
            p = sycl.accessor(values, h, sycl.read_only)
            h.parallel_for(8, sycl.reduction(total, h, sycl.plus), add_up, p)
        queue.submit(group)
    assert value(total) == [12 * 28]
    assert fake.calls["cuLaunchKernelEx"] >= 10


def test_a_launch_that_joins_is_forgotten_with_its_memory(
        fake: FakeCuda, queue: sycl.queue) -> None:
    p, out = (sycl.malloc_device(n, np.int64, queue) for n in (8, 1))
    for memory in (p, out):
        queue.fill(memory, 1).wait()
    for _ in range(4):
        queue.parallel_for(8, sycl.reduction(out, sycl.plus), add_up, p).wait()
    sycl.free(out, queue)
    with pytest.raises(sycl.exception, match="freed"):
        queue.parallel_for(8, sycl.reduction(out, sycl.plus), add_up, p).wait()


def test_groups_known_as_the_last_follow_their_buffer_and_its_size(line: sycl.queue) -> None:
    memory, other = (sycl.buffer(np.zeros(8, np.int64)) for _ in range(2))

    def group(h: sycl.handler) -> None:
        h.parallel_for(8, add, sycl.accessor(memory, h, sycl.read_write))

    want = 0
    for k in range(40):
        line.submit(group)
        want += 1
        if k % 9 == 8:  # the newest elements are the host's now
            with sycl.host_accessor(memory) as host:
                assert [want] * 8 == list(host)
                host[:] = 100 * k
            want = 100 * k
        if k % 13 == 12:
            memory, other, want = other, memory, value_of(other)
    assert want == value_of(memory)


def value_of(memory: Any) -> int:
    with sycl.host_accessor(memory, sycl.read_only) as host:
        assert len(set(host)) == 1
        return int(host[0])
