"""The end of a command on an OpenCL device.

Non-goals: starting commands. Invariant: ``keep`` holds everything the command uses until its event
has ended; what is to be done afterwards is done once, by whoever sees the end first.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from unisycl.backends.base import Tentative
from unisycl.backends.opencl.errors import device_error

_SPIN_NS = 40_000
_YIELD_NS = 3_000_000  # this long a graphics card's commands are waited for without sleeping
_LOST = -36


class Clock:
    """Turns a device's time stamps into those of ``time.monotonic_ns``.

    ``apart``: the device works beside the host's processors, so a thread that waits may spin.
    """

    def __init__(self, *, apart: bool = False) -> None:
        self.apart = apart
        self._offset: int | None = None

    def host_time(self, stamp: int, event: Any) -> int:
        """Return a time stamp of a device in the host's time; exact where both share a clock."""
        if self._offset is None:
            ahead = time.monotonic_ns() - int(event.profile.end)
            self._offset = 0 if 0 <= ahead < 10**9 else ahead
        return stamp + self._offset


class Waiter:
    """Threads that wait inside the driver, where they also work, so that Ctrl-C stays possible."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[tuple[Any, threading.Lock]] = SimpleQueue()
        self._lock = threading.Lock()
        self._idle = 0

    def watch(self, event: Any) -> threading.Lock:
        """Return a lock that is released when the event has ended."""
        gate = threading.Lock()
        gate.acquire()
        with self._lock:
            start = self._idle == 0
            self._idle -= not start
        self._jobs.put((event, gate))
        if start:
            threading.Thread(target=self._run, name="unisycl-opencl", daemon=True).start()
        return gate

    def _run(self) -> None:
        while True:
            event, gate = self._jobs.get()
            with contextlib.suppress(Exception):  # its status says what went wrong
                event.wait()
            gate.release()
            del event, gate
            with self._lock:
                self._idle += 1


class ClCompletion:
    """The end of one command. Any thread may ask."""

    __slots__ = ("_after", "_clock", "_done", "_ending", "_error", "_gate", "_keep", "_lock",
                 "_waiter", "event", "first", "what")

    def __init__(self, event: Any, keep: object, what: str, clock: Clock,
                 waiter: Waiter | None,
                 after: Callable[[], BaseException | None] | None = None) -> None:
        self.event = event
        self.first = event
        self.what = what
        self._keep: object = keep
        self._clock = clock
        self._waiter = waiter
        self._after = after
        self._done = False
        self._ending = False
        self._error: BaseException | None = None
        self._gate: threading.Lock | None = None
        self._lock = threading.RLock()

    def done(self) -> bool:
        """Say whether the command has ended; never blocks."""
        if not self._done:
            try:
                status = self.event.command_execution_status
            except Exception as error:  # noqa: BLE001 - the device was lost
                status = -abs(int(getattr(error, "code", 0))) or _LOST
            if status > 0:
                return False
            self._end(status)
        return True

    def _end(self, status: int) -> None:
        """Note the end. What is let go of may end others, and ask this one again: not locked."""
        with self._lock:
            if self._done or self._ending:
                return
            self._ending = True
            if status < 0:
                self._error = device_error(self.what, status)
            elif self._after is not None:
                self._error = self._after()
            self._done = True
            keep, self._keep, self._after = (self._keep, self._after), None, None
        del keep

    def wait(self, timeout: float | None = None) -> bool:
        """Block until the command ends or ``timeout`` seconds pass; say whether it ended."""
        start = time.monotonic_ns()
        stop = start + (1 << 62) if timeout is None else start + int(timeout * 1e9)
        now = start
        while not self.done():
            spent = now - start
            if now >= stop:
                return False
            if spent >= (_YIELD_NS if self._clock.apart else _SPIN_NS):
                if self._waiter is not None:
                    return self._wait_inside(None if timeout is None else (stop - now) / 1e9)
                time.sleep(min(spent * 3e-11, 1e-3, (stop - now) / 1e9))
            elif spent >= _SPIN_NS:
                time.sleep(0)
            now = time.monotonic_ns()
        return True

    def _wait_inside(self, timeout: float | None) -> bool:
        """Have a thread wait in the driver, and wait for that."""
        assert self._waiter is not None
        gate = self._gate
        if gate is None:
            gate = self._gate = self._waiter.watch(self.event)
        if gate.acquire(timeout=-1 if timeout is None else timeout):
            gate.release()
        return self.done()

    def error(self) -> BaseException | None:
        """Return what the command failed with; only valid once done."""
        return self._error

    def profile(self) -> tuple[int, int]:
        """Return (start, end) in nanoseconds of ``time.monotonic_ns``; only valid once done."""
        if self._error is not None:
            now = time.monotonic_ns()
            return now, now
        start = self._clock.host_time(int(self.first.profile.start), self.first)
        return start, self._clock.host_time(int(self.event.profile.end), self.event)


class CheckedCompletion(ClCompletion, Tentative):
    """The end of a kernel that reports: whether it failed is known when its reports are read."""

    __slots__ = ()
