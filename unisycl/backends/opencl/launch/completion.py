"""The end of a command on an OpenCL device.

Non-goals: starting commands. Invariant: ``keep`` holds everything the command uses until its event
has ended; what is to be done afterwards is done once, by whoever sees the end first.
"""

from __future__ import annotations

import contextlib
import functools
import select
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from unisycl.backends.base import Tentative
from unisycl.backends.device.loans import spoil
from unisycl.backends.device.pace import Habit, Pace
from unisycl.backends.opencl.errors import FAILED_BEFORE, device_error
from unisycl.backends.opencl.launch.failed_calls import status_of
from unisycl.backends.opencl.launch.queues import Lane
from unisycl.backends.opencl.launch.waiting import SPIN_NS, Waiter
from unisycl.backends.opencl.memory.shared import Allocation, returned

_APART_NS = 300_000  # a graphics card's processors do not need this one
_YIELD_NS = 3_000_000  # this long a graphics card's commands are waited for without sleeping


class Clock:
    """Turns a device's time stamps into those of ``time.monotonic_ns``.

    ``apart``: the device works beside the host's processors, so a thread that waits may spin.
    """

    def __init__(self, *, apart: bool = False) -> None:
        self.apart = apart
        self._raw = False
        self._offset: int | None = None

    def measure(self, cl: Any, queue: Any) -> None:
        """Find out by a marker which clock the device has; a queue without times is left alone."""
        with contextlib.suppress(cl.Error):
            before = time.monotonic_ns()
            marker = cl.enqueue_marker(queue)
            marker.wait()
            self.compare(before, int(marker.profile.end), time.monotonic_ns())

    def compare(self, before: int, stamp: int, after: int) -> None:
        """Note what the device stamped between two times of the host: one of its clocks, or not."""
        self._raw = not before <= stamp <= after and before <= stamp + _behind_raw() <= after
        self._offset = 0 if self._raw or before <= stamp <= after else (before + after) // 2 - stamp

    def host_time(self, stamp: int, event: Any) -> int:
        """Return a time stamp of a device in the host's time; exact where both share a clock."""
        if self._offset is None:
            ahead = time.monotonic_ns() - int(event.profile.end)
            self._offset = 0 if 0 <= ahead < 10**9 else ahead
        return stamp + self._offset + (_behind_raw() if self._raw else 0)


def _behind_raw() -> int:
    """Return what is to be added to the raw clock, as PoCL has it, for the host's time.

    The one that network time adjusts runs away from it, by many milliseconds in a day.
    """
    clock = getattr(time, "CLOCK_MONOTONIC_RAW", None)
    return 0 if clock is None else time.monotonic_ns() - time.clock_gettime_ns(clock)


class Ends:
    """How the ends of one device's commands are awaited and timed; ``pace``: of a processor's."""

    def __init__(self, cl: Any, clock: Clock, waiter: Waiter | None,
                 pace: Pace | None = None) -> None:
        self.clock = clock
        self.waiter = waiter
        self.pace = pace
        self.status = cl.event_info.COMMAND_EXECUTION_STATUS
        self.error = cl.Error


class ClCompletion:
    """The end of one command. Any thread may ask."""

    _plain = True
    _young = True
    over = False
    """Whether its end was seen."""
    _error: BaseException | None = None
    _gate: threading.Lock | None = None
    lane: Lane | None = None
    habit: Habit | None = None
    born = 0
    count = 1
    used: tuple[Allocation, ...] = ()
    """What the host must be able to reach again before the command counts as ended."""
    ahead = 0
    """How many ns ``count`` commands, it and all before it, may take; 0 if nobody knows."""

    def __init__(self, event: Any, keep: object, what: str, ends: Ends) -> None:
        self.event = event
        self.what = what
        self._keep: object = keep
        self._ends = ends

    @property
    def first(self) -> Any:
        """The event of the command's first part, with which its time begins."""
        return self.event

    def done(self) -> bool:
        """Say whether the command has ended; never blocks.

        Who asks first has only just begun it, so the driver is not asked then.
        """
        if self.over:
            return True
        if self._young:
            self._young = False
            return False
        try:
            status = self.event.get_info(self._ends.status)
        except Exception:  # noqa: BLE001 - perhaps the device was lost
            status = status_of(lambda: self.event.get_info(self._ends.status))
        if status > 0:
            return False
        if self.used:
            status = returned(self.used, status)
            if status > 0:
                return False
            self.used = ()
        if status == 0 and self._plain:
            self.over = True
            self._keep = None  # what is let go of may end others, and ask this one again
        else:
            self._end(status)
        return True

    def _end(self, status: int) -> None:
        """Note the end. What is let go of may end others, and ask this one again."""
        if status < 0 and not self.over:
            self._error = device_error(self.what, status)
            spoil(self._keep)
        self.over = True
        keep, self._keep = self._keep, None
        del keep

    def wait(self, timeout: float | None = None) -> bool:
        """Block until the command ends or ``timeout`` seconds pass; say whether it ended."""
        start = time.monotonic_ns()
        stop = start + (1 << 62) if timeout is None else start + int(timeout * 1e9)
        now, ends = start, self._ends
        if self.ahead and ends.pace is not None and ends.waiter is not None and (
                ends.pace.short(self.ahead)):
            with contextlib.suppress(ends.error):  # its status says what went wrong
                ends.waiter.wait_here(self.event)
        while not self._seen():
            spent = now - start
            if now >= stop:
                return False
            if spent >= (_YIELD_NS if ends.clock.apart else SPIN_NS):
                gate, waiter = self._gate, ends.waiter
                if gate is None and waiter is not None and spent >= waiter.after:
                    gate = self._gate = waiter.watch(self.event)
                if gate is not None:
                    if self._wait_inside(gate, None if timeout is None else (stop - now) / 1e9):
                        return True
                else:
                    time.sleep(min(spent * 3e-11, 1e-3, (stop - now) / 1e9))
            elif spent >= (_APART_NS if ends.clock.apart else SPIN_NS):
                select.select((), (), (), 0)  # lets others run; time.sleep(0) may take 50 us
            now = time.monotonic_ns()
        return True

    def _seen(self) -> bool:
        """Say whether it has ended, and note how long it took."""
        if not self.done():
            return False
        if self.habit is not None:
            self.habit.note((time.monotonic_ns() - self.born) // self.count)
            self.habit = None
        return True

    def _wait_inside(self, gate: threading.Lock, timeout: float | None) -> bool:
        """Wait for the thread that waits in the driver; say whether the command was seen to end."""
        if gate.acquire(timeout=-1 if timeout is None else timeout):
            gate.release()
            if not self._seen():  # what it used is on its way back, or another thread was faster
                self._gate = None
                time.sleep(5e-5)
        return self._seen()

    def error(self) -> BaseException | None:
        """Return what the command failed with; only valid once done."""
        return self._error

    def profile(self) -> tuple[int, int]:
        """Return (start, end) in nanoseconds of ``time.monotonic_ns``; only valid once done.

        Of a command that failed, or began before times were kept, they are now.
        """
        if self._error is None:
            clock, first, last = self._ends.clock, self.first, self.event
            with contextlib.suppress(self._ends.error):
                start = clock.host_time(int(first.profile.start), first)
                return start, clock.host_time(int(last.profile.end), last)
        now = time.monotonic_ns()
        return now, now


class PairCompletion(ClCompletion):
    """The end of a command of several parts.

    ``parts``: the events of those before the last; its time begins with the first of them, and
    one that failed tells why the last one did not run.
    """

    _plain = False

    def __init__(self, parts: Sequence[Any], last: Any, keep: object, what: str,
                 ends: Ends) -> None:
        super().__init__(last, keep, what, ends)
        self._first = parts[0]
        self._parts = parts

    @property
    def first(self) -> Any:
        """The event of the first part."""
        return self._first

    def _end(self, status: int) -> None:
        """Note the end. What is let go of may end others, and ask this one again."""
        super()._end(self._cause(status))

    def _cause(self, status: int) -> int:
        """Return why the last part was left out if one of the command's own is the cause."""
        if status == FAILED_BEFORE:
            for part in self._parts:
                found = status_of(functools.partial(part.get_info, self._ends.status))
                if found < 0 and found != FAILED_BEFORE:
                    return found
        return status


class CheckedCompletion(PairCompletion, Tentative):
    """The end of a kernel that reports: whether it failed is known when its reports are read.

    ``after`` reads them; it is called once, by whoever sees the end first.
    """

    def __init__(self, parts: Sequence[Any], last: Any, keep: object, what: str, ends: Ends,
                 after: Callable[[], BaseException | None]) -> None:
        super().__init__(parts, last, keep, what, ends)
        self._after: Callable[[], BaseException | None] | None = after
        self._lock = threading.RLock()
        self._ending = False

    def _end(self, status: int) -> None:
        """Note the end. What is let go of may end others, and ask this one again: not locked."""
        with self._lock:
            if self.over or self._ending:
                return
            self._ending = True
            if status < 0:
                self._error = device_error(self.what, self._cause(status))
                spoil(self._keep)
            elif self._after is not None:
                self._error = self._after()
            self.over = True
            keep, self._keep, self._after = (self._keep, self._after), None, None
        del keep


def end_of(parts: Sequence[Any], last: Any, keep: object, what: str, ends: Ends) -> ClCompletion:
    """Return the end of a command of so many parts, of which ``last`` may be the only one."""
    if not parts or (len(parts) == 1 and parts[0] is last):
        return ClCompletion(last, keep, what, ends)
    return PairCompletion(parts, last, keep, what, ends)
