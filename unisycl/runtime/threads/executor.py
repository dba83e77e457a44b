"""The threads of the runtime: workers that run Python commands, and one that watches drivers.

Non-goals: knowing what a command is or when it may start. Invariants: threads start on first use,
are daemons, and never hold a lock of the graph while they run a job.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import Protocol

MAX_WORKERS = 64
_ENDING = "interpreter shutdown"
"""What is in the error of Python 3.12 for a thread that is started after the program's end."""


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
        self.stranded = False
        """A thread was wanted after the program's end, and none could be started."""

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
        if fresh and not self._grow():
            with self._lock:
                self._owed += 1
        self._jobs.put(job)

    def _room(self) -> bool:
        return self._workers - self._blocked < MAX_WORKERS

    def _grow(self) -> bool:
        """Start a worker that was counted; say whether there can be one."""
        started = False
        try:
            started = self._spawn(self._work, "unisycl-worker")
        finally:
            if not started:
                with self._lock:
                    self._workers -= 1
        return started

    def _spawn(self, body: Callable[[], None], name: str) -> bool:
        try:
            threading.Thread(target=body, name=name, daemon=True).start()
        except RuntimeError as error:
            if _ENDING not in str(error):
                raise
            self.stranded = True
            return False
        return True

    def help(self) -> None:
        """Do in the calling thread, if ``stranded``, what threads that cannot be started would."""
        while self.stranded and self._owed > 0:
            try:
                job = self._jobs.get_nowait()
            except Empty:
                break
            with self._lock:
                self._owed -= 1
            job()
        if self.stranded and not self._watching:
            for _ in range(self._arrived.qsize()):
                thing = self._arrived.get()
                if not thing.done():
                    self._arrived.put(thing)

    def _work(self) -> None:
        self.join()
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

    def join(self) -> None:
        """Have the calling thread count as one of the runtime's."""
        self._mine.is_mine = True

    def prompt(self, jobs: Sequence[Callable[[], None]]) -> None:
        """Run jobs that block nobody, in their order: here, in a thread of the runtime's.

        What they make possible comes after them, not within: chains may be long.
        """
        if self.is_mine():
            self._in_turn(jobs)
        else:
            self.submit(lambda: self._in_turn(jobs))

    def _in_turn(self, jobs: Sequence[Callable[[], None]]) -> None:
        mine = self._mine  # the program's thread may be in here, too, when it helps
        todo = getattr(mine, "todo", None)
        if todo is not None:
            todo += jobs
            return
        todo = mine.todo = list(jobs)
        try:
            for job in todo:
                job()
        finally:
            mine.todo = None

    def blocking(self, change: int) -> None:
        """Tell that a worker starts (+1) or ends (-1) waiting, so others may take its place."""
        fresh = False
        with self._lock:
            self._blocked += change
            if self._owed and self._room():
                fresh = True
                self._owed -= 1
                self._workers += 1
        if fresh and not self._grow():
            with self._lock:
                self._owed += 1

    def watch(self, thing: Watched) -> None:
        """Have ``thing.done()`` called until it is true; never blocks."""
        self._arrived.put(thing)
        with self._lock:
            start, self._watching = not self._watching, True
        if start:
            started = False
            try:
                started = self._spawn(self._watch, "unisycl-watcher")
            finally:
                if not started:
                    self._watching = False

    def _watch(self) -> None:
        """Settle what ends; a millisecond at most passes before the second of two is seen."""
        self.join()
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
