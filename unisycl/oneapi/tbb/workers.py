"""Threads that run tasks: an arena's workers, and who waits for a group helps it.

Non-goals: what tasks are made of (``groups``, ``loops``). Invariants: a thread that waits for a
group runs tasks of that group alone, so that waiting inside of tasks neither blocks nor nests
without end; all of an arena is changed under its one lock.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

Task = Callable[[], object]


class Seat(threading.local):
    """Where a thread is: its arena, its number there, and the group whose task it runs."""

    arena: Arena | None = None
    index: int = -1
    group: Any = None


here = Seat()


class Arena:
    """Workers for tasks; the thread that waits takes part, so there is one fewer of them."""

    def __init__(self, concurrency: int) -> None:
        self.concurrency = concurrency
        self.changed = threading.Condition()
        self._work: deque[Batch] = deque()  # once for each task; a helper may have taken it
        self._workers = 0
        self._idle = 0
        self._closed = False

    def put(self, batch: Batch, task: Task) -> None:
        """Give a task to the workers."""
        with self.changed:
            batch.ready.append(task)
            batch.pending += 1
            self._work.append(batch)
            if self._idle:
                self.changed.notify()
            elif self._workers < max(1, self.concurrency - 1):
                self._workers += 1
                threading.Thread(target=self._run, args=(self._workers,), daemon=True,
                                 name=f"tbb worker {self._workers}").start()
            self._closed = False

    def _run(self, index: int) -> None:
        here.arena, here.index = self, index
        while True:
            with self.changed:
                while not self._work and not self._closed:
                    self._idle += 1
                    self.changed.wait()
                    self._idle -= 1
                if not self._work:
                    self._workers -= 1
                    return
                batch = self._work.popleft()
                task = batch.ready.popleft() if batch.ready else None
            if task is not None:
                batch.run(task)

    def close(self) -> None:
        """Let the workers end once nothing is left to do."""
        with self.changed:
            self._closed = True
            self.changed.notify_all()


class Batch:
    """Tasks that somebody waits for together."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self.ready: deque[Task] = deque()
        self.pending = 0
        self.outside = 0  # what is awaited and is no task of ours
        self.errors: list[BaseException] = []
        self.cancelled: Callable[[], bool] = lambda: False
        self.failed: Callable[[], object] = lambda: None

    def run(self, task: Task) -> None:
        """Run a task that was taken; keep what it raises."""
        outer, here.group = here.group, self
        try:
            if not self.cancelled():
                task()
        except BaseException as error:  # noqa: BLE001 - raised where the batch is awaited
            self.fail(error)
        finally:
            here.group = outer
            with self.arena.changed:
                self.pending -= 1
                if not self.pending:
                    self.arena.changed.notify_all()

    def fail(self, error: BaseException) -> None:
        """Keep an error, and cancel what has not begun."""
        with self.arena.changed:
            self.errors.append(error)
        self.failed()

    def await_outside(self, count: int) -> None:
        """Count what has to come from elsewhere before the batch has ended."""
        with self.arena.changed:
            self.outside += count
            self.arena.changed.notify_all()

    def wait(self) -> None:
        """Run this batch's tasks until all have ended; raise what the first failed one raised."""
        arena, seat = self.arena, here.arena
        here.arena = arena
        try:
            while True:
                with arena.changed:
                    while not self.ready and (self.pending or self.outside):
                        arena.changed.wait()
                    if not self.ready:
                        break
                    task = self.ready.popleft()
                self.run(task)
        finally:
            here.arena = seat
        if self.errors:
            with arena.changed:
                first, more = self.errors[0], len(self.errors) - 1
                self.errors = []
            if more:
                first.add_note(f"{more} more tasks of the same group failed")
            raise first


class Defaults:
    """The arena of threads that are in none, and how many threads any may have."""

    def __init__(self) -> None:
        self.limits: list[int] = []
        self._arena: Arena | None = None
        self._process = os.getpid()
        self._lock = threading.Lock()

    def concurrency(self) -> int:
        """Return how many threads an arena has that names no number."""
        processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") \
            else os.cpu_count() or 1
        return min([processors if not self.limits else max(self.limits), *self.limits])

    def arena(self) -> Arena:
        """Return the default arena: another one in a forked child, whose threads are gone."""
        with self._lock:
            count = self.concurrency()
            if self._arena is None or self._process != os.getpid() \
                    or self._arena.concurrency != count:
                if self._arena is not None and self._process == os.getpid():
                    self._arena.close()
                self._arena, self._process = Arena(count), os.getpid()
            return self._arena


defaults = Defaults()


def current() -> Arena:
    """Return the arena that the calling thread is in."""
    return here.arena or defaults.arena()
