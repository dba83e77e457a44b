"""The threads of the runtime: workers that run Python commands, and one that watches drivers.

Non-goals: knowing what a command is or when it may start. Invariants: threads start on first use,
are daemons, and never hold a lock of the graph while they run a job.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Protocol

MAX_WORKERS = 64


class Watched(Protocol):
    """Something that ends on its own, and that ``done`` settles once it has."""

    def done(self) -> bool:
        """Say whether it has ended; settle it if so."""

    def pause(self, seconds: float) -> None:
        """Block until it may have ended, at most so long."""


class Executor:
    """Runs jobs on daemon threads, created on demand. All methods may be called by any thread.

    The lock is re-entrant: a finaliser may submit while its thread is in here.
    """

    def __init__(self) -> None:
        self._jobs: deque[Callable[[], None]] = deque()
        self._changed = threading.Condition()
        self._idle = 0
        self._workers = 0
        self._blocked = 0
        self._watched: list[Watched] = []
        self._arrived: SimpleQueue[Watched] = SimpleQueue()
        self._watching = False
        self._mine = threading.local()

    def submit(self, job: Callable[[], None]) -> None:
        """Run a job soon, on some worker; never blocks. The job must not raise."""
        with self._changed:
            self._jobs.append(job)
            if self._idle >= len(self._jobs):
                self._changed.notify()
                return
        self._grow()

    def _grow(self) -> None:
        with self._changed:
            if not self._jobs or self._workers - self._blocked >= MAX_WORKERS:
                return
            self._workers += 1
        self._spawn(self._work, "unisycl-worker")

    def _spawn(self, body: Callable[[], None], name: str) -> None:
        threading.Thread(target=body, name=name, daemon=True).start()

    def _work(self) -> None:
        self._mine.is_mine = True
        while True:
            with self._changed:
                while not self._jobs:
                    self._idle += 1
                    self._changed.wait()
                    self._idle -= 1
                job = self._jobs.popleft()
            job()
            del job

    def is_mine(self) -> bool:
        """Say whether the calling thread belongs to the runtime."""
        return getattr(self._mine, "is_mine", False)

    def blocking(self, change: int) -> None:
        """Tell that a worker starts (+1) or ends (-1) waiting, so others may take its place."""
        with self._changed:
            self._blocked += change
        if change > 0:
            self._grow()

    def watch(self, thing: Watched) -> None:
        """Have ``thing.done()`` called until it is true; never blocks."""
        self._arrived.put(thing)
        with self._changed:
            start, self._watching = not self._watching, True
        if start:
            self._spawn(self._watch, "unisycl-watcher")

    def _watch(self) -> None:
        """Settle what ends; a millisecond at most passes before the second of two is seen."""
        self._mine.is_mine = True
        watched = self._watched
        while True:
            if not watched:
                watched.append(self._arrived.get())
            while not self._arrived.empty():
                watched.append(self._arrived.get())
            left = [t for t in watched if not t.done()]
            if len(left) == len(watched):
                left[0].pause(0.001)
            watched[:] = left
