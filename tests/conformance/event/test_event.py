"""Events by the public API (SYCL 2020 §4.6.6)."""

from __future__ import annotations

import copy
import time

import numpy as np
import pytest

import unisycl as sycl

STATUS = sycl.info.event.command_execution_status


@pytest.mark.row("A-28")
def test_a_new_event_is_complete(device: sycl.device) -> None:
    event = sycl.event()
    assert sycl.info.event_command_status.complete == event.get_info(STATUS)
    assert [] == event.get_wait_list()
    event.wait()
    event.wait_and_throw()


@pytest.mark.row("A-28")
def test_a_join_lists_its_two_parents(queue: sycl.queue) -> None:
    a = queue.submit(lambda h: h.host_task(lambda: time.sleep(0.02)))
    b = queue.submit(lambda h: h.host_task(lambda: None))
    join = queue.submit(lambda h: h.depends_on([a, b]))
    assert {a, b} == set(join.get_wait_list())
    sycl.event.wait([a, b, join])
    sycl.event.wait_and_throw([join])


@pytest.mark.row("A-29")
def test_polling_to_complete_shows_the_writes(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(4, np.int32, queue)

    def kernel(i, p):
        p[i] = 6
    event = queue.parallel_for(4, kernel, p)
    while event.get_info(STATUS) is not sycl.info.event_command_status.complete:
        time.sleep(0)
    assert [6] * 4 == p[:].tolist()


@pytest.mark.row("A-30", "F-9")
def test_times_are_ordered_and_need_the_property(device: sycl.device) -> None:
    q = sycl.queue(device, sycl.property.queue.enable_profiling())
    p = sycl.malloc_shared(4, np.int32, q)

    def kernel(i, p):
        p[i] = 6
    event = q.parallel_for(4, kernel, p)
    names = sycl.info.event_profiling
    submit, start, end = (event.get_profiling_info(n) for n in (
        names.command_submit, names.command_start, names.command_end))
    assert 0 < submit <= start <= end
    with pytest.raises(sycl.exception, match="enable_profiling") as caught:
        sycl.queue(device).submit(lambda h: None).get_profiling_info(names.command_end)
    assert sycl.errc.invalid == caught.value.code()


@pytest.mark.row("A-31")
def test_copies_are_the_same_event(queue: sycl.queue) -> None:
    event = queue.submit(lambda h: None)
    assert event == copy.copy(event)
    assert hash(event) == hash(copy.copy(event))
    assert event != queue.submit(lambda h: None)


@pytest.mark.row("E-11")
def test_events_order_across_queues(device: sycl.device) -> None:
    first, second = sycl.queue(device), sycl.queue(device)
    seen = []
    event = first.submit(lambda h: h.host_task(lambda: (time.sleep(0.03), seen.append(1))))
    second.submit(lambda h: (h.depends_on(event), h.host_task(lambda: seen.append(2)))).wait()
    assert [1, 2] == seen


@pytest.mark.row("E-11")
def test_events_order_across_devices() -> None:
    devices = sycl.device.get_devices()
    p = np.zeros(8, np.int32)

    def kernel(i, p):
        p[i] = p[i] * 2 + 1
    event = sycl.event()
    for device in devices * 3:
        event = sycl.queue(device).parallel_for(8, event, kernel, p)
    event.wait()
    assert [2 ** (3 * len(devices)) - 1] * 8 == p.tolist()


@pytest.mark.row("E-15")
def test_a_dependant_of_a_failed_command_does_not_run(device: sycl.device) -> None:
    lists = []
    q = sycl.queue(device, lists.append)
    ran = []
    failing = q.submit(lambda h: h.host_task(lambda: 1 // 0))
    dependant = q.submit(lambda h: (h.depends_on(failing), h.host_task(lambda: ran.append(1))))
    q.wait_and_throw()
    assert [] == ran
    assert 1 == len(lists)
    assert sycl.info.event_command_status.complete == dependant.get_info(STATUS)


@pytest.mark.row("A-28")
def test_a_new_event_has_the_backend_of_the_default_queue() -> None:
    new = sycl.event()
    assert sycl.queue().get_backend() is new.get_backend()
    assert sycl.info.event_command_status.complete is new.get_info(
        sycl.info.event.command_execution_status)


@pytest.mark.part("A-29")
def test_repeated_launches_run_behind_ended_events_and_not_behind_failed_ones(
        queue: sycl.queue) -> None:
    a = sycl.malloc_shared(4, np.int32, queue)
    a[...] = 0

    def add(i, a, number):
        a[i] += number

    def fail():
        raise ValueError("on purpose")
    last = queue.parallel_for(4, add, a, 0)
    for number in range(1, 20):
        last = queue.parallel_for(4, add, a, number, depends_on=last)
        last.wait()
    assert [int(a[i]) for i in range(4)] == [190] * 4
    failed = queue.submit(lambda h: h.host_task(fail))
    with pytest.raises(sycl.exception, match="on purpose"):
        failed.wait()
    behind = queue.parallel_for(4, add, a, 19, depends_on=[last, failed])
    with pytest.raises(sycl.exception, match="not run"):
        behind.wait()
    assert [int(a[i]) for i in range(4)] == [190] * 4
    sycl.free(a, queue)
