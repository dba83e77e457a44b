"""What each process has one of: the lock of the graph, the threads, and a number of its own.

Non-goals: what is queued and which devices there are (``lifecycle`` has those start afresh).
Invariant: after a fork nothing here is the parent's.
"""

from __future__ import annotations

import _thread

from unisycl.runtime.threads.executor import Executor


class GraphLock(_thread.RLock):  # type: ignore[misc]  # final to the type checker only
    """The one lock of the graph; knows its owner, since a finaliser may run while it is held.

    Entered and left by C code: Ctrl-C cannot come between its being taken and its block.
    """

    __slots__ = ()

    def held(self) -> bool:
        """Say whether the calling thread is inside the lock."""
        return bool(self._is_owned())  # type: ignore[attr-defined]  # what Condition uses


class _Process:
    """What a fork must replace: the lock, the threads, and the number of the process."""

    def __init__(self) -> None:
        self.generation = 0
        self.lock = GraphLock()
        self.executor = Executor()

    def renew(self) -> None:
        """Start afresh in a forked child: the parent's threads do not exist here."""
        self.generation += 1
        self.lock = GraphLock()
        self.executor = Executor()


process = _Process()
