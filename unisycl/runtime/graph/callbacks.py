"""Functions called when a command has ended, and commands that the program ends itself.

Non-goals: commands that do work. Invariants: a callback runs once, on a thread of the runtime,
after the command whether it failed or not; a user's command that can no longer end fails.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from unisycl.base.errors import DeviceError, errc
from unisycl.runtime.graph import lifecycle, partners
from unisycl.runtime.graph.completions import Gate
from unisycl.runtime.graph.tasks import Line, Task
from unisycl.runtime.threads.per_process import process


class Callback(Task):
    """A task that runs a function of Python once another task has ended, whatever became of it."""

    __slots__ = ("_function", "_gate")

    def __init__(self, channel: Line | None, label: str, function: Callable[[], object]) -> None:
        super().__init__(channel, label)
        self._function: Callable[[], object] | None = function
        self._gate = Gate()
        self.occupy(self._gate)

    def after(self, task: Task) -> None:
        """Run after a task, soon if it has ended already; a queue's ``wait`` waits for it, too."""
        try:
            if self.channel is not None:
                self.channel.adopt(self)
            if task.done() or not task._add_dependent(self):
                self._unblock(task)
            partners.expect(task)
        except BaseException:
            function, self._function = self._function, None
            if function is not None:  # it has not begun and never will
                self._gate.finish()
            raise

    def _unblock(self, dep: Task | None) -> bool:
        process.executor.submit(self._run)
        return False

    def _run(self) -> None:
        function, self._function = self._function, None
        if function is None:
            return
        self._gate.owner = threading.get_ident()  # whoever waits for it in here is told
        error: BaseException | None = None
        try:
            function()
        except BaseException as err:  # noqa: BLE001 - becomes the callback's error
            error = err
        self._gate.owner = 0
        self._gate.finish(error)


def when_done(task: Task, function: Callable[[], object]) -> None:
    """Call a function once a task has ended."""
    Callback(None, "a callback", function).after(task)


class UserCommand:
    """A task that lasts until the program says so; ends with an error if it is forgotten."""

    __slots__ = ("__weakref__", "_gate", "_lock", "task")

    def __init__(self) -> None:
        self._gate = Gate()
        self._gate.at_exit = _forgotten("was not set before the program ended")
        self._lock = threading.Lock()
        self.task = Task(None, "a user event")
        self.task.occupy(self._gate)
        lifecycle.guard(self._gate)

    def end(self, error: BaseException | None) -> bool:
        """End it; say False if it had ended before."""
        with self._lock:
            if self._gate.done():
                return False
            self._gate.finish(error)
            return True

    def __del__(self) -> None:
        gate = getattr(self, "_gate", None)
        if gate is None or gate.done():
            return
        error = _forgotten("was let go of without being set")
        if process.lock.held():
            process.executor.submit(lambda: gate.finish(error))
        else:
            gate.finish(error)


def _forgotten(how: str) -> DeviceError:
    return DeviceError(errc.event, f"the user event {how}; keep it, and call set() or fail()")
