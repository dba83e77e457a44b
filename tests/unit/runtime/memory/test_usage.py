"""Bursts of use alternate strictly."""

from __future__ import annotations

import threading
import time

from unisycl.runtime.graph.completions import Gate
from unisycl.runtime.graph.tasks import Task
from unisycl.runtime.memory.usage import Usage


def until(condition: object) -> None:
    deadline = time.monotonic() + 10
    while not condition() and time.monotonic() < deadline:  # type: ignore[operator]
        time.sleep(0.001)
    assert condition()  # type: ignore[operator]


def command() -> tuple[Task, Gate]:
    task, gate = Task(None, "a command"), Gate()
    task.occupy(gate)
    return task, gate


def test_overlapping_commands_are_one_burst() -> None:
    seen: list[str] = []
    usage = Usage(lambda: seen.append("in"), lambda: seen.append("out"))
    (first, one), (second, two) = command(), command()
    opening = usage.enter(first)
    assert usage.enter(second) is opening
    opening.wait()
    one.finish()
    assert not usage.idle()
    two.finish()
    until(usage.idle)
    assert ["in", "out"] == seen


def test_a_burst_begins_after_the_one_before_has_ended() -> None:
    seen: list[str] = []
    slow = threading.Event()

    def end() -> None:
        slow.wait(10)
        seen.append("out")
    usage = Usage(lambda: seen.append("in"), end)
    for _ in range(3):
        task, gate = command()
        usage.enter(task)
        gate.finish()
        until(lambda: usage._burst is None)
    slow.set()
    until(usage.idle)
    assert ["in", "out"] * 3 == seen


def test_what_the_user_raises_ends_the_burst_all_the_same() -> None:
    def fail() -> None:
        raise KeyError("mine")
    usage = Usage(lambda: None, fail)
    task, gate = command()
    usage.enter(task).wait()
    gate.finish()
    until(usage.idle)
