"""Completions that Python itself ends: gates closed by hand, and joins of several others.

Non-goals: the completions of drivers. Invariant: built on bare locks only, so that a finaliser may
end or ask one whatever its thread was doing.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Sequence
from typing import NoReturn, Protocol

from unisycl.backends.base import Completion
from unisycl.base.errors import UsageError, errc


class Settles(Protocol):
    """The task that a gate ends."""

    def done(self) -> bool:
        """Settle if the gate is open."""


class Prompt(functools.partial[Completion]):
    """A way to begin that blocks nobody: the runtime's thread that finds it possible does it."""

    __slots__ = ()


class Gate:
    """A completion that Python ends by hand; built on one bare lock, safe in finalisers.

    ``owner`` is the thread that holds it open; ``at_exit`` what it ends with at interpreter exit.
    """

    __slots__ = ("__weakref__", "_done", "_error", "_lock", "at_exit", "owner", "task",
                 "thread", "times")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()
        self._done = False
        self._error: BaseException | None = None
        self.times = (0, 0)
        self.owner = 0
        self.at_exit: BaseException | None = None
        self.thread = 0
        self.task: Settles | None = None

    def finish(self, error: BaseException | None = None) -> None:
        """End the command; the first call counts, later ones do what Ctrl-C made it leave."""
        if not self._done:
            self._error = error
            self._done = True
            if self._lock.locked():
                self._lock.release()
        task = self.task
        if task is not None:
            task.done()

    def done(self) -> bool:
        """Say whether it has ended."""
        return self._done

    def wait(self, timeout: float | None = None) -> bool:
        """Block until it ends or so many seconds pass."""
        if not self._done and self._lock.acquire(timeout=-1 if timeout is None else timeout):
            self._lock.release()
        return self._done

    def error(self) -> BaseException | None:
        """Return what it failed with."""
        return self._error

    def profile(self) -> tuple[int, int]:
        """Return its start and end, in ns."""
        return self.times


class Recorded:
    """Stands where a completion would, for a command that was recorded and not submitted."""

    __slots__ = ("node",)

    def __init__(self, node: object) -> None:
        self.node = node

    def _refuse(self) -> NoReturn:
        raise UsageError(errc.invalid, "this event belongs to a command that a graph recorded; it "
                         "has no state of its own: finalize the graph, submit it, and use that "
                         "event")

    def done(self) -> bool:
        """Refuse: the command never runs by itself."""
        self._refuse()

    def wait(self, timeout: float | None = None) -> bool:
        """Refuse: the command never runs by itself."""
        self._refuse()

    def error(self) -> BaseException | None:
        """Refuse: the command never runs by itself."""
        self._refuse()

    def profile(self) -> tuple[int, int]:
        """Refuse: the command never runs by itself."""
        self._refuse()


class Join:
    """Ends when all of several completions have; a command that does nothing waits this way.

    Each is asked until it has ended and never again: of joins of joins, as barriers behind barriers
    are, the time to ask would double with each.
    """

    __slots__ = ("_ended", "_last", "_left")

    def __init__(self, completions: Sequence[Completion]) -> None:
        self._left = list(completions)
        self._ended = self._last = 0

    def done(self) -> bool:
        """Say whether all have ended."""
        left, at = self._left, self._ended
        while at < len(left) and left[at].done():
            at += 1
        self._ended = at  # what another thread found may be lost, and is found again
        return at == len(left)

    def wait(self, timeout: float | None = None) -> bool:
        """Block until all have ended or so many seconds pass."""
        end = None if timeout is None else time.monotonic() + timeout
        for at in range(self._ended, len(self._left)):
            left = None if end is None else max(0.0, end - time.monotonic())
            if not self._left[at].wait(left):
                return False
            self._ended = at + 1
        return True

    def error(self) -> BaseException | None:
        """Return None: the task finds the errors of its predecessors itself."""
        return None

    def profile(self) -> tuple[int, int]:
        """Return the end of the last, twice: the command itself takes no time."""
        if self._last:
            return self._last, self._last
        end = max((c.profile()[1] for c in self._left), default=0)
        if self._ended == len(self._left):
            self._last = end
        return end, end


class Ends(Join):
    """The ends of a graph: it fails if one of them does."""

    __slots__ = ()

    def error(self) -> BaseException | None:
        """Return the first error."""
        return next((e for c in self._left if (e := c.error()) is not None), None)


def ended() -> Gate:
    """Return a completion that has ended now."""
    gate = Gate()
    now = time.monotonic_ns()
    gate.times = (now, now)
    gate.finish()
    return gate
