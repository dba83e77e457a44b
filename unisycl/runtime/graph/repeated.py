"""Launches that come again, on their way to a driver that takes them at once.

What a launch goes through otherwise (``channel.submit``, ``Task.enqueue``, ``Driver.launch``) asks
what cannot be so here: a launch that repeats waits for nothing but the command before it on its
queue. One that is the very command before it needs not even a task of its own where the driver can
tell their ends together only. Non-goals: first launches. Invariants: what is unusual goes the long
way, in the same order; a task has ended only when all launches that it stands for have.
"""

from __future__ import annotations

from unisycl.backends.base import Completion, Launch
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.tasks import Begin, Task
from unisycl.runtime.threads.per_process import process


class Again:
    """A launch that may come again, how it begins, and the task that stood for it last."""

    __slots__ = ("begin", "launch", "name", "task")

    def __init__(self, launch: Launch, begin: Begin, name: str) -> None:
        self.launch: Launch | None = launch
        self.begin: Begin | None = begin
        self.name = name
        self.task: Task | None = None


def submit(channel: Channel, one: Again, launch: Launch, begin: Begin) -> Task:
    """Submit a launch without events to wait for, on a queue that takes no times."""
    task = one.task
    if task is not None and channel._last is task and task.completion is not None:
        stood = _extended(channel, one, task, launch)
        if stood is not None:
            return stood
    task = Task(channel, one.name, channel.driver, "kernel")
    try:
        before, long = None, False
        if channel.in_order:
            with process.lock:
                last, channel._last = channel._last, task
            one.task = task
        else:
            last = channel._last
        if last is not None:
            if last.settled:
                long = last.error is not None
            else:
                before = last.completion
                long = before is None or last.driver is not channel.driver
        made = None if long else channel.driver.again(launch, before)
        _note(channel, task, launch)
        if made is None:
            task.enqueue(() if last is None else (last,), begin)
        else:
            task.completion = made
            if task._started is not None or task.dependents:
                task.begun(made)
    except Exception as error:  # noqa: BLE001 - becomes the command's error
        task.fail(error.with_traceback(None))
    except BaseException as error:
        task.cut_off(begin, error)
        raise
    return task


def _note(channel: Channel, task: Task, launch: Launch) -> None:
    task.where = launch.where
    pending = channel.pending
    pending.append(task)
    if len(pending) > channel._full:
        channel._trim()


def _extended(channel: Channel, one: Again, task: Task, launch: Launch) -> Task | None:
    """Launch once more what a task stands for, the newest of its queue; None: as any other."""
    end = task.completion
    if end is None:
        return None
    try:
        made = channel.driver.extend(launch, end)
    except Exception as error:  # noqa: BLE001 - becomes the command's error
        failed = Task(channel, one.name, channel.driver, "kernel")
        _note(channel, failed, launch)
        failed.fail(error.with_traceback(None))
        return failed
    if made is end or made is None:
        return task if made is end else None
    return _apart(channel, one, launch, made)


def _apart(channel: Channel, one: Again, launch: Launch, made: Completion) -> Task:
    """Return a task of its own for a launch, since another thread has asked for the end before."""
    task = Task(channel, one.name, channel.driver, "kernel")
    task.completion = made
    with process.lock:
        channel._last = task
    one.task = task
    _note(channel, task, launch)
    return task
