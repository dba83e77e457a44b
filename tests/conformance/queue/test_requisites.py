"""What accessors of one command group ask for together (SYCL 2020 §3.8.1)."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest

import unisycl as sycl

START = np.arange(8, dtype=np.int32)
MODES = {"read": sycl.read_only, "write": sycl.write_only, "read_write": sycl.read_write}
PAIRS = [("read", "write"), ("read", "read_write"), ("write", "read_write"), ("write", "write"),
         ("read_write", "read_write")]


@pytest.mark.row("E-3")
@pytest.mark.parametrize(("pair", "fresh"), [
    (pair, fresh) for pair in (*PAIRS, *(p[::-1] for p in PAIRS if p[0] != p[1]))
    for fresh in ("first", "second", "neither")
    if fresh == "neither" or pair[fresh == "second"] != "read"])
def test_accessors_of_one_object_ask_for_the_union_of_their_modes(
        queue: sycl.queue, pair: tuple[str, str], fresh: str) -> None:
    """The old values stay unless every accessor drops them; a later reader waits for the writer."""
    data = START.copy()
    with sycl.buffer(data) as buffer:
        def first(h: sycl.handler) -> None:
            a = sycl.accessor(buffer, h, sycl.read_write)
            h.parallel_for(8, lambda i: add(a, i, 100))

        def both(h: sycl.handler) -> None:
            names = ("first", "second")
            made = [sycl.accessor(buffer, h, MODES[mode], *[sycl.no_init] * (fresh == name))
                    for mode, name in zip(pair, names, strict=True)]
            writer = made[1] if pair[1] != "read" else made[0]
            h.parallel_for(1, lambda i: put(writer, 3))
        queue.submit(first)
        queue.submit(both)
        found = sycl.host_accessor(buffer, sycl.read_only)
        assert -1 == found[3]
        assert [k + 100 for k in range(8) if k != 3] == [int(found[k]) for k in range(8) if k != 3]


def add(a, i, value):
    a[i] = a[i] + value


def put(a, place):
    a[place] = -1


@pytest.mark.row("E-4")
def test_a_device_and_a_host_task_accessor_may_not_both_write(queue: sycl.queue) -> None:
    with sycl.buffer(START.copy()) as buffer:
        def group(h: sycl.handler) -> None:
            a = sycl.accessor(buffer, h, sycl.read_write)
            sycl.accessor(buffer, h, sycl.read_write_host_task)
            h.parallel_for(8, lambda i: add(a, i, 1))
        with pytest.raises(sycl.exception):
            queue.submit(group)
        queue.wait_and_throw()
        assert START.tolist() == list(sycl.host_accessor(buffer, sycl.read_only))


@pytest.mark.row("E-6")
def test_writers_that_drop_the_old_values_keep_their_order(device: sycl.device) -> None:
    queues = [sycl.queue(device), sycl.queue(device)]
    out = np.zeros(64, np.int32)
    with sycl.buffer(out) as buffer:
        for k in range(40):
            def group(h: sycl.handler, k: int = k) -> None:
                a = sycl.accessor(buffer, h, sycl.write_only, sycl.no_init)
                h.parallel_for(64, lambda i: fill(a, i, k))
            queues[k % 2].submit(group)
    assert [39] * 64 == out.tolist()


def fill(a, i, value):
    a[i] = value


@pytest.mark.row("E-7")
def test_readers_share_what_was_brought_once_and_bring_nothing_back(
        queue: sycl.queue, monkeypatch: pytest.MonkeyPatch) -> None:
    source = START.copy()
    source.flags.writeable = False
    out = sycl.malloc_shared((10, 8), np.int32, queue)
    driver, copies = queue.channel.driver, []

    def copy(dst: object, src: object, deps: object) -> object:
        copies.append((dst, src))
        return original(dst, src, deps)
    original = driver.copy
    monkeypatch.setattr(type(driver), "copy", lambda _, *rest: copy(*rest))
    with sycl.buffer(source) as buffer:
        events = []
        for k in range(10):
            def group(h: sycl.handler, k: int = k) -> None:
                a = sycl.accessor(buffer, h, sycl.read_only)
                h.parallel_for(8, lambda i: copy_row(out, a, i, k))
            events.append(queue.submit(group))
        for event in events:
            event.wait()
        assert (driver.memory != "host") == len(copies)
    assert (driver.memory != "host") == len(copies)
    assert (START + np.arange(10)[:, None]).tolist() == out.get_view().tolist()


def copy_row(out, a, i, k):
    out[k, i] = a[i] + k


def counted(turns: int) -> int:
    total = 0
    for k in range(turns):
        total += (k ^ total) & 3
    return total + 1


def count(it: sycl.item, out: Any, turns: int) -> None:
    out[it] = counted(turns)


def begin(out: Any, n: int, turns: int) -> None:
    sycl.ext.unisycl.enqueue_kernel(
        sycl.ext.unisycl.kernel_enqueue_flags.no_wait, n, count, out, turns)


@pytest.mark.row("E-14")
def test_a_command_is_complete_only_after_the_commands_that_it_enqueued(
        device: sycl.device) -> None:
    """Its state is looked at, for a wait could wait for more than the state tells."""
    queue, turns = sycl.queue(device), 2000 if device.has(sycl.aspect.emulated) else 500_000
    out = sycl.malloc_shared(16, np.int64, queue)
    out[:] = 0
    event, asked = queue.single_task(begin, out, 16, turns), sycl.info.event
    while event.get_info(asked.command_execution_status) is not (
            sycl.info.event_command_status.complete):
        time.sleep(0)
    assert [counted(turns)] * 16 == out[:].tolist()
    queue.wait()
    sycl.free(out, queue)


@pytest.mark.row("E-14")
def test_a_command_comes_into_its_six_states_one_after_another(device: sycl.device) -> None:
    """It is ready when what it waits for has ended, and not before."""
    queue = sycl.queue(device, sycl.property.queue.enable_profiling())
    out, go = np.zeros(100, np.int32), threading.Event()
    info = sycl.info.event_profiling
    held = queue.submit(lambda h: h.host_task(lambda: go.wait(60)))

    def after(h: sycl.handler) -> None:
        h.depends_on(held)
        h.parallel_for(100, lambda i: fill(out, i, 1))
    waiting, free = queue.submit(after), queue.parallel_for(100, lambda i: fill(out, i, 2))
    free.wait()
    now = time.monotonic_ns()
    go.set()
    waiting.wait()
    for event in (held, waiting, free):
        times = event.ext_unisycl_get_times()
        assert times == tuple(sorted(times))
        assert (times.queued, times.running, times.ended) == tuple(
            event.get_profiling_info(x)
            for x in (info.command_submit, info.command_start, info.command_end))
        status = event.get_info(sycl.info.event.command_execution_status)
        assert sycl.info.event_command_status.complete == status
    late, early = waiting.ext_unisycl_get_times(), free.ext_unisycl_get_times()
    assert late.queued < now < late.ready
    assert held.ext_unisycl_get_times().complete <= late.ready
    assert early.ready < now
    failed = sycl.queue(device, lambda errors: None, sycl.property.queue.enable_profiling()).submit(
        lambda h: h.host_task(lambda: 1 // 0))
    failed.wait()
    times = failed.ext_unisycl_get_times()
    assert 0 < times.queued <= times.running <= times.complete
    with pytest.raises(sycl.exception) as caught:
        sycl.queue(device).single_task(lambda: None).ext_unisycl_get_times()
    assert sycl.errc.invalid == caught.value.code()


@pytest.mark.row("E-16")
def test_each_synchronisation_point_makes_writes_visible(queue: sycl.queue) -> None:
    shared = sycl.malloc_shared(8, np.int32, queue)
    other = sycl.queue(queue.get_context(), queue.get_device())
    for k in range(20):
        shared[0] = k  # what the host wrote before is seen by the command
        first = queue.single_task(lambda: put_at(shared, 1, shared[0] + 1))
        second = other.submit(lambda h, e=first: after(h, e, shared))
        second.wait()
        assert [k, k + 1, k + 2] == [int(shared[j]) for j in range(3)]
        ready = threading.Event()
        queue.submit(lambda h: h.host_task(lambda: (shared.__setitem__(3, k), ready.set())))
        assert ready.wait(10)
        queue.wait()
        assert k == shared[3]


def put_at(a, place, value):
    a[place] = value


def after(h, event, shared):
    h.depends_on(event)
    h.single_task(lambda: put_at(shared, 2, shared[1] + 1))
