"""Events that the program itself completes, as OpenCL's user events (OpenCL 3.0 §3.3.7.5).

Non-goals: work. Invariant: an event that can no longer be set fails together with what depends on
it, instead of hanging.
"""

from __future__ import annotations

from typing import Any

from unisycl.api.queue.event import event
from unisycl.base.errors import DeviceError, UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.runtime.graph.callbacks import UserCommand


@ends_at_call
class user_event(event):
    """An event that commands may depend on, and that the program completes.

    Setting it makes everything this thread has done before visible to the commands that waited.
    Example::

        gate = unisycl.ext.unisycl.user_event()
        q.parallel_for(n, kernel, p, depends_on=gate)     # does not start yet
        p[:] = 1
        gate.set()                                        # now it does
    """

    __slots__ = ("_command",)

    def __init__(self) -> None:
        self._command = UserCommand()
        self.task = self._command.task

    def set(self) -> None:
        """Complete it; ``errc.invalid`` if it is complete already."""
        self._end(None, "set")

    def fail(self, why: Any = "the program said so") -> None:
        """End it with an error, so that what depends on it does not run.

        Args:
            why: a text, or an exception, which becomes the cause.
        """
        error = DeviceError(errc.event, f"a user event was failed: {why}")
        if isinstance(why, BaseException):
            error.__cause__ = why
        self._end(error, "fail")

    def _end(self, error: BaseException | None, what: str) -> None:
        if not self._command.end(error):
            raise UsageError(errc.invalid, f"{what}: this user event has ended already; make a new "
                             "one for what comes next")
