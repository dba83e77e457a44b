"""Which groups wait for each other, tested both ways (SYCL 2020 §3.7.1, §3.8.1).

Groups that may overlap must meet: each host task waits for the other. Groups that may not: the
first is held open by the test, and the second must not begin until it is let go. Nothing is timed.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable

import numpy as np
import pytest

import unisycl as sycl

SUBMITTED = sycl.info.event_command_status.submitted
MODES = {"read": sycl.read_only_host_task, "write": sycl.write_only_host_task,
         "read_write": sycl.read_write_host_task}
Uses = list[tuple[sycl.buffer, str]]


def task(queue: sycl.queue, body: Callable[[], object], uses: Uses = ()) -> sycl.event:
    """Submit a host task that uses buffers."""
    def group(h: sycl.handler) -> None:
        for buffer, mode in uses:
            sycl.accessor(buffer, h, MODES[mode])
        h.host_task(body)
    return queue.submit(group)


def status(event: sycl.event) -> object:
    return event.get_info(sycl.info.event.command_execution_status)


class Held:
    """A first command that lasts until the test lets it go, and what ran when."""

    def __init__(self, queue: sycl.queue, uses: Uses = ()) -> None:
        self.order: list[str] = []
        self.go = threading.Event()
        self.event = task(queue, self._body, uses)

    def _body(self) -> None:
        assert self.go.wait(60)
        self.order.append("first")

    def second(self, queue: sycl.queue, uses: Uses = ()) -> sycl.event:
        return task(queue, lambda: self.order.append("second"), uses)

    def check_order(self, second: sycl.event) -> None:
        """The second must wait for the first, and run once that has ended."""
        assert SUBMITTED == status(second)
        self.go.set()
        second.wait()
        assert ["first", "second"] == self.order


def others(device: sycl.device) -> list[sycl.queue]:
    """Return queues of several kinds, on the device and on another one."""
    return [sycl.queue(device), sycl.queue(device, sycl.property.queue.in_order()),
            sycl.queue(sycl.device.get_devices()[-1])]


def buffer() -> sycl.buffer:
    return sycl.buffer(np.zeros(8))


# ------------------------------------------------------------------ what may overlap
@pytest.mark.row("E-1", "E-2", "E-26")
@pytest.mark.parametrize("kind", range(3))
def test_readers_of_one_buffer_and_users_of_others_meet(device: sycl.device, kind: int) -> None:
    shared, one, two = buffer(), buffer(), buffer()
    meet, met = threading.Barrier(2), []

    def body() -> None:
        met.append(meet.wait(60))
    first = task(sycl.queue(device), body, [(shared, "read"), (one, "write")])
    second = task(others(device)[kind], body, [(shared, "read"), (two, "write")])
    sycl.event.wait([first, second])
    assert {0, 1} == {*met}, "an error of a host task is not one of the wait"


@pytest.mark.row("E-10")
def test_commands_without_data_meet_but_in_an_in_order_queue(device: sycl.device) -> None:
    meet = threading.Barrier(3)
    plain, ordered = sycl.queue(device), sycl.queue(device, sycl.property.queue.in_order())
    sycl.event.wait([task(q, lambda: meet.wait(60)) for q in (plain, plain, ordered)])
    held = Held(ordered)
    held.check_order(held.second(ordered))


@pytest.mark.row("E-8")
def test_a_host_accessor_holds_up_its_buffer_only(device: sycl.device) -> None:
    held, free = buffer(), buffer()
    q = sycl.queue(device)
    with sycl.host_accessor(held):
        waiting = task(q, lambda: None, [(held, "read")])
        task(q, lambda: None, [(free, "read_write")]).wait()
        assert SUBMITTED == status(waiting)
    waiting.wait()


@pytest.mark.row("E-17")
def test_a_barrier_holds_up_its_own_queue_only(device: sycl.device) -> None:
    q, other = sycl.queue(device), sycl.queue(device)
    held = Held(q)
    barrier = q.ext_oneapi_submit_barrier()
    task(other, lambda: None).wait()
    second = held.second(q)
    held.check_order(second)
    barrier.wait()


@pytest.mark.row("E-10", "E-17")
def test_barriers_of_another_thread_leave_an_in_order_queue_in_order(device: sycl.device) -> None:
    q, order = sycl.queue(device, sycl.property.queue.in_order()), []
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        fences = threading.Thread(
            target=lambda: [q.ext_oneapi_submit_barrier() for _ in range(300)])
        fences.start()
        for k in range(300):
            task(q, functools.partial(order.append, k))
        fences.join()
    finally:
        sys.setswitchinterval(before)
    q.wait()
    assert list(range(300)) == order


@pytest.mark.row("E-2", "E-8")
def test_a_reading_host_accessor_meets_readers_and_waits_for_writers(device: sycl.device) -> None:
    q, b = sycl.queue(device), buffer()
    held = Held(q, [(b, "read")])
    with sycl.host_accessor(b, sycl.read_only) as view:  # the reader is still at it
        assert 0 == view[0]
        task(q, lambda: None, [(b, "read")]).wait()
        writer = held.second(q, [(b, "write")])
    held.check_order(writer)


@pytest.mark.row("E-5", "E-2")
def test_readers_of_overlapping_parts_and_of_the_whole_meet(device: sycl.device) -> None:
    whole = sycl.buffer(np.zeros(3 * 128, np.int64))
    parts = [whole, sycl.buffer(whole, 0, 128), sycl.buffer(whole, 64, 128)]
    meet, met = threading.Barrier(len(parts)), []
    sycl.event.wait([task(q, lambda: met.append(meet.wait(60)), [(part, "read")])
                     for q, part in zip(others(device), parts, strict=True)])
    assert {0, 1, 2} == {*met}


@pytest.mark.row("E-9", "E-1")
def test_the_end_of_a_buffer_waits_for_its_own_commands_only(device: sycl.device) -> None:
    q, kept, data = sycl.queue(device), buffer(), np.zeros(8)
    held = Held(q, [(kept, "write")])
    ending = sycl.buffer(data)
    q.submit(lambda h: h.fill(sycl.accessor(ending, h), 3.0))
    ending.close()
    assert [3.0] * 8 == data.tolist()
    held.check_order(held.second(q, [(kept, "read")]))


@pytest.mark.row("E-9")
def test_what_need_not_wait_does_not(device: sycl.device) -> None:
    """All of it happens before the command that it would have to wait for is let go."""
    q, data = sycl.queue(device), np.zeros(8)
    b, p = sycl.buffer(data), sycl.malloc_shared(8, np.float64, q)
    source = np.zeros(8)
    scratch = sycl.buffer(sycl.range(8))
    held = Held(q, [(b, "write"), (scratch, "write")])
    scratch.close()  # nothing is to be written back
    kernels = [q.submit(lambda h: add_one(h, b)) for _ in range(100)]
    q.submit(lambda h: h.fill(sycl.accessor(b, h), 3.0))
    part, lost = sycl.buffer(b, 0, 4), sycl.buffer(sycl.range(8))
    q.submit(lambda h: h.copy(sycl.accessor(b, h, sycl.read_only), sycl.accessor(lost, h)))
    lost.close()
    last = q.submit(lambda h: add_one(h, part))
    for submit in (lambda: q.fill(p, 1.0, 8, last), lambda: q.memset(p, 0, 64, last),
                   lambda: q.memcpy(p, source, 64, last), lambda: q.prefetch(p, 64, last),
                   q.ext_oneapi_submit_barrier,
                   lambda: q.submit(lambda h: h.update_host(sycl.accessor(b, h, sycl.read_only))),
                   lambda: last.ext_unisycl_add_callback(lambda e: None)):
        assert sycl.info.event_command_status.complete != status(submit())
    other = sycl.queue(q.get_context(), device)
    assert last in other.submit(lambda h: (h.depends_on(last), h.single_task(
        lambda: None))).get_wait_list()
    del other
    bundle = sycl.get_kernel_bundle(q.get_context(), [device])
    assert list(bundle.get_devices()) == [device]
    sycl.free(sycl.malloc_device(8, np.float64, q), q)
    assert SUBMITTED == status(kernels[0]) == status(kernels[-1]) == status(last)
    assert [] == held.order
    held.go.set()
    q.wait()
    b.close()
    assert ["first"] == held.order
    assert [4.0] * 4 + [3.0] * 4 == data.tolist()


def add_one(h, b):
    a = sycl.accessor(b, h)
    h.parallel_for(a.get_range(), lambda i: increase(a, i))


def increase(a, i):
    a[i] += 1


@pytest.mark.row("E-9")
@pytest.mark.parametrize("way", ["queue", "throwing", "event", "events", "host_accessor",
                                 "destruction", "profiling"])
def test_what_has_to_wait_does(device: sycl.device, way: str) -> None:
    q = sycl.queue(device, sycl.property.queue.enable_profiling())
    b = sycl.buffer(np.zeros(8))
    held, begun = Held(q, [(b, "write")]), threading.Event()
    waits = {"queue": q.wait, "event": held.event.wait,
             "events": lambda: sycl.event.wait([held.event]),
             "host_accessor": lambda: sycl.host_accessor(b, sycl.read_only).close(),
             "destruction": b.close, "throwing": q.wait_and_throw,
             "profiling": lambda: held.event.get_profiling_info(
                 sycl.info.event_profiling.command_end)}

    def call() -> None:
        begun.set()
        waits[way]()
        held.order.append("then")
    thread = threading.Thread(target=call)
    thread.start()
    assert begun.wait(60)
    for _ in range(20):  # time for a call that does not wait to come back
        task(sycl.queue(device), lambda: None).wait()
    held.go.set()
    thread.join(60)
    assert ["first", "then"] == held.order


@pytest.mark.row("E-11", "E-9")
def test_waiting_waits_for_what_it_names_only(device: sycl.device) -> None:
    q, other = sycl.queue(device), sycl.queue(device)
    held = Held(q)
    free = task(q, lambda: None)
    after = other.submit(lambda h: (h.depends_on(free), h.host_task(lambda: None)))
    free.wait()
    after.wait()
    other.wait()
    held.check_order(q.submit(lambda h: (
        h.depends_on([held.event, free]), h.host_task(lambda: held.order.append("second")))))


@pytest.mark.row("E-1", "E-2")
def test_a_copy_reads_its_source_and_writes_its_destination(device: sycl.device) -> None:
    q, source, target = sycl.queue(device), buffer(), buffer()
    held = Held(q, [(source, "read")])

    def copy(h: sycl.handler) -> None:
        h.copy(sycl.accessor(source, h, sycl.read_only), sycl.accessor(target, h, sycl.write_only))
    q.submit(copy).wait()  # beside the reader of its source
    writer = held.second(q, [(source, "write")])
    held.check_order(writer)
    held = Held(q, [(target, "read")])
    copying = q.submit(copy)
    held.check_order(q.submit(lambda h: (
        h.depends_on(copying), h.host_task(lambda: held.order.append("second")))))
    held = Held(q, [(target, "read")])
    copying = q.submit(copy)
    assert SUBMITTED == status(copying)
    held.go.set()
    copying.wait()


@pytest.mark.row("E-17", "E-11")
def test_a_partial_barrier_waits_for_its_events_and_all_later_ones_for_it(
        device: sycl.device) -> None:
    q = sycl.queue(device)
    held, slow = Held(q), Held(q)
    barrier = q.ext_oneapi_submit_barrier([held.event])
    second = held.second(q)
    assert sycl.info.event_command_status.complete != status(barrier)
    held.check_order(second)
    barrier.wait()  # though the other command still runs
    slow.check_order(q.submit(lambda h: (
        h.depends_on(slow.event), h.host_task(lambda: slow.order.append("second")))))


# ------------------------------------------------------------------ what may not
@pytest.mark.row("E-1", "E-2")
@pytest.mark.parametrize("kind", range(3))
@pytest.mark.parametrize("modes", [
    ("write", "read"), ("read", "write"), ("write", "write"), ("read_write", "read"),
    ("read", "read_write")], ids="-".join)
def test_conflicting_groups_run_in_order(
        device: sycl.device, modes: tuple[str, str], kind: int) -> None:
    shared = buffer()
    held = Held(sycl.queue(device), [(shared, modes[0])])
    held.check_order(held.second(others(device)[kind], [(shared, modes[1])]))


@pytest.mark.row("E-1")
def test_a_join_waits_for_both_and_those_two_meet(device: sycl.device) -> None:
    one, two = buffer(), buffer()
    meet, order = threading.Barrier(2), []
    a, b, c = others(device)

    def arrive(name: str) -> None:
        meet.wait(60)
        order.append(name)
    task(a, lambda: arrive("a"), [(one, "write")])
    task(b, lambda: arrive("b"), [(two, "write")])
    task(c, lambda: order.append("c"), [(one, "read"), (two, "read")]).wait()
    assert "c" == order[2]


@pytest.mark.row("E-5")
def test_parts_of_a_buffer_wait_where_they_overlap(device: sycl.device) -> None:
    whole = sycl.buffer(np.zeros(3 * 128, np.int64))
    low, middle, high = (sycl.buffer(whole, at, 128) for at in (0, 64, 256))
    q = sycl.queue(device)
    held = Held(q, [(low, "write")])
    task(q, lambda: None, [(high, "write")]).wait()
    held.check_order(held.second(q, [(middle, "write")]))


@pytest.mark.row("E-11")
@pytest.mark.parametrize("kind", range(3))
def test_depends_on_orders_commands_of_any_queues(device: sycl.device, kind: int) -> None:
    held = Held(sycl.queue(device))

    def group(h: sycl.handler) -> None:
        h.depends_on(held.event)
        h.host_task(lambda: held.order.append("second"))
    held.check_order(others(device)[kind].submit(group))


@pytest.mark.row("E-1", "E-6")
def test_a_kernel_waits_for_the_host_task_that_writes_what_it_reads(device: sycl.device) -> None:
    values, found = np.zeros(64, np.int32), np.zeros(64, np.int32)
    source, target, go = sycl.buffer(values), sycl.buffer(found), threading.Event()
    q = sycl.queue(device)

    def write(h: sycl.handler) -> None:
        a = sycl.accessor(source, h, sycl.write_only_host_task, sycl.no_init)

        @h.host_task
        def late() -> None:
            assert go.wait(60)
            a[:] = np.arange(64)

    def read(h: sycl.handler) -> None:
        a = sycl.accessor(source, h, sycl.read_only)
        b = sycl.accessor(target, h, sycl.write_only, sycl.no_init)
        h.parallel_for(64, lambda i: move(a, b, i))
    q.submit(write)
    reading = q.submit(read)
    assert SUBMITTED == status(reading)
    go.set()
    target.close()
    assert list(range(64)) == found.tolist()


def move(a, b, i):
    b[i] = a[i] + 0
