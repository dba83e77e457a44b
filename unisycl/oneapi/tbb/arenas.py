"""Arenas: how many threads take part, for all tasks or for some.

Non-goals: tasks themselves. Invariant: what is executed in an arena runs its tasks there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi.frame.refusals import refuse, whole
from unisycl.oneapi.tbb.groups import batch_of, task_group
from unisycl.oneapi.tbb.workers import Arena, current, defaults, here

_T = TypeVar("_T")


class task_arena:
    """A number of threads of its own for what is executed in it.

    Args:
        max_concurrency: how many threads take part, the caller's among them; left out, as many as
            there are processors.
    """

    automatic = -1

    def __init__(self, max_concurrency: int = automatic) -> None:
        self._wanted = max_concurrency if max_concurrency == self.automatic else whole(
            "task_arena", "max_concurrency", max_concurrency, 1)
        self._arena: Arena | None = None
        self._lock = threading.Lock()

    def initialize(self) -> None:
        """Make the arena, which is done when it is first used otherwise."""
        self._made()

    def _made(self) -> Arena:
        with self._lock:
            if self._arena is None:
                self._arena = Arena(self.max_concurrency(), strict=True)
            return self._arena

    def is_active(self) -> bool:
        """Say whether the arena is made."""
        return self._arena is not None

    def max_concurrency(self) -> int:
        """Return how many threads take part at most."""
        return defaults.concurrency() if self._wanted == self.automatic else self._wanted

    @ends_at_call
    def execute(self, body: Callable[[], _T]) -> _T:
        """Call a function whose tasks run in this arena; return what it returns.

        The caller is one of the arena's threads meanwhile, and waits until there is a place.
        """
        arena = self._made()
        entered = arena.enter()
        outer, index, placed = here.arena, here.index, here.placed
        here.arena, here.index, here.placed = arena, 0, arena
        try:
            return body()
        finally:
            here.arena, here.index, here.placed = outer, index, placed
            if entered:
                arena.leave()

    def enqueue(self, task: Callable[[], object], group: task_group | None = None) -> None:
        """Start a task in this arena without waiting; as one of a group if one is given.

        What a task without a group raises is shown as an uncaught exception of a thread.
        """
        if not callable(task):
            refuse("task_arena.enqueue", f"a task is a function, not {task!r}")
        outer, here.arena = here.arena, self._made()
        try:
            if group is not None:
                group.run(task)
            else:
                batch_of().put(lambda: _shown(task))
        finally:
            here.arena = outer

    def terminate(self) -> None:
        """Let the arena's threads end; it is made anew when it is used again."""
        with self._lock:
            if self._arena is not None:
                self._arena.close()
            self._arena = None

    def __repr__(self) -> str:
        return f"task_arena({self.max_concurrency()})"


def _shown(task: Callable[[], object]) -> None:
    """Run what nobody waits for."""
    try:
        task()
    except Exception as error:  # noqa: BLE001 - nobody would see it
        threading.excepthook(threading.ExceptHookArgs((
            type(error), error, error.__traceback__, threading.current_thread())))


class global_control:
    """As long as it lives, arenas that name no number have so many threads at most.

    Use it by ``with``, or call ``release``. Of several the least counts.

    Args:
        max_allowed_parallelism: the number of threads.
    """

    def __init__(self, max_allowed_parallelism: int) -> None:
        self._limit = whole("global_control", "max_allowed_parallelism", max_allowed_parallelism, 1)
        self._held = True
        defaults.limits.append(self._limit)

    @staticmethod
    def active_value() -> int:
        """Return how many threads are allowed now."""
        return defaults.concurrency()

    def release(self) -> None:
        """Take the limit back."""
        if self._held:
            defaults.limits.remove(self._limit)
        self._held = False

    def __enter__(self) -> global_control:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


class this_task_arena:
    """About the arena of the calling thread."""

    @staticmethod
    def current_thread_index() -> int:
        """Return the thread's number in its arena; -1 outside of one."""
        return here.index

    @staticmethod
    def max_concurrency() -> int:
        """Return how many threads its arena has at most."""
        return current().concurrency

    @staticmethod
    def isolate(body: Callable[[], _T]) -> _T:
        """Call a function; who waits in it runs no other tasks, which holds here everywhere."""
        return body()

    @staticmethod
    def enqueue(task: Callable[[], object]) -> None:
        """Start a task in the thread's arena without waiting for it."""
        batch = batch_of()
        batch.arena.put(batch, lambda: _shown(task))
