"""A launch prepared once and submitted many times: ``kernel.bind`` and ``queue.bind``.

Non-goals: changing arguments afterwards (bind again; it is cheap). Invariant: a submission runs
what was bound, whatever happens later to the function's globals and captures; where the function
itself has changed or its module was loaded anew, a warning says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import FunctionType
from typing import Any

from unisycl.api.queue.event import event, tasks_of
from unisycl.base.errors import KernelWarning
from unisycl.base.tracebacks import RAISED, shorten
from unisycl.process.callers import as_done
from unisycl.runtime.graph import repeated
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.tasks import Task, check_process
from unisycl.runtime.launch import launch
from unisycl.runtime.memory import usm
from unisycl.runtime.threads.per_process import process


class _Origin:
    """The function of a bound kernel, and its global name."""

    __slots__ = ("_code", "_function", "_names", "_object")

    def __init__(self, kernel: Any) -> None:
        found = _function_of(kernel)
        self._function = found or _function_of
        self._code = self._function.__code__
        self._names = found.__globals__ if found is not None else {}
        name = self._function.__name__
        self._object = self._names.get(name)
        if _function_of(self._object) is not found:
            self._names, self._object = {}, None

    def changed(self) -> bool:
        """Say whether another function would be called now; quick where nothing happened."""
        function = self._function
        if function.__code__ is self._code and self._names.get(
                function.__name__) is self._object:
            return False
        now = _function_of(self._names.get(function.__name__)) or function
        differs = now.__code__ != self._code
        self._code = function.__code__
        self._object = self._names.get(function.__name__)
        return differs


def _function_of(kernel: Any) -> FunctionType | None:
    """Return the Python function of a kernel; None of an object that is called."""
    found = getattr(kernel, "function", kernel)
    return found if isinstance(found, FunctionType) else None


class bound_kernel:
    """A kernel with its queue, index space and arguments; call it to launch it.

    Checks and conversions were done when it was made, so a call costs its thread about a third of
    ``queue.parallel_for``. It keeps its memory alive. Made by ``queue.bind`` or ``kernel.bind``.
    """

    __slots__ = ("_again", "_begin", "_blocks", "_channel", "_event", "_launch", "_name",
                 "_origin")
    __kernel_refusal__ = "launch bound kernels from the host"

    def __init__(self, channel: Channel, made: launch.Launch, name: str,
                 event_of: Callable[[Task], event] = event._of, kernel: Any = None) -> None:
        self._channel = channel
        self._origin = _Origin(kernel)
        self._launch = made
        made.where = as_done(made.where, "bound")
        self._begin = launch.begin_launch(channel, made)
        self._again = None if launch.needs_more(made) else repeated.Again(
            made, self._begin, name, channel.driver)
        self._name = name
        self._event = event_of
        self._blocks = tuple(usm.lasting(made.raw))

    def __call__(self, depends_on: Any = ()) -> event:
        """Submit the kernel once more; raises ``errc.invalid`` if its USM memory was freed.

        The same if an I/O pipe that it uses was closed.

        Args:
            depends_on: an event or a list of events to wait for.
        """
        try:
            channel = self._channel
            if channel.generation != process.generation:
                check_process(channel)
            if self._origin.changed():
                warnings.warn(
                    f"bound kernel '{self._name}' runs the code that it was bound with, and its "
                    "function has been changed since: bind it again", KernelWarning, stacklevel=2)
            for block in self._blocks:
                if block.freed:
                    block.bytes()
            again = self._again
            if again is not None and (run := again.run) is not None and channel.repeats and not (
                    depends_on or channel.profiling):
                task = repeated.at_once(channel, self._name, run)
                if task is not None:
                    return self._event(task)
            if again is not None and channel.extends and not depends_on:
                return self._event(repeated.submit(channel, again, self._launch, self._begin))
            return self._event(launch.start(
                channel, self._launch, self._name,
                tasks_of(depends_on, recording=channel.recorder is not None) if depends_on else (),
                self._begin))
        except RAISED as error:
            shorten(error)
            raise

    def __repr__(self) -> str:
        geometry = self._launch.geometry.launched
        extent = " x ".join(map(str, geometry.global_))
        return f"<bound kernel '{self._name}' over {extent} on {self._channel.device.name}>"
