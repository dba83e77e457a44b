"""Replays of graphs that no single driver can order: those with host tasks.

Non-goals: graphs of one driver's commands (``command_graph`` starts those in a row). Invariants: a
step begins when those before it have ended, whatever else runs; the replay ends when all steps
have.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from unisycl.backends.base import Completion
from unisycl.runtime.graph.completions import Gate
from unisycl.runtime.graph.tasks import Task
from unisycl.runtime.threads.per_process import process


class Step(Protocol):
    """What is started by one call, after other steps."""

    before: set[int]

    def label(self) -> str:
        """What messages call it."""

    def native(self) -> bool:
        """Say whether its driver orders it after its own commands."""

    def start(self, deps: Sequence[Completion]) -> Completion:
        """Start it after completions of its driver."""


class _Countdown(Task):
    """Calls a function when all of some tasks have ended; each unblocks it."""

    __slots__ = ("_finish", "_left")

    def __init__(self, tasks: Sequence[Task], finish: Callable[[], None]) -> None:
        super().__init__(None, "the end of a graph")
        self._left: set[Task | None] = {None, *tasks}
        self._finish = finish

    def _unblock(self, dep: Task | None) -> bool:
        self._left.discard(dep)
        if not self._left:
            process.executor.submit(self._finish)
        return False


def begin(steps: Sequence[Step], driver: Any) -> Completion:
    """Start a replay: every step as a task of its own, which waits for what it needs only."""
    gate, started = Gate(), time.monotonic_ns()
    tasks = [Task(None, s.label(), driver if s.native() else None) for s in steps]

    def finish() -> None:
        gate.times = (started, time.monotonic_ns())
        gate.finish(next((t.error for t in tasks if t.error is not None and t.root is None), None))
    end = _Countdown(tasks, finish)
    for step, task in zip(steps, tasks, strict=True):
        deps = tuple(tasks[k] for k in sorted(step.before))
        task.explicit = deps
        task.enqueue(deps, step.start)
        if task.done() or not task._add_dependent(end):
            end._unblock(task)
    end._unblock(None)
    return gate
