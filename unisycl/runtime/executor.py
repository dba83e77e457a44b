"""The threads of the runtime: workers that run Python commands, and one that watches drivers.

Non-goals: knowing what a command is or when it may start. Invariants: threads start on first use,
are daemons, and never hold a lock of the graph while they run a job.
"""

from __future__ import annotations

import threading
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

    Each job has a worker that is free for it, so no job waits for the end of another, but for the
    limit. What Ctrl-C may cut short is in this order: a worker without a job does no harm, a job
    without a worker does. Only C code takes the lock, which is re-entrant: a finaliser may submit
    while its thread is in here.
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._lock = threading.RLock()
        self._free = 0
        self._owed = 0
        self._workers = 0
        self._blocked = 0
        self._arrived: SimpleQueue[Watched] = SimpleQueue()
        self._watching = False
        self._mine = threading.local()

    def submit(self, job: Callable[[], None]) -> None:
        """Run a job soon, on some worker; never blocks. The job must not raise."""
        fresh = False
        with self._lock:
            if self._free:
                self._free -= 1
            elif self._room():
                fresh = True
                self._workers += 1
            else:
                self._owed += 1
        if fresh:
            self._grow()
        self._jobs.put(job)

    def _room(self) -> bool:
        return self._workers - self._blocked < MAX_WORKERS

    def _grow(self) -> None:
        """Start a worker that was counted."""
        try:
            self._spawn(self._work, "unisycl-worker")
        except BaseException:
            with self._lock:
                self._workers -= 1
            raise

    def _spawn(self, body: Callable[[], None], name: str) -> None:
        threading.Thread(target=body, name=name, daemon=True).start()

    def _work(self) -> None:
        self._mine.is_mine = True
        while True:
            job = self._jobs.get()
            job()
            del job
            with self._lock:
                if self._owed:
                    self._owed -= 1
                else:
                    self._free += 1

    def is_mine(self) -> bool:
        """Say whether the calling thread belongs to the runtime."""
        return getattr(self._mine, "is_mine", False)

    def blocking(self, change: int) -> None:
        """Tell that a worker starts (+1) or ends (-1) waiting, so others may take its place."""
        fresh = False
        with self._lock:
            self._blocked += change
            if self._owed and self._room():
                fresh = True
                self._owed -= 1
                self._workers += 1
        if fresh:
            self._grow()

    def watch(self, thing: Watched) -> None:
        """Have ``thing.done()`` called until it is true; never blocks."""
        self._arrived.put(thing)
        with self._lock:
            start, self._watching = not self._watching, True
        if start:
            try:
                self._spawn(self._watch, "unisycl-watcher")
            except BaseException:
                self._watching = False
                raise

    def _watch(self) -> None:
        """Settle what ends; a millisecond at most passes before the second of two is seen."""
        self._mine.is_mine = True
        watched: list[Watched] = []
        while True:
            if not watched:
                watched.append(self._arrived.get())
            while not self._arrived.empty():
                watched.append(self._arrived.get())
            left = [t for t in watched if not t.done()]
            if len(left) == len(watched):
                left[0].pause(0.001)
            watched[:] = left
