"""One command on the pool of threads: its end, its error, and how long it took.

Non-goals: running it (``pool``). Invariant: what was given to ``keep`` lives until it is done.
"""

from __future__ import annotations

import ctypes
import platform
import time
from collections.abc import Callable, Sequence
from ctypes import c_int32, c_int64, c_uint32, c_uint64
from typing import Any, ClassVar, Protocol

from unisycl.backends.cpu.checks.asking import LATE, WHERE, Asked
from unisycl.backends.cpu.pool.pace import Pace
from unisycl.base.errors import DeviceError, errc, exception
from unisycl.process import interrupts

ABANDONED = -1
"""The error code of a job that interpreter exit or a fork cut off."""

DONE, FAILED = 1, 2
"""Bits of a job's state."""

INLINE_EDGES = 4
SLICE_NS = 50_000_000
_HELP_NS = 20_000_000
_CLOSED = 1

# x86 does not move a load before an earlier one, so a plain look at `state` is an acquire there.
_STRONG = platform.machine() == "x86_64"


class _Functions(Protocol):
    """What is asked of the compiled pool."""

    @property
    def wait(self) -> Callable[[NativeJob, int, int], int]:
        """Wait for a job, and take part in it."""

    @property
    def acquire(self) -> Callable[[], None]:
        """Order loads behind a state that was read."""


class Owner(Protocol):
    """What is asked of the pool of a job."""

    threads: int

    @property
    def native(self) -> _Functions:
        """Its compiled functions."""

    def prune(self) -> None:
        """Forget jobs that are done."""


class NativeJob(ctypes.Structure):
    """One command on the pool, ``%Job`` of pool.ll; made by ``NativePool.submit``.

    It is a ``Completion``; any thread may call its methods.
    """

    __slots__ = ("_deps", "_failure", "_keep", "_on_error", "_owner", "asked", "assisted",
                 "begun_by", "pace")
    _fields_: ClassVar = [
        ("entry", c_uint64), ("args", c_uint64), ("units", c_int64), ("grain", c_int64),
        ("pool", c_uint64), ("edges", c_uint64), ("n_edges", c_int32), ("wanted", c_int32),
        ("error_at", c_int64), ("successors", c_uint64), ("waiting", c_int32),
        ("dep_failed", c_int32), ("links", c_uint64 * 2), ("queued", c_int32),
        ("participants", c_int32), ("active", c_int32), ("started", c_int32),
        ("start_ns", c_int64), ("end_ns", c_int64), ("next_unit", c_int64),
        ("words", c_uint64), ("patience", c_int64), ("most", c_int64),
        ("_pad", c_uint64 * 3), ("question", c_int64), ("state", c_uint32),
        ("given", c_int32),
        ("error_code", c_int64), ("inline_edges", c_uint64 * (2 * INLINE_EDGES))]

    _owner: Owner
    _deps: Sequence[NativeJob]
    _keep: Any
    _on_error: Callable[[int], BaseException] | None
    _failure: BaseException | None
    assisted: bool
    """Whether a waiting thread may take part: not where a chunk can be long, for Ctrl-C's sake."""
    begun_by: NativeJob | None
    """The job that did the first part of this one's command, for its profile."""
    pace: Pace | None
    """Who wants to know how long it took, all threads together."""
    asked: Asked | None
    """Who answers for the loops of the kernel; None if they do not ask."""

    @property
    def root(self) -> NativeJob:
        """The job that runs the kernel of this one's command."""
        return self if self.begun_by is None else self.begun_by.root

    @property
    def running(self) -> bool:
        """Whether the command has begun."""
        return bool(self.root.started)

    def ask(self, text: str) -> bool:
        """Ask the kernel's loops to tell if one cannot end; with a text, to end with it now.

        Says False of a kernel whose loops do not ask.
        """
        root = self.root
        if root.asked is None:
            return False
        root.asked.late = root.asked.late or text
        root.question = LATE if text else WHERE
        return True

    def complete(self, count: int) -> bool:
        """Say whether ``count`` are all threads that take part in it, and will."""
        return bool(self.participants == count and (
            self.next_unit >= self.units or self.participants >= self._owner.threads))

    def done(self) -> bool:
        """Say whether the job has ended; never blocks."""
        if self.state & DONE:
            if not _STRONG:
                self._owner.native.acquire()
            return True
        return False

    def wait(self, timeout: float | None = None, *, assist: bool = True) -> bool:
        """Block until the job ends or ``timeout`` seconds pass; returns whether it ended.

        Releases the GIL, and runs Python's signal handlers meanwhile. With ``assist`` the calling
        thread takes part in the job for up to 20 ms; a chunk that it began is finished first.
        """
        if not self.state & DONE:
            deadline = None if timeout is None else time.monotonic_ns() + int(timeout * 1e9)
            wait, slice_ns, help_ns = (
                self._owner.native.wait, SLICE_NS, (assist and self.assisted) * _HELP_NS)
            while True:
                if deadline is not None:
                    slice_ns = min(deadline - time.monotonic_ns(), SLICE_NS)
                    if slice_ns <= 0:
                        return self.done()
                if wait(self, slice_ns, help_ns):
                    break
                help_ns = 0
        elif not _STRONG:
            self._owner.native.acquire()
        self.settle()
        self._owner.prune()
        return True

    def held_back(self) -> bool:
        """Say whether it waits for another job to end."""
        return not self.state & DONE and any(not d.state & DONE or d.error_code == ABANDONED
                                              for d in self._deps)

    def error(self) -> BaseException | None:
        """Return what the job failed with, and let go of what it kept; only valid once done.

        A job that did not run because of a dependency names the failure it goes back to.
        """
        if not self.state & FAILED:
            self.settle()
            return None
        if self.begun_by is not None and self.begun_by.state & FAILED:
            return self.begun_by.error()
        if self._failure is None:
            self._failure = self._describe()
        return self._failure

    def profile(self) -> tuple[int, int]:
        """Return (start, end) in nanoseconds of ``time.monotonic_ns``; only valid once done."""
        first = self if self.begun_by is None else self.begun_by
        return first.start_ns, self.end_ns

    def settle(self) -> None:
        """Let go of what a job that is done no longer needs."""
        if self.state & FAILED and self._failure is None:
            self._failure = self._describe()
        pace, self.pace = self.pace, None
        if pace is not None and not self.state & FAILED:
            pace.note((self.end_ns - self.start_ns) * max(1, self.participants))
        self._keep = None
        self._deps = ()

    def _describe(self) -> BaseException:
        """Make the exception of a failed job, and of those between it and where it began."""
        path = []
        job = self
        while job._failure is None:
            path.append(job)
            if job.error_code != 0:
                break
            cause = next((d for d in job._deps if d.state & FAILED), None)
            if cause is None:  # another thread settled this job between our two looks
                break
            job = cause
        origin = job._failure or job._own_error()
        if job._failure is not None and job.error_code == 0 and origin.__cause__ is not None:
            origin = origin.__cause__
        for job in path:
            if job._failure is None:
                job._failure = origin if job.error_code != 0 else _not_run(origin)
        return self._failure or origin

    def _own_error(self) -> BaseException:
        code = self.error_code
        if code == ABANDONED:
            error = DeviceError(errc.runtime, "the command was cut off: the interpreter exited or "
                                "the process was forked before it ended; wait for it first")
            if interrupts.hurried():
                interrupts.cut(error)
            return error
        if self._on_error is not None:
            return self._on_error(code)
        return DeviceError(errc.runtime, f"the command failed on the CPU with code {code}")

    def cut_off(self) -> None:
        """Fail a job that no thread of this process will ever run (after a fork)."""
        self.error_code = ABANDONED
        self.successors = _CLOSED
        self.state = DONE | FAILED
        self.settle()


def _not_run(origin: BaseException) -> DeviceError:
    text = origin.what() if isinstance(origin, exception) else f"{type(origin).__name__}: {origin}"
    failure = DeviceError(errc.runtime, f"not run, because what it depends on failed: {text}")
    failure.__cause__ = origin
    return failure
