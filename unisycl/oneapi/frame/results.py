"""What a routine returns when it is asked not to wait: its end, and what it will have found.

Non-goals: chains of what to do next; events are for that. Invariant: memory that the commands use
lives until they have ended.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import unisycl as sycl
from unisycl.base.tracebacks import ends_at_call


class future:
    """The end of a routine that was not waited for; ``get`` returns what it found.

    Give it to ``depends_on`` of any routine, or its event to any command.
    """

    def __init__(self, event: sycl.event, value: Callable[[], Any], kept: Any) -> None:
        self._event, self.value, self._kept = event, value, kept

    @ends_at_call
    def get(self, replay: sycl.event | None = None) -> Any:
        """Wait, and return what the routine returns when it is waited for.

        Args:
            replay: of a routine that a command graph recorded, the event of a run of the graph:
                what that run found, until the next one begins.
        """
        if replay is not None and not self._recorded():
            raise sycl.UsageError(
                sycl.errc.invalid, "get: no command graph recorded this routine, so it has one "
                "end; call get() without an event")
        if replay is None and self._recorded():
            raise sycl.UsageError(
                sycl.errc.invalid, "get: a command graph recorded this routine, which runs with "
                "the graph; give the event of a run, get(queue.ext_oneapi_graph(executable)), for "
                "what that run found")
        (self._event if replay is None else replay).wait()
        return self.value()

    def _recorded(self) -> bool:
        """Say whether a command graph has the routine's last command, which has no state then."""
        try:
            self._event.get_info(sycl.info.event.command_execution_status)
        except sycl.UsageError:
            return True
        return False

    def wait(self) -> None:
        """Wait for the routine's last command."""
        self._event.wait()

    def get_event(self) -> sycl.event:
        """Return the event of the routine's last command."""
        return self._event


def events_of(given: Any) -> list[sycl.event]:
    """Return the events that ``depends_on`` names: events, futures, lists of them."""
    if given is None or given == ():  # nearly always, and asking what it is takes long
        return []
    if isinstance(given, future):
        return [given.get_event()]
    if isinstance(given, sycl.event):
        return [given]
    if isinstance(given, Sequence) and not isinstance(given, str | bytes):
        return [e for one in given for e in events_of(one)]
    raise sycl.UsageError(sycl.errc.invalid, "depends_on: expected events or futures, got "
                          f"{type(given).__name__}")


def behind(args: tuple[Any, ...], count: int, given: Any) -> tuple[tuple[Any, ...], Any]:
    """Return a routine's own arguments, and the events that may stand behind ``count`` of them."""
    if len(args) != count + 1 or given:
        return args, given
    last = args[-1]
    are = isinstance(last, sycl.event | future) or (isinstance(last, list | tuple) and all(
        isinstance(e, sycl.event | future) for e in last))
    return (args[:-1], last) if are else (args, given)
