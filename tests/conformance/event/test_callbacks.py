"""Callbacks of events, events that the program completes, and events in coroutines."""

from __future__ import annotations

import asyncio
import concurrent.futures
import gc
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests import children
from tests.conformance.refusals import code_of

STATUS = sycl.info.event.command_execution_status
complete = sycl.info.event_command_status.complete
user_event = sycl.ext.unisycl.user_event


def add(i, p, value):
    p[i] += value


@pytest.mark.row("E-40", "E-16")
def test_a_kernel_starts_only_after_the_user_event_is_set(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(8, np.int32, queue)
    p[:] = 0
    gate = user_event()
    waiting = queue.parallel_for(8, add, p, 1, depends_on=gate)
    other = queue.parallel_for(1, lambda i: None)
    other.wait()
    assert complete is not waiting.get_info(STATUS)
    assert complete is not gate.get_info(STATUS)
    p[:] = 10  # not yet the kernel's
    assert [10] * 8 == p[:].tolist()
    gate.set()
    waiting.wait()
    assert [11] * 8 == p[:].tolist()
    assert complete is gate.get_info(STATUS)
    gate.wait()
    assert sycl.errc.invalid == code_of(gate.set)
    assert sycl.errc.invalid == code_of(gate.fail)


@pytest.mark.row("E-40", "E-11")
def test_user_events_gate_every_kind_of_command_and_queue(queue: sycl.queue) -> None:
    other = sycl.queue(queue.get_device())
    p, seen = sycl.malloc_shared(4, np.int32, queue), []
    gate, second = user_event(), user_event()
    first = queue.fill(p, 3, depends_on=gate)

    def task(h: sycl.handler) -> None:
        h.depends_on([first, second])
        h.host_task(lambda: seen.append(p[:].tolist()))
    last = other.submit(task)
    barrier = other.ext_oneapi_submit_barrier([gate])
    assert complete is not barrier.get_info(STATUS)
    threading.Thread(target=second.set).start()
    threading.Thread(target=gate.set).start()
    last.wait()
    barrier.wait()
    assert [[3] * 4] == seen


@pytest.mark.row("E-40", "E-15")
def test_what_depends_on_a_failed_user_event_does_not_run(device: sycl.device) -> None:
    lists: list[Any] = []
    q = sycl.queue(device, lists.append)
    p = sycl.malloc_shared(4, np.int32, q)
    p[:] = 0
    gate = user_event()
    q.parallel_for(4, add, p, 1, depends_on=gate)
    gate.fail(ValueError("no data"))
    q.wait_and_throw()
    assert ["no data" in e.what() for errors in lists for e in errors] == [True]
    assert [0] * 4 == p[:].tolist()


@pytest.mark.row("E-40", "E-15")
def test_a_user_event_that_is_forgotten_fails_rather_than_hangs(device: sycl.device) -> None:
    lists: list[Any] = []
    q = sycl.queue(device, lists.append)
    gate = user_event()
    q.parallel_for(1, lambda i: None, depends_on=gate)
    del gate
    gc.collect()
    q.wait_and_throw()
    assert ["let go of without being set" in e.what() for one in lists for e in one] == [True]


PROGRAM = """
import sys
import unisycl as sycl
q = sycl.queue(sycl.cpu_selector_v if sys.argv[1] == "cpu" else sycl.host_selector_v)
gate = sycl.ext.unisycl.user_event()
q.parallel_for(4, lambda i: None, depends_on=gate)
"""


@pytest.mark.row("E-40", "A-37")
@pytest.mark.parametrize("name", ["cpu", "host"])
def test_a_program_that_never_sets_it_ends_with_an_error(name: str) -> None:
    ended = children.run([sys.executable, "-c", PROGRAM, name], capture_output=True, text=True,
                         cwd=Path(sycl.__file__).parents[1], timeout=300)
    assert 1 == ended.returncode
    assert "was not set before the program ended" in ended.stderr


@pytest.mark.row("E-40")
def test_a_callback_reads_the_result(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(8, np.int32, queue)
    p[:] = 1
    seen: list[Any] = []
    event = queue.parallel_for(8, add, p, 2)

    def tell(ended: sycl.event) -> None:
        seen.append((ended, ended.get_info(STATUS), p[:].tolist(), threading.get_ident()))
    after = event.ext_unisycl_add_callback(tell)
    queue.wait()  # waits for callbacks, too
    assert [(event, complete, [3] * 8)] == [s[:3] for s in seen]
    assert threading.get_ident() != seen[0][3]
    assert complete is after.get_info(STATUS)
    event.ext_unisycl_add_callback(tell).wait()
    sycl.event().ext_unisycl_add_callback(tell).wait()
    assert 3 == len(seen)
    assert sycl.errc.invalid == code_of(event.ext_unisycl_add_callback, 3)


@pytest.mark.row("E-40")
def test_a_callback_waits_for_its_command_and_others_for_it(queue: sycl.queue) -> None:
    gate, order = user_event(), []
    event = queue.submit(lambda h: (h.depends_on(gate), h.host_task(lambda: order.append(1))))
    first = event.ext_unisycl_add_callback(lambda e: order.append(2))
    queue.submit(lambda h: (h.depends_on(first), h.host_task(lambda: order.append(3))))
    assert [] == order
    gate.set()
    queue.wait()
    assert [1, 2, 3] == order


@pytest.mark.row("E-40", "F-22")
def test_callbacks_hear_of_failures_and_their_own_are_delivered(device: sycl.device) -> None:
    lists: list[Any] = []
    q = sycl.queue(device, lists.append)
    heard: list[Any] = []

    def broken() -> None:
        raise ValueError("task")

    def callback(e: sycl.event) -> None:
        heard.append(e.get_info(STATUS))
        raise KeyError("callback")
    q.submit(lambda h: h.host_task(broken)).ext_unisycl_add_callback(callback)
    q.wait_and_throw()
    assert [complete] == heard
    causes = {type(e.__cause__) for errors in lists for e in errors}
    assert {ValueError, KeyError} == causes


@pytest.mark.row("E-40", "A-37")
def test_waiting_for_oneself_is_refused(device: sycl.device) -> None:
    lists: list[Any] = []
    q = sycl.queue(device, lists.append)
    q.submit(lambda h: h.host_task(q.wait))
    q.submit(lambda h: None).ext_unisycl_add_callback(lambda e: q.wait())
    q.wait_and_throw()
    assert [True, True] == ["would never end" in e.what() for one in lists for e in one]


@pytest.mark.row("E-40")
def test_a_thousand_callbacks_run_once_each(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(1, np.int32, queue)
    lock, count = threading.Lock(), [0]

    def one(e: sycl.event) -> None:
        with lock:
            count[0] += 1
    for _ in range(1000):
        queue.parallel_for(1, add, p, 1).ext_unisycl_add_callback(one)
    queue.wait()
    assert [1000] == count


@pytest.mark.row("A-37")
def test_events_are_awaited_in_a_coroutine(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(4, np.int32, queue)
    p[:] = 0
    gate, order = user_event(), []

    async def wait() -> None:
        await queue.parallel_for(4, add, p, 5, depends_on=gate)
        order.append("kernel")

    async def other() -> None:
        order.append("loop")
        gate.set()

    async def main() -> None:
        await asyncio.gather(wait(), other())
        await sycl.event()
        await queue.submit(lambda h: None)
    asyncio.run(main())
    assert ["loop", "kernel"] == order
    assert [5] * 4 == p[:].tolist()


@pytest.mark.row("A-37", "F-22")
def test_a_coroutine_gets_the_error(device: sycl.device) -> None:
    q = sycl.queue(device)

    def broken() -> None:
        raise ValueError("mine")

    async def main() -> None:
        await q.submit(lambda h: h.host_task(broken))
    with pytest.raises(sycl.exception, match="mine"):
        asyncio.run(main())
    q.wait()


@pytest.mark.row("A-37", "E-16", "F-22")
def test_futures_of_python_end_with_their_commands(device: sycl.device) -> None:
    q = sycl.queue(device)
    p, gates = sycl.malloc_shared(4, np.int32, q), [user_event(), user_event()]
    p[:] = 0

    def broken() -> None:
        raise ValueError("mine")
    good = q.parallel_for(4, add, p, 5, depends_on=gates[0]).ext_unisycl_future()
    bad = q.submit(lambda h: (h.depends_on(gates[1]), h.host_task(broken))).ext_unisycl_future()
    assert not good.done()
    assert not good.cancel()
    gates[0].set()
    ended, left = concurrent.futures.wait([good, bad], return_when="FIRST_COMPLETED", timeout=60)
    assert ({good}, {bad}) == (ended, left)
    assert [5] * 4 == p[:].tolist()
    gates[1].set()
    with pytest.raises(sycl.exception, match="mine"):
        bad.result(60)
    q.wait()  # told once
    assert good.result(60) is None
    assert sycl.event().ext_unisycl_future().result(0) is None

    async def main() -> None:
        await asyncio.wrap_future(q.parallel_for(4, add, p, 1).ext_unisycl_future())
    asyncio.run(main())
    assert [6] * 4 == p[:].tolist()


@pytest.mark.row("A-37")
def test_a_cancelled_coroutine_leaves_the_command_alone(queue: sycl.queue) -> None:
    p, gate = sycl.malloc_shared(4, np.int32, queue), user_event()
    p[:] = 0

    async def main() -> None:
        task = asyncio.ensure_future(_wait(queue.parallel_for(4, add, p, 1, depends_on=gate)))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    asyncio.run(main())
    gate.set()
    queue.wait()
    assert [1] * 4 == p[:].tolist()


async def _wait(event: sycl.event) -> None:
    await event
