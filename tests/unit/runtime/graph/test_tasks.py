"""Tasks: starting, waiting and settling."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from unisycl.base.errors import DeviceError, errc
from unisycl.runtime.graph.completions import Gate
from unisycl.runtime.graph.tasks import Task, begin_nothing, begin_python
from unisycl.runtime.threads.per_process import process


def pending(label: str = "p", driver: object = None) -> tuple[Task, Gate]:
    task, gate = Task(None, label, driver), Gate()
    task.enqueue((), lambda native: gate)
    return task, gate


def test_a_task_with_nothing_before_it_begins_at_once() -> None:
    task, gate = pending()
    assert task.running()
    assert not task.done()
    gate.finish()
    assert task.settled
    assert task.completion is None


def test_tasks_of_one_driver_are_ordered_by_it() -> None:
    driver, given = SimpleNamespace(chains=False), []
    first, _ = pending(driver=driver)
    second = Task(None, "second", driver)
    second.enqueue([first], lambda native: (given.extend(native), Gate())[1])
    assert [first.completion] == given


def test_others_begin_when_what_they_wait_for_has_ended() -> None:
    first, gate = pending()
    begun = threading.Event()
    second = Task(None, "second")
    second.enqueue([first], lambda native: (begun.set(), Gate())[1])
    assert not begun.wait(0.02)
    gate.finish()
    assert begun.wait(5)


def test_waiting_for_a_task_that_has_not_begun() -> None:
    first, gate = pending()
    second = Task(None, "second")
    second.enqueue([first], begin_python(lambda: None))
    threading.Timer(0.02, gate.finish).start()
    second.wait()
    assert second.settled


def test_a_failure_reaches_who_depends_on_it() -> None:
    first, gate = pending("the first")
    second = Task(None, "second")
    second.enqueue([first], begin_nothing)
    gate.finish(ValueError("boom"))
    second.wait()
    assert isinstance(first.error, DeviceError)
    assert errc.runtime == first.error.code()
    assert isinstance(first.error.__cause__, ValueError)
    assert "the first" in str(second.error)
    assert "boom" in str(second.error)


def test_what_a_driver_raises_becomes_the_tasks_error() -> None:
    task = Task(None, "bad")

    def begin(native):
        raise RuntimeError("no")
    task.enqueue((), begin)
    assert task.settled
    assert "RuntimeError" in str(task.error)


def test_an_interrupt_is_raised_and_settles_the_task() -> None:
    task = Task(None, "bad")

    def begin(native):
        raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        task.enqueue((), begin)
    assert task.settled


def test_a_python_command_keeps_its_times() -> None:
    task = Task(None, "python")
    task.enqueue((), begin_python(lambda: None))
    task.wait()
    assert task.error is None


def test_grandparents_are_forgotten() -> None:
    first, gate = pending()
    second = Task(None, "second")
    second.enqueue([first], begin_nothing)
    third = Task(None, "third")
    third.enqueue([second], begin_nothing)
    gate.finish()
    third.wait()
    assert [second] == list(third.predecessors())
    assert [] == list(second.predecessors())


def test_the_lock_knows_its_owner() -> None:
    assert not process.lock.held()
    with process.lock:
        assert process.lock.held()
        other = []
        thread = threading.Thread(target=lambda: other.append(process.lock.held()))
        thread.start()
        thread.join()
    assert [False] == other


def test_the_end_of_a_very_long_chain_settles_it_all() -> None:
    driver, first_gate = SimpleNamespace(chains=False), Gate()
    first = Task(None, "t", driver)
    first.enqueue((), lambda native: first_gate)
    chain, gates = [first], [first_gate]
    for _ in range(5000):
        task, gate = Task(None, "t", driver), Gate()
        task.enqueue([chain[-1]], lambda native, g=gate: g)
        chain.append(task)
        gates.append(gate)
    for task, gate in zip(chain, gates, strict=True):
        gate.task = None
        gate.finish(ValueError("boom") if task is first else None)
    assert chain[-1].done()
    assert all(t.settled for t in chain)
    assert "boom" in str(chain[-1].error)
