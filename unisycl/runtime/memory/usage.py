"""Bursts of use: what happens before the first and after the last of overlapping commands.

A lock given by the user is held so (SYCL 2020 §4.7.2.3), and SYCL 1.2 storage objects are told so.
Non-goals: which commands use a memory. Invariants: begin and end alternate strictly and run on
threads of the runtime, with no lock of ours held; submitting never waits for them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from unisycl.runtime.graph.completions import Gate
from unisycl.runtime.graph.lifecycle import call_quietly
from unisycl.runtime.graph.tasks import Task, begin_python
from unisycl.runtime.threads.per_process import process


class _Burst:
    """One stretch of use: the task that opens it, how many are inside, the gate that ends it."""

    __slots__ = ("closed", "inside", "opening")

    def __init__(self) -> None:
        self.opening = Task(None, "taking a buffer into use")
        self.inside = 0
        self.closed = Task(None, "a buffer still in use")
        self.closed.occupy(Gate())


class Usage:
    """Calls ``begin`` before the first command that uses something and ``end`` after the last.

    ``idle`` is called when a burst is over and no other has begun.
    """

    def __init__(self, begin: Callable[[], None], end: Callable[[], None],
                 idle: Callable[[], None] | None = None) -> None:
        self._begin = begin
        self._end = end
        self._idle = idle
        self._lock = threading.Lock()
        self._burst: _Burst | None = None
        self._before: _Burst | None = None

    def enter(self, task: Task) -> Task:
        """Count a command in; return the task it has to wait for. Never blocks."""
        with self._lock:
            burst, fresh = self._burst, self._burst is None
            if burst is None:
                burst = self._burst = _Burst()
            burst.inside += 1
            before = self._before
            if fresh:
                self._before = burst
        if fresh:
            deps = () if before is None else (before.closed,)
            burst.opening.enqueue(deps, begin_python(self._begin))
        process.executor.watch(_Leaving(self, burst, task))
        return burst.opening

    def leave(self, burst: _Burst) -> None:
        """Count a command out; the last one ends the burst."""
        with self._lock:
            burst.inside -= 1
            if burst.inside:
                return
            self._burst = None
        process.executor.submit(lambda: self._close(burst))

    def _close(self, burst: _Burst) -> None:
        burst.opening.wait()
        call_quietly(self._end)
        gate = burst.closed.completion
        if isinstance(gate, Gate):
            gate.finish()
        with self._lock:
            over = self._before is burst
            if over:
                self._before = None
        if over and self._idle is not None:
            call_quietly(self._idle)

    def idle(self) -> bool:
        """Say whether no burst is under way."""
        with self._lock:
            return self._burst is None and self._before is None

    def last(self) -> Task | None:
        """Return the task that ends with the latest burst; None if all have ended."""
        with self._lock:
            return None if self._before is None else self._before.closed


class _Leaving:
    """Watches one command until it has ended."""

    __slots__ = ("_burst", "_task", "_usage")

    def __init__(self, usage: Usage, burst: _Burst, task: Task) -> None:
        self._usage = usage
        self._burst = burst
        self._task = task

    def done(self) -> bool:
        """Say whether the command has ended; tell the usage if so."""
        if not self._task.done():
            return False
        self._usage.leave(self._burst)
        return True

    def pause(self, seconds: float) -> None:
        """Block until it may have ended, at most so long."""
        self._task.pause(seconds)
