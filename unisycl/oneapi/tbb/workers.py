"""Threads that run tasks: an arena's workers, and who waits for a group helps it.

Non-goals: what tasks are made of (``groups``, ``loops``). Invariants: a thread that waits for a
group runs tasks of that group alone, so that waiting inside of tasks neither blocks nor nests
without end; all of an arena is changed under its one lock.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import unisycl as sycl

Task = Callable[[], object]
_MOST_WATCHERS = 1024


class Seat(threading.local):
    """Where a thread is: its arena, its number there, and the group whose task it runs."""

    arena: Arena | None = None
    index: int = -1
    group: Any = None
    placed: Arena | None = None
    """The arena whose tasks it runs: it counts among that one's threads."""


here = Seat()


class Arena:
    """Workers for tasks; the thread that waits takes part, so there is one fewer of them.

    Args:
        concurrency: how many threads take part.
        strict: whether no more ever do, whoever waits. Else each thread that waits may run its own
            tasks, so that threads of a program do not wait for one another.
    """

    def __init__(self, concurrency: int, *, strict: bool = False) -> None:
        self.concurrency = concurrency
        self.places = concurrency if strict else sys.maxsize
        self.running = 0
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
                while not (self._work and self.running < self.places) and not (
                        self._closed and not self._work):
                    self._idle += 1
                    self.changed.wait()
                    self._idle -= 1
                if not self._work:
                    self._workers -= 1
                    return
                batch = self._work.popleft()
                task = batch.ready.popleft() if batch.ready else None
                self.running += task is not None
            if task is not None:
                self._placed(batch, task)

    def _placed(self, batch: Batch, task: Task) -> None:
        """Run a task in a place that is taken, and let the place go."""
        here.placed = self
        try:
            batch.run(task)
        finally:
            here.placed = None
            self.leave()

    def leave(self) -> None:
        """Let a place go to who waits for one."""
        with self.changed:
            self.running -= 1
            if self.places != sys.maxsize:
                self.changed.notify_all()

    def enter(self) -> bool:
        """Wait for a place in a strict arena; say whether it was taken and has to be left."""
        if here.placed is self or self.places == sys.maxsize:
            return False
        with self.changed:
            while self.running >= self.places:
                self.changed.wait()
            self.running += 1
        return True

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

    def put(self, task: Task) -> None:
        """Give a task to the workers; nobody's tasks go to the arena that the caller is in."""
        arena = current()
        if arena is not self.arena:
            with self.arena.changed:
                if not (self.pending or self.outside):
                    self.arena = arena
        self.arena.put(self, task)

    def put_behind(self, events: Sequence[sycl.event], task: Task) -> None:
        """Give a task to the workers once events are complete; no worker waits for them."""
        self.await_outside(1)
        watchers.submit(self._watch, tuple(events), task)

    def _watch(self, events: Sequence[sycl.event], task: Task) -> None:
        try:
            for event in events:
                event.wait_and_throw()
            self.arena.put(self, task)
        except BaseException as error:  # noqa: BLE001 - raised where the batch is awaited
            self.fail(error)
        finally:
            self.await_outside(-1)

    def await_outside(self, count: int) -> None:
        """Count what has to come from elsewhere before the batch has ended."""
        with self.arena.changed:
            self.outside += count
            self.arena.changed.notify_all()

    def wait(self) -> None:
        """Run this batch's tasks until all have ended; raise what the first failed one raised."""
        arena, seat, placed = self.arena, here.arena, here.placed
        counts = placed is not arena  # else the thread has a place there
        here.arena = here.placed = arena
        try:
            while True:
                with arena.changed:
                    while (not self.ready or (counts and arena.running >= arena.places)) and (
                            self.ready or self.pending or self.outside):
                        arena.changed.wait()
                    if not self.ready:
                        break
                    task = self.ready.popleft()
                    arena.running += counts
                try:
                    self.run(task)
                finally:
                    if counts:
                        arena.leave()
        finally:
            here.arena, here.placed = seat, placed
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
                    or self._arena.concurrency != count \
                    or (self._arena.places == count) != bool(self.limits):
                if self._arena is not None and self._process == os.getpid():
                    self._arena.close()
                self._arena = Arena(count, strict=bool(self.limits))
                self._process = os.getpid()
            return self._arena


class Watchers:
    """Threads that wait for what no task computes, as events of queues: as many as wait."""

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0
        self._lock = threading.Lock()

    def submit(self, watch: Callable[..., object], *arguments: Any) -> None:
        """Call a function in a thread of its own; a forked child starts threads anew."""
        with self._lock:
            if self._pool is None or self._process != os.getpid():
                self._pool = ThreadPoolExecutor(_MOST_WATCHERS, "tbb event")
                self._process = os.getpid()
            self._pool.submit(watch, *arguments)


defaults = Defaults()
watchers = Watchers()


def current() -> Arena:
    """Return the arena that the calling thread is in."""
    return here.arena or defaults.arena()
