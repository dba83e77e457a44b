"""Which commands of a processor are short enough to be waited for inside the driver.

There the waiting thread itself works, or sleeps until the very end, so it goes on 10 to 50
microseconds sooner than one that looks again and again; but Ctrl-C waits for the end of the
command, too. So only kernels are waited for so that were short the last time over the same index
space and whose loops have constant bounds, so that they are short again, behind nothing else, while
every other command of the device is such a kernel as well: the driver might take up one of those
that are not. Non-goals: graphics cards, whose commands a thread may poll. Invariant: what is not
known to be short is waited for by looking.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Sequence
from typing import Any, Protocol

from unisycl.ir import visit
from unisycl.ir.nodes import Const, For, Kernel, Stmt, While

_SHORT = 3_000_000
_MOST = 20_000_000  # so long Ctrl-C may wait, if all is as it was the last time
_LOOK = 64


class Habit:
    """How long a kernel over one index space took last, in ns; 0 if that was long, or never seen.

    With a loop whose end is an argument, or none, it may take any time the next time.
    """

    __slots__ = ("_bounded", "ns")

    def __init__(self, kernel: Kernel) -> None:
        self._bounded = not kernel.waits and all(map(_bounded, visit.statements(kernel.body)))
        self.ns = 0

    def note(self, spent: int) -> None:
        """Remember what a launch took, from its submission to its end as somebody saw it."""
        self.ns = max(spent, 1) if self._bounded and spent < _SHORT else 0


def _bounded(statement: Stmt) -> bool:
    if isinstance(statement, For):
        return all(isinstance(x, Const) for x in (statement.start, statement.stop, statement.step))
    return not isinstance(statement, While)


class Paced(Protocol):
    """The end of a command, as far as its time is known."""

    habit: Habit | None
    born: int
    count: int
    ahead: int

    def done(self) -> bool:
        """Say whether the command has ended; never blocks."""


class Pace:
    """The commands of one device that may take long; it keeps none of what these use."""

    def __init__(self) -> None:
        self._slow: list[weakref.ref[Paced]] = []
        self._limit = _LOOK
        self.off = False
        """Whether the program gives the device commands of its own, which nobody knows."""

    def begun(self, completion: Paced, habit: Habit | None, deps: Sequence[Any]) -> None:
        """Note a command that was begun after others."""
        if habit is not None:
            completion.habit = habit
            completion.born = time.monotonic_ns()
            ahead, count = habit.ns, 1
            for dep in deps:
                count += dep.count
                ahead = ahead and dep.ahead and ahead + dep.ahead
            completion.count = count
            if ahead:
                completion.ahead = ahead
                return
        slow = self._slow
        slow.append(weakref.ref(completion))
        if len(slow) > self._limit:
            self._forget()
            self._limit = _LOOK + 2 * len(self._slow)

    def _forget(self) -> None:
        self._slow = [r for r in self._slow if (c := r()) is not None and not c.done()]

    def short(self, ahead: int) -> bool:
        """Say whether a command may be waited for in the driver; ``ahead``: it and those before."""
        if self.off or not 0 < ahead < _MOST:
            return False
        if self._slow:
            self._forget()
        return not self._slow
