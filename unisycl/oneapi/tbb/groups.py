"""Groups of tasks: run them, wait for them, cancel them; in the order of queues, too.

Non-goals: who runs tasks (``workers``). Invariant: what a task raises is raised where its group is
awaited, once, and tasks of the group that have not begun by then are not run.
"""

from __future__ import annotations

import enum
import threading
from collections.abc import Callable, Sequence
from typing import Any

import unisycl as sycl
from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi.frame.refusals import refuse
from unisycl.oneapi.tbb.workers import Batch, current, here


class task_group_status(enum.Enum):
    """How a group ended, as ``task_group.wait`` says it."""

    not_complete = 0
    complete = 1
    canceled = 2


class task_group_context:
    """What cancels groups and loops together; a context inside another one is cancelled with it.

    A context made in a task is inside of its group's, unless it is ``isolated``.
    """

    bound, isolated = "bound", "isolated"

    def __init__(self, kind: str = bound) -> None:
        outer = here.group if kind == self.bound else None
        self._outer: Any = outer
        self._cancelled = False
        self._lock = threading.Lock()

    def cancel_group_execution(self) -> bool:
        """Run no further tasks of the context; return False where somebody had said so."""
        with self._lock:
            first, self._cancelled = not self._cancelled, True
        return first

    def is_group_execution_cancelled(self) -> bool:
        """Say whether the context, or one around it, was cancelled."""
        return self._cancelled or (self._outer is not None and self._outer.cancelled())

    def reset(self) -> None:
        """Let the context be used again; nothing of it may run."""
        self._cancelled = False

    def __repr__(self) -> str:
        state = "cancelled" if self.is_group_execution_cancelled() else "active"
        return f"<task_group_context {state}>"


def batch_of(context: task_group_context | None = None) -> Batch:
    """Return a batch in the calling thread's arena, which a context cancels."""
    batch = Batch(current())
    found = task_group_context() if context is None else context
    batch.cancelled = found.is_group_execution_cancelled
    batch.failed = found.cancel_group_execution
    return batch


class task_handle:
    """A task that is not run yet (``task_group.defer``)."""

    def __init__(self, group: task_group, task: Callable[[], object]) -> None:
        self._group, self._task = group, task


class task_group:
    """Tasks that run beside each other: Python functions on threads, kernels by queues.

    ``with tbb.task_group() as g: g.run(f)`` waits in the end. Python functions share the
    interpreter's lock where there is one; kernels, NumPy and files do not.

    Args:
        context: what cancels it; left out, one of its own.
    """

    def __init__(self, context: task_group_context | None = None) -> None:
        self._context = task_group_context() if context is None else context
        self._batch = batch_of(self._context)

    def run(self, task: Callable[[], object] | task_handle, *,
            depends_on: Sequence[sycl.event] = ()) -> None:
        """Start a task; behind events of queues where it is told which.

        Args:
            task: a function without arguments, or what ``defer`` returned.
            depends_on: events that have to be complete before; one that failed fails the group.
        """
        if isinstance(task, task_handle):
            if task._group is not self:
                refuse("task_group.run", "the task was deferred by another group")
            task = task._task
        if not callable(task):
            refuse("task_group.run", f"a task is a function without arguments, not {task!r}")
        if depends_on:
            self._batch.put_behind(depends_on, task)
        else:
            self._batch.put(task)

    def defer(self, task: Callable[[], object]) -> task_handle:
        """Return a task to be run later."""
        return task_handle(self, task)

    @ends_at_call
    def wait(self) -> task_group_status:
        """Wait for all tasks, helping them; return whether the group was cancelled.

        Raises what the first failed task raised; the others' number is a note of it.
        """
        try:
            self._batch.wait()
        except BaseException:
            self._context.reset()
            raise
        if self._context.is_group_execution_cancelled():
            self._context.reset()
            return task_group_status.canceled
        return task_group_status.complete

    def run_and_wait(self, task: Callable[[], object]) -> task_group_status:
        """Run a task and wait for the group."""
        self.run(task)
        return self.wait()

    def cancel(self) -> None:
        """Run none of the tasks that have not begun."""
        self._context.cancel_group_execution()

    def event(self, queue: sycl.queue) -> sycl.event:
        """Return an event of a queue that is complete when the group is, for ``depends_on``."""
        return queue.submit(lambda h: h.host_task(self.wait))

    def __enter__(self) -> task_group:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is not None:
            self.cancel()
            self._batch.errors.clear()
        self.wait()

    def __repr__(self) -> str:
        return f"<task_group with {self._batch.pending} tasks to end>"


def is_current_task_group_canceling() -> bool:
    """Say whether the group whose task the calling thread runs was cancelled."""
    return here.group is not None and here.group.cancelled()


@ends_at_call
def parallel_invoke(*tasks: Callable[[], object],
                    context: task_group_context | None = None) -> None:
    """Run functions beside each other and wait for them.

    Args:
        tasks: two functions without arguments, or more.
        context: what cancels it.
    """
    if len(tasks) < 2:
        refuse("parallel_invoke", f"needs two functions at least, got {len(tasks)}")
    batch = batch_of(context)
    for task in tasks:
        batch.arena.put(batch, task)
    batch.wait()
