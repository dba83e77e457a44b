"""Launches that come again, on their way to a driver that takes them at once.

What a launch goes through otherwise (``channel.submit``, ``Task.enqueue``, ``Driver.launch``) asks
what cannot be so here: a launch that repeats waits for nothing but the command before it on its
queue. One that is the very command before it needs not even a task of its own where the driver can
tell their ends together only. Non-goals: first launches. Invariants: what is unusual goes the long
way, in the same order; a task has ended only when all launches that it stands for have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from unisycl.backends.base import Driver, Launch
from unisycl.base.enums import target
from unisycl.runtime.graph import ordering
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.deps import Access, add_new
from unisycl.runtime.graph.tasks import Begin, Task, begin_nothing
from unisycl.runtime.threads.per_process import process


class Again:
    """A launch that may come again, how it begins, and the task that stood for it last.

    ``run`` runs it here and now, where it is so small that this is best.
    """

    __slots__ = ("begin", "launch", "name", "run", "task", "title")

    def __init__(self, launch: Launch, begin: Begin, name: str, driver: Driver) -> None:
        self.launch: Launch | None = launch
        self.begin: Begin | None = begin
        self.name, self.title = name, f"kernel '{name}'"
        self.run = driver.ready(launch) if driver.quick and not launch.rest else None
        self.task: Task | None = None


def at_once(channel: Channel, name: str, run: Callable[[], object],
            accesses: Sequence[Access] = ()) -> Task | None:
    """Run a tiny launch here and now, and return its task, which has ended; None: it has to wait.

    Under the lock of the graph, so that nothing begins beside it that has to come before or after.
    As it has ended when others see it, no history has to know of it.
    """
    task = Task(channel, name, channel.driver, "kernel")
    task.settled = True
    if not accesses and not channel.in_order:
        last = channel._last
        if last is not None and not (last.settled and last.error is None):
            return None
        run()
        return task
    with process.lock:
        last = channel._last
        if last is not None and not (last.settled and last.error is None):
            return None
        if accesses and not _all_idle(accesses):
            return None
        run()
        if channel.in_order:
            channel._last = task
    return task


def _all_idle(accesses: Sequence[Access]) -> bool:
    """Say whether nothing uses the memory of a launch, which is then about to be written."""
    for access in accesses:
        memory: Any = access.key
        if memory.copies is not None or memory.usage is not None or (
                access.target is not target.device) or not memory.tracker.idle(
                    writes=access.mode.writes):
            return False
    for access in accesses:
        if access.mode.writes:
            access.key.wrote = True  # type: ignore[attr-defined]
    return True


def submit(channel: Channel, one: Again, launch: Launch, begin: Begin) -> Task:
    """Submit a launch without events to wait for, on a queue that takes no times."""
    task, driver = one.task, channel.driver
    if task is not None and channel._last is task and (end := task.completion) is not None:
        try:  # as ``_extended`` does, without a call
            if driver.extend(launch, end):
                return task
        except Exception as error:  # noqa: BLE001 - becomes the command's error
            return _failed(channel, one, launch, error)
    try:
        task = channel.spare.pop()
        task._name = one.name
    except IndexError:
        task = Task(channel, one.name, driver, "kernel")
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
                long = before is None or last.driver is not driver
        made = None if long else driver.again(launch, before)
        _note(channel, task, launch)
        if made is None:
            task.enqueue(() if last is None else (last,), begin)
        else:
            task.completion = made
            if task._started is not None or task.dependents:
                task.begun(made)
            if not channel.spare:  # while the device works, and not when it waits for the next one
                channel.spare.append(Task(channel, "", driver, "kernel"))
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


def continued(channel: Channel, one: Again, launch: Launch, accesses: Sequence[Access],
              ) -> Task | None:
    """Submit a launch of a command group that does what the newest command did; None: it is not so.

    That stands in the histories of all memory that the launch uses, as what a command would wait
    for that waits for everything it has to.
    """
    task, last = one.task, channel._last
    if task is None or task.channel is not channel or ordering.state.on or (
            last is not task if channel.in_order else last is not None):
        return None
    driver = channel.driver
    for access in accesses:
        memory: Any = access.key
        copies, writes = memory.copies, access.mode.writes
        if copies is None or memory.usage is not None or not (writes or channel.in_order) or (
                access.target is target.host_task):
            return None
        if not copies.places.stays(driver.memory, writes=writes) or not memory.tracker.newest(
                access.start, access.stop, task, writes=writes):
            return None
    return _extended(channel, one, task, launch)


def resumed(channel: Channel, one: Again, launch: Launch, accesses: Sequence[Access],
            ) -> Task | None:
    """Submit a launch of a command group whose memory stays where it is; None: as any other.

    What it waits for is found as for any command, but all else that is asked there is known.
    """
    if ordering.state.on:
        return None
    driver, deps, begin = channel.driver, list[Task](), one.begin or begin_nothing
    task = Task(channel, one.name, driver, "kernel")
    try:
        with process.lock:
            for access in accesses:
                memory: Any = access.key
                copies = memory.copies
                if copies is None or memory.usage is not None or (
                        access.target is target.host_task) or not copies.places.stays(
                            driver.memory, writes=access.mode.writes):
                    return None
            last = channel._last
            if last is not None:
                deps.append(last)
            if channel.in_order:
                channel._last = task
            for access in accesses:
                memory, writes = access.key, access.mode.writes
                memory.wrote = memory.wrote or writes
                add_new(deps, memory.tracker.access(access.start, access.stop, writes=writes,
                                                    task=task))
        one.task = task
        _note(channel, task, launch)
        deps = [dep for dep in deps if not (dep.settled and dep.error is None)]
        before = deps[0].completion if deps else None
        made = None
        if not deps or (len(deps) == 1 and before is not None and deps[0].driver is driver):
            made = driver.again(launch, before)
        if made is None:
            task.enqueue(deps, begin)
        else:
            task.completion = made  # not asked whether it is done: others may still join it
            if task._started is not None or task.dependents:
                task.begun(made)
    except Exception as error:  # noqa: BLE001 - becomes the command's error
        task.fail(error.with_traceback(None))
    except BaseException as error:
        task.cut_off(begin, error)
        raise
    return task


def _extended(channel: Channel, one: Again, task: Task, launch: Launch) -> Task | None:
    """Launch once more what a task stands for; None: as any other."""
    end = task.completion
    if end is None:
        return None
    try:
        return task if channel.driver.extend(launch, end) else None
    except Exception as error:  # noqa: BLE001 - becomes the command's error
        return _failed(channel, one, launch, error)


def _failed(channel: Channel, one: Again, launch: Launch, error: Exception) -> Task:
    """Return the command that a launch is which failed behind another one."""
    failed = Task(channel, one.name, channel.driver, "kernel")
    _note(channel, failed, launch)
    failed.fail(error.with_traceback(None))
    return failed
