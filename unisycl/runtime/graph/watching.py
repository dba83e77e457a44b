"""Notes of what is submitted, at no cost unless recording.

A channel that is watched is of another class, and so are its tasks; the classes that run when
nobody looks know nothing of it, and what notes and draws is loaded when somebody first does.
Non-goals: what becomes of what was seen (``history``). Invariant: watched or not, the same commands
run in the same order.
"""

from __future__ import annotations

import importlib
import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from unisycl.backends.base import Completion, Launch
from unisycl.base import settings
from unisycl.base.errors import UsageError, errc
from unisycl.process import log
from unisycl.runtime.graph import lifecycle
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.deps import Access
from unisycl.runtime.graph.tasks import Begin, Task
from unisycl.runtime.memory import moves


class _Watch:
    """Who looks: how many, and what they see."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.looking = 0
        self.history: Any = None  # an ``observe.history.History`` while anybody looks
        self.traced = False
        self.forked = False


_watch = _Watch()


class WatchedTask(Task):
    """A task that tells when it begins and ends."""

    __slots__ = ()

    def wait(self) -> None:
        """Block until the command has ended, and note how long."""
        if self.settled:
            return
        begun = time.monotonic_ns()
        try:
            super().wait()
        finally:
            _watch.history.waited(self, begun, time.monotonic_ns())

    def _settle_self(self, completion: Completion) -> None:
        _watch.history.ran(self, completion.profile(), getattr(completion, "thread", 0))
        super()._settle_self(completion)

    def _end(self, error: BaseException | None) -> None:
        super()._end(error)
        _watch.history.ended(self)


class WatchedChannel(Channel):
    """A channel that tells what passes through it."""

    __slots__ = ()

    def register(self, accesses: Sequence[Access], task: Task, deps: list[Task], *,
                 fences: bool = False) -> list[moves.Transfer]:
        """Enter a command into the histories of what it uses, and note its accesses."""
        found = super().register(accesses, task, deps, fences=fences)
        _watch.history.touch(task, accesses)
        if fences:
            _watch.history.fenced(self, task)
        return found

    def submit(self, task: Task, deps: Sequence[Task], begin: Begin, *,
               registered: bool = False) -> None:
        """Start a task as any channel does, and note when."""
        command = _watch.history.submitting(task, self, deps)
        _tell(command)
        if type(task) is Task:
            task.__class__ = WatchedTask
        try:
            super().submit(task, deps, begin, registered=registered)
        finally:
            command.returned = time.monotonic_ns()

    def run_at_once(self, task: Task, launch: Launch, deps: Sequence[Task]) -> bool:
        """Run a tiny kernel as any channel does, and note when."""
        command = _watch.history.submitting(task, self, deps)
        _watch.history.describe(command, launch.geometry, launch.raw)
        return self._at_once(task, lambda: super(WatchedChannel, self).run_at_once(
            task, launch, deps))

    def replay_at_once(self, task: Task, run: Callable[[], bool], deps: Sequence[Task]) -> bool:
        """Replay a small graph as any channel does, and note when."""
        _watch.history.submitting(task, self, deps)
        return self._at_once(task, lambda: super(WatchedChannel, self).replay_at_once(
            task, run, deps))

    def _at_once(self, task: Task, run: Callable[[], bool]) -> bool:
        history, begun = _watch.history, time.monotonic_ns()
        try:
            ran = run()
        except BaseException:
            history.ended(task)
            raise
        if ran:
            now = time.monotonic_ns()
            history.ran(task, (begun, now))
            history.command(task).returned = now
            _tell(history.command(task))
        return ran


def _tell(command: Any) -> None:
    """Tell Python's logging of a command that is submitted while somebody looks."""
    log.say("launch", log.DEBUG, "%s%s on '%s', queue %d", command.label,
            f" ({command.detail})" if command.detail else "", command.device, command.queue)


def compiled(what: str, begun: int, ended: int) -> None:
    """Note that the calling thread compiled a kernel between two times."""
    if _watch.looking:
        _watch.history.compiling(what, begun, ended)


def _part(name: str) -> Any:
    """Return a module that only recording needs."""
    return importlib.import_module(f"unisycl.observe.{name}")


def svg_of_queue(channel: Channel) -> str | None:
    """Return a picture of a queue's commands; None if there is nothing to show."""
    drawing = _part("picture").of_queue(channel)
    return drawing.to_svg() if drawing.boxes else None


def open_channel(*args: Any, **options: Any) -> Channel:
    """Return a new channel, watched while recording."""
    if not _watch.traced:
        _begin_trace()
    if not _watch.looking:
        return Channel(*args, **options)
    made = WatchedChannel(*args, **options)
    _changed(made)
    return made


def looking() -> bool:
    """Say whether submissions are noted at present."""
    return _watch.looking > 0


def history() -> Any:
    """Return what was noted since recording began."""
    return _watch.history


def host_holds(task: Task, access: Access) -> None:
    """Note that the host takes its turn at a memory: a host accessor; called under the lock."""
    if type(task) is Task:
        task.__class__ = WatchedTask
    _watch.history.holding(task, access)


def start() -> Any:
    """Begin to look; the history goes on while anybody does."""
    with _watch.lock:
        _watch.looking += 1
        if _watch.looking == 1:
            lifecycle.in_child(_after_fork)
            _watch.history = _part("history").History()
            _change_class(Channel, WatchedChannel)
        return _watch.history


def stop() -> None:
    """End what ``start`` began; channels are as before once nobody looks."""
    with _watch.lock:
        _watch.looking -= 1
        if not _watch.looking:
            _change_class(WatchedChannel, Channel)


def _change_class(old: type[Channel], new: type[Channel]) -> None:
    for channel in lifecycle.channels():
        if isinstance(channel, Channel) and type(channel) is old:
            channel.__class__ = new
            _changed(channel)


def _changed(channel: Channel) -> None:
    """Have what is launched pass ``run_at_once``, which notes it, if the channel is watched."""
    watched = isinstance(channel, WatchedChannel)
    channel.quick = channel.driver.quick or watched
    channel.repeats = channel.driver.repeats and not watched  # what repeats forgets is described
    channel.extends = channel.driver.extends and not (watched or channel.profiling)
    channel.driver.timed()


def _begin_trace() -> None:
    """Look from the first queue on if ``UNISYCL_TRACE`` says so, and write what was seen at exit.

    Done again in a forked child, which writes a file of its own.
    """
    with _watch.lock:
        if _watch.traced:
            return
        try:
            path = settings.TRACE.path()
        except ValueError as error:
            raise UsageError(errc.invalid, str(error)) from None
        _watch.traced = True
        lifecycle.in_child(_after_fork)
        if path is not None:
            if _watch.forked:
                path = path.with_suffix(f".{os.getpid()}{path.suffix}")
            found, file = start(), str(path)
            lifecycle.at_end(lambda: _part("timeline").write(file, found))


def _after_fork() -> None:
    """A child has a history and a file of its own."""
    global _watch
    _watch = _Watch()
    _watch.forked = True
    _watch.history = _part("history").History()  # for tasks of the parent that are collected here
