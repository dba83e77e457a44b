"""Commands that block the thread which gives them: copies of large arrays of the host's.

The driver brings these through memory of its own, and returns when it has taken or given the last
byte; so threads of ours give them. Non-goals: small copies, which wait in pinned memory.
Invariants: a command ends once, and its error is that of its end; no thread is inside the driver
once all commands have ended.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from queue import SimpleQueue

from unisycl.backends.base import Tentative
from unisycl.base.errors import exception

_LEAVING_SECONDS = 5.0


class BlockingCommand(Tentative):
    """The end of what a thread does; nothing follows it in a stream, so it has no event."""

    __slots__ = ("_error", "_gate", "_keep", "_times", "lane", "over", "told")

    def __init__(self, keep: object) -> None:
        self.lane = None
        self.over = False
        self._keep: object = keep
        self._error: BaseException | None = None
        self._gate = threading.Event()
        self._times = (0, 0)

    def run(self, work: Callable[[], None]) -> None:
        """Do the work; whatever it raises is the command's error."""
        start = time.monotonic_ns()
        try:
            work()
        except Exception as error:  # noqa: BLE001 - becomes the command's error
            self._error = error.with_traceback(None) if isinstance(error, exception) else error
        self._times = (start, time.monotonic_ns())
        self.over = True
        self._keep = None
        self._gate.set()

    def done(self) -> bool:
        """Say whether it has ended."""
        return self.over

    def wait(self, timeout: float | None = None) -> bool:
        """Block until it ends or so many seconds pass."""
        return self._gate.wait(timeout)

    def event(self) -> None:
        """Wait for the end, behind which whoever asks may come; raise its error."""
        self._gate.wait()
        if self._error is not None:
            raise self._error

    def error(self) -> BaseException | None:
        """Return what it failed with."""
        return self._error

    def profile(self) -> tuple[int, int]:
        """Return its start and end in ns."""
        return self._times


class Workers:
    """The threads of one driver, each started when no other is free."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._lock = threading.Lock()
        self._idle = 0
        self._busy = 0

    def begin(self, work: Callable[[], None], keep: object) -> BlockingCommand:
        """Have a thread do some work; ``keep`` is what it uses."""
        made = BlockingCommand(keep)
        with self._lock:
            start = self._idle == 0
            self._idle -= not start
            self._busy += 1
        self._jobs.put(lambda: made.run(work))
        if start:
            threading.Thread(target=self._run, name="unisycl-cuda", daemon=True).start()
        return made

    def _run(self) -> None:
        while True:
            job = self._jobs.get()
            job()
            del job
            with self._lock:
                self._idle += 1
                self._busy -= 1

    def leave(self) -> None:
        """Wait until none does anything: all work has ended."""
        stop = time.monotonic() + _LEAVING_SECONDS
        while self._busy and time.monotonic() < stop:
            time.sleep(1e-4)
