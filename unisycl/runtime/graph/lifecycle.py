"""The start and end of the runtime in a process: exit, fork, and queues whose object is gone.

Non-goals: what runs in between. Invariants: at interpreter exit queued work completes or is
reported, and an unseen error makes the exit status 1; a forked child starts afresh.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
import time
import traceback
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

from unisycl.backends import registry
from unisycl.backends.base import Driver
from unisycl.base.errors import exception_list
from unisycl.process import activity, interrupts
from unisycl.runtime.devices import devices
from unisycl.runtime.graph import partners
from unisycl.runtime.graph.completions import Gate
from unisycl.runtime.graph.tasks import Task
from unisycl.runtime.threads.per_process import process

_NAMED = 5
_EXIT_SECONDS = 40.0  # somewhat longer than the threads of a driver are given


class Line(Protocol):
    """What is asked here of the state of a queue."""

    device: devices.DeviceState
    driver: Driver
    errors: list[Task]
    generation: int
    handler: devices.AsyncHandler | None
    pending: deque[Task]
    quick: bool
    repeats: bool

    def idle(self) -> bool:
        """Say whether nothing is pending."""

    def snapshot(self) -> list[Task]:
        """Return the tasks that may still run, in order of submission."""

    def take_errors(self) -> list[BaseException]:
        """Take the errors not delivered yet; the caller has to deliver them."""


class _Alive:
    """The channels that may have work or errors; retired ones leave once they have neither."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.channels: set[Line] = set()
        self.retired: set[Line] = set()
        self.drivers: weakref.WeakSet[Driver] = weakref.WeakSet()
        self.gates: weakref.WeakSet[Gate] = weakref.WeakSet()
        self.installed = False


_alive = _Alive()
_at_end: list[Callable[[], None]] = []
_in_child: list[Callable[[], None]] = []


def add(channel: Line) -> None:
    """Keep a channel until it is retired and done; the first one installs the hooks."""
    with _alive.lock:
        if not _alive.installed:
            _alive.installed = True
            atexit.register(finish)
            os.register_at_fork(after_in_child=_after_fork)
        if len(_alive.retired) >= 16:
            _sweep()
        _alive.channels.add(channel)
        _alive.drivers.add(channel.driver)


def retire(channel: Line) -> None:
    """Let a channel go once its work is done; called by finalisers, so it never blocks long.

    That of a native queue goes at once if it can: the program counts who holds its objects.
    """
    with _alive.lock:
        if channel.device.twin is not None and not channel.errors and channel.idle():
            _alive.channels.discard(channel)
        else:
            _alive.retired.add(channel)


def _unfinished() -> int:
    return sum(not task.done() for channel in channels() for task in channel.snapshot())


activity.register(_unfinished)


def channels() -> list[Line]:
    """Return the channels that may still be used."""
    with _alive.lock:
        return list(_alive.channels)


def at_end(function: Callable[[], None]) -> None:
    """Have a function called when all work is done at exit, however the program ends."""
    _at_end.append(function)


def in_child(function: Callable[[], None]) -> None:
    """Have a function called in every forked child, before anything is used there."""
    if function not in _in_child:
        _in_child.append(function)


def guard(gate: Gate) -> None:
    """Remember an open host accessor: it must not keep the interpreter from ending."""
    _alive.gates.add(gate)


def _sweep() -> None:
    for channel in list(_alive.retired):
        if channel.idle() and not channel.errors:
            _alive.retired.discard(channel)
            _alive.channels.discard(channel)


def count() -> int:
    """Return how many channels are kept, after letting go of those that are done."""
    with _alive.lock:
        _sweep()
        return len(_alive.channels)


def call_quietly(function: Callable[..., Any], *args: Any) -> None:
    """Call user code where nothing may be raised; what it raises is printed."""
    try:
        function(*args)
    except Exception:  # noqa: BLE001 - nobody is there to catch it
        _print(traceback.format_exc())


def _print(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(text if text.endswith("\n") else text + "\n")


def finish() -> None:
    """Let queued work complete, report unseen errors; exit status 1 if there was an error."""
    for gate in list(_alive.gates):
        gate.finish(gate.at_exit)
    channels = [c for c in _alive.channels if c.generation == process.generation]
    if interrupts.hurried():
        _finish_soon(channels)
        return
    deadline = time.monotonic() + _EXIT_SECONDS
    try:
        for channel in channels:
            for task in channel.snapshot():
                _finish_task(task, deadline)
    except KeyboardInterrupt:
        left = sum(len(c.pending) for c in channels)
        _print(f"unisycl: interrupted at exit; {left} queued command(s) may not have completed")
        _leave(130)
    if _report(channels):
        _leave(1)
    _say_goodbye()
    for driver in list(_alive.drivers):
        call_quietly(driver.leave)


def _report(channels: list[Line]) -> bool:
    """Report unseen errors; say whether there was one that no handler took."""
    failed = False
    for channel in channels:
        errors = [e for e in channel.take_errors() if not interrupts.was_cut(e)]
        if errors and channel.handler is not None:
            call_quietly(channel.handler, exception_list(errors))
        elif errors:
            failed = True
            for error in errors:
                _print("unisycl: a command failed and no wait reported it:\n" + "".join(
                    traceback.format_exception(error)))
    return failed


def _finish_soon(channels: list[Line]) -> None:
    """Let commands complete as long as they do; the program ends as it would, whatever they do.

    Who pressed Ctrl-C does not wait again. What is left is said in one line.
    """
    tasks = [task for channel in channels for task in channel.snapshot()]
    with contextlib.suppress(KeyboardInterrupt):
        _wait_soon(tasks)
    left = [t for t in tasks if not t.done()]
    lost = [t.label for t in tasks if t in left or interrupts.was_cut(t.error)]
    if lost:
        named = ", ".join(dict.fromkeys(lost[:_NAMED])) + (", ..." if len(lost) > _NAMED else "")
        _print(f"unisycl: the program was interrupted; {len(lost)} command(s) had not ended and "
               f"were abandoned: {named}")
    _report(channels)
    _say_goodbye()
    if left:
        for driver in {id(t.driver): t.driver for t in left if t.driver is not None}.values():
            call_quietly(driver.abandon, tasks)
    else:
        for driver in list(_alive.drivers):
            call_quietly(driver.leave)


def _wait_soon(tasks: list[Task]) -> None:
    """Wait until all have ended, or none more ends for a while."""
    count = -1
    while True:
        left = [t for t in tasks if not t.done()]
        if not left or len(left) == count:
            return
        count = len(left)
        until = time.monotonic() + interrupts.PATIENCE
        while time.monotonic() < until and not left[0].done():
            left[0].pause(0.05)


def _say_goodbye() -> None:
    while _at_end:
        call_quietly(_at_end.pop())


def _finish_task(task: Task, deadline: float) -> None:
    """Wait for a command at exit; one that does not end is reported and left behind."""
    partners.insist(task)
    while not task.done():
        if time.monotonic() > deadline:
            _print(f"unisycl: {task.label} did not end within {_EXIT_SECONDS:.0f} s of the "
                   "program's end and was abandoned")
            _leave(1)
        process.executor.help()
        task.pause(0.05)


def _leave(status: int) -> None:
    """Exit with a status; an ``atexit`` function has no gentler way to set one."""
    _say_goodbye()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(status)


def _after_fork() -> None:
    """A child has none of the parent's threads: everything native starts afresh on first use."""
    global _alive
    _alive = _Alive()
    _alive.installed = True
    process.renew()
    registry.forget()
    devices.forget()
    _at_end.clear()
    for function in _in_child:
        function()
