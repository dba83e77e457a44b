"""What is underneath a queue."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

import unisycl as sycl
from tests.unit.runtime.null import channel, null_queue
from unisycl.backends.null.driver import NullDriver
from unisycl.base.enums import access_mode
from unisycl.base.errors import DeviceError, errc
from unisycl.runtime.graph.completions import Gate
from unisycl.runtime.graph.deps import Access
from unisycl.runtime.graph.tasks import Task, begin_nothing
from unisycl.runtime.memory.buffers import BufferMemory
from unisycl.runtime.threads.per_process import process

_GATES: list[Gate] = []


@pytest.fixture(autouse=True)
def _end() -> Iterator[None]:
    """Unfinished commands would be waited for when the interpreter ends."""
    yield
    for gate in _GATES:
        gate.finish()
    _GATES.clear()


def submit(to, name: str = "t", deps=()) -> tuple[Task, Gate]:
    task, gate = Task(to, name, to.driver), Gate()
    _GATES.append(gate)
    to.submit(task, deps, lambda native: gate)
    return task, gate


def test_finished_tasks_are_forgotten_while_others_run() -> None:
    c = channel()
    _, long = submit(c)
    for _ in range(2000):
        submit(c)[1].finish()
    assert len(c.pending) <= 300
    long.finish()
    c.wait()
    assert c.idle()


def test_errors_are_taken_once() -> None:
    c = channel()
    task, gate = submit(c)
    gate.finish(DeviceError(errc.runtime, "boom"))
    assert ["boom"] == [e.what() for e in c.take_errors()]
    assert [] == c.take_errors()
    assert task.delivered
    assert c.claim(task) is None


def test_several_errors_are_raised_as_one_with_notes() -> None:
    c = channel()
    for k in range(6):
        submit(c)[1].finish(DeviceError(errc.runtime, f"error {k}"))
    with pytest.raises(DeviceError, match="error 0") as caught:
        c.deliver()
    assert ["also failed: error 1 [errc.runtime]", "and 2 more commands failed"] == [
        caught.value.__notes__[0], caught.value.__notes__[-1]]
    c.deliver()


def test_a_retired_channel_gives_its_errors_to_the_handler() -> None:
    got = []
    c = channel(handler=got.append)
    submit(c)[1].finish(ValueError("boom"))
    c.retire()
    assert [1] == [len(errors) for errors in got]


def test_in_order_follows_the_last_even_if_it_is_no_dependency() -> None:
    c = channel(in_order=True)
    first, gate = submit(c)
    second, _ = submit(c)
    assert [first] == list(second.predecessors())
    gate.finish()


def registered(to, memory: BufferMemory) -> tuple[Task, list[Task]]:
    """Give a command its place, as a thread does before it submits."""
    task, deps = Task(to, "t", to.driver), []
    with process.lock:
        to.register([Access(memory, 0, 8, access_mode.read_write)], task, deps)
    return task, deps


def test_threads_that_overtake_each_other_do_not_wait_in_a_circle() -> None:
    c, memory = channel(in_order=True), BufferMemory(8)
    (first, before_first), (second, before_second) = registered(c, memory), registered(c, memory)
    assert ([], [first]) == (before_first, before_second)
    c.submit(second, before_second, begin_nothing, registered=True)
    c.submit(first, before_first, begin_nothing, registered=True)
    assert [] == list(first.predecessors())
    c.wait()
    assert second.done()


def test_a_barrier_does_not_hold_up_what_has_its_place_before_it() -> None:
    c, memory = channel(), BufferMemory(8)
    (first, before_first), (second, before_second) = registered(c, memory), registered(c, memory)
    c.submit(second, before_second, begin_nothing, registered=True)
    barrier = Task(c, "a barrier", c.driver)
    c.barrier(barrier, c.snapshot())
    c.submit(first, before_first, begin_nothing, registered=True)
    c.wait()
    assert barrier.done()


class Slow(NullDriver):
    """Runs kernels at once; while the first one runs another thread submits a host task."""

    def __init__(self) -> None:
        super().__init__(automatic=True)
        self.seen: list[str] = []
        self.queue: Any = None

    def immediate(self, launch: Any) -> bool:
        if not self.seen:
            other = threading.Thread(target=self.submit)
            other.start()
            other.join()
        self.seen.append("kernel")
        return True

    def submit(self) -> None:
        self.event = self.queue.submit(lambda h: h.host_task(lambda: self.seen.append("task")))
        status = self.event.get_info(sycl.info.event.command_execution_status)
        self.seen.append(status.name)


@pytest.mark.parametrize("how", ["shortcut", "group"])
def test_what_runs_at_once_keeps_its_place_in_an_in_order_queue(how: str) -> None:
    driver = Slow()
    q = driver.queue = null_queue(driver, sycl.property.queue.in_order())

    def kernel():
        pass
    if how == "shortcut":
        q.single_task(kernel)
    else:
        q.submit(lambda h: h.single_task(kernel))
    driver.event.wait()
    assert ["submitted", "kernel", "task"] == driver.seen
    assert q.khr_empty()
