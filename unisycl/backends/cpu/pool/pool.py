"""The native thread pool of the CPU: jobs of units, dependencies between them, no GIL.

``pool.ll`` beside this file is the pool itself; here it is compiled on first use, fed and watched.
Non-goals: kernels (see ``driver``) and the task graph. Invariants: a job's memory and all that was
given to ``keep`` stay alive until it is done; nothing native runs Python.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import math
import os
import platform
import signal
import struct
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from ctypes import c_int32, c_int64, c_uint32, c_uint64
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from unisycl.backends.cpu.checks.asking import LATE, WHERE, Asked
from unisycl.backends.cpu.compile import jit
from unisycl.backends.cpu.emit import float_mode
from unisycl.backends.cpu.pool import crash
from unisycl.backends.cpu.processors import MACHINES
from unisycl.base.errors import DeviceError, InternalError, UnsupportedError, errc, exception
from unisycl.process import interrupts
from unisycl.process.notices import tell

HELPERS = 8
"""Waiting threads that may work at once; they get the worker ids from ``threads`` upwards."""

ABANDONED = -1
"""The error code of a job that interpreter exit or a fork cut off."""

STACK_BYTES = 16 << 20
EXIT_SECONDS = 30.0
_SPIN_NS = 40_000
_SLICE_NS = 50_000_000
_HELP_NS = 20_000_000
_BLOCK = 256 * 1024
_STREAM_BYTES = 32 << 20  # copies from here on go past the caches; fills from four times this
_DONE, _FAILED = 1, 2
_CLOSED = 1
_STUCK_SLICES = 10  # for half a second: a thread of Python may be about to feed a pipe
_MAX_UNITS = 1 << 62
_INLINE_EDGES = 4
_HEAD = struct.Struct("<QQqqQQiiq")
_EDGES_AT = 208

# x86 does not move a load before an earlier one, so a plain look at `state` is an acquire there.
_STRONG = platform.machine() == "x86_64"

# The number of the futex system call and the instruction for a spinning thread, by machine. On
# aarch64 `isb` waits some ten cycles; `yield` does nothing on cores without hardware threads.


class _PoolState(ctypes.Structure):
    """``%Pool`` of pool.ll."""

    _fields_: ClassVar = [
        ("queue", c_uint64 * 8), ("stop", c_int32), ("n_threads", c_int32),
        ("max_spinners", c_int32), ("next_worker", c_int32), ("spin_ns", c_int64),
        ("stack_bytes", c_int64), ("threads", c_uint64), ("alive", c_int32), ("_pad", c_int32),
        ("helpers", c_uint64), ("table", c_uint64), ("_tail", c_uint64 * 8)]


class _Native(NamedTuple):
    """The compiled pool: its functions, the addresses of its entries, and what keeps them."""

    submit: Callable[[NativeJob], None]
    wait: Callable[[NativeJob, int, int], int]
    acquire: Callable[[], None]
    start: Callable[[_PoolState], int]
    stop: Callable[[_PoolState, int], None]
    join_all: Callable[[_PoolState, int], int]
    copy: int
    fill: int
    engine: Any


class NativeJob(ctypes.Structure):
    """One command on the pool, ``%Job`` of pool.ll; made by ``NativePool.submit``.

    It is a ``Completion``; any thread may call its methods.
    """

    __slots__ = ("_deps", "_failure", "_keep", "_on_error", "_owner", "asked", "assisted",
                 "begun_by")
    _fields_: ClassVar = [
        ("entry", c_uint64), ("args", c_uint64), ("units", c_int64), ("grain", c_int64),
        ("pool", c_uint64), ("edges", c_uint64), ("n_edges", c_int32), ("wanted", c_int32),
        ("error_at", c_int64), ("successors", c_uint64), ("waiting", c_int32),
        ("dep_failed", c_int32), ("links", c_uint64 * 2), ("queued", c_int32),
        ("participants", c_int32), ("active", c_int32), ("started", c_int32),
        ("start_ns", c_int64), ("end_ns", c_int64), ("next_unit", c_int64),
        ("words", c_uint64), ("_pad", c_uint64 * 5), ("question", c_int64), ("state", c_uint32),
        ("given", c_int32),
        ("error_code", c_int64), ("inline_edges", c_uint64 * (2 * _INLINE_EDGES))]

    _owner: NativePool
    _deps: Sequence[NativeJob]
    _keep: Any
    _on_error: Callable[[int], BaseException] | None
    _failure: BaseException | None
    assisted: bool
    """Whether a waiting thread may take part: not where a chunk can be long, for Ctrl-C's sake."""
    begun_by: NativeJob | None
    """The job that did the first part of this one's command, for its profile."""
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
        if self.state & _DONE:
            if not _STRONG:
                self._owner._native.acquire()
            return True
        return False

    def wait(self, timeout: float | None = None, *, assist: bool = True) -> bool:
        """Block until the job ends or ``timeout`` seconds pass; returns whether it ended.

        Releases the GIL, and runs Python's signal handlers meanwhile. With ``assist`` the calling
        thread takes part in the job for up to 20 ms; a chunk that it began is finished first.
        """
        if not self.state & _DONE:
            deadline = None if timeout is None else time.monotonic_ns() + int(timeout * 1e9)
            wait, slice_ns, help_ns = (
                self._owner._native.wait, _SLICE_NS, (assist and self.assisted) * _HELP_NS)
            while True:
                if deadline is not None:
                    slice_ns = min(deadline - time.monotonic_ns(), _SLICE_NS)
                    if slice_ns <= 0:
                        return self.done()
                if wait(self, slice_ns, help_ns):
                    break
                help_ns = 0
        elif not _STRONG:
            self._owner._native.acquire()
        self._settle()
        self._owner._prune()
        return True

    def held_back(self) -> bool:
        """Say whether it waits for another job to end."""
        return not self.state & _DONE and any(not d.state & _DONE or d.error_code == ABANDONED
                                              for d in self._deps)

    def error(self) -> BaseException | None:
        """Return what the job failed with, and let go of what it kept; only valid once done.

        A job that did not run because of a dependency names the failure it goes back to.
        """
        if not self.state & _FAILED:
            self._settle()
            return None
        if self.begun_by is not None and self.begun_by.state & _FAILED:
            return self.begun_by.error()
        if self._failure is None:
            self._failure = self._describe()
        return self._failure

    def profile(self) -> tuple[int, int]:
        """Return (start, end) in nanoseconds of ``time.monotonic_ns``; only valid once done."""
        first = self if self.begun_by is None else self.begun_by
        return first.start_ns, self.end_ns

    def _settle(self) -> None:
        """Let go of what a job that is done no longer needs."""
        if self.state & _FAILED and self._failure is None:
            self._failure = self._describe()
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
            cause = next((d for d in job._deps if d.state & _FAILED), None)
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

    def _cut_off(self) -> None:
        """Fail a job that no thread of this process will ever run (after a fork)."""
        self.error_code = ABANDONED
        self.successors = _CLOSED
        self.state = _DONE | _FAILED
        self._settle()


def _not_run(origin: BaseException) -> DeviceError:
    text = origin.what() if isinstance(origin, exception) else f"{type(origin).__name__}: {origin}"
    failure = DeviceError(errc.runtime, f"not run, because what it depends on failed: {text}")
    failure.__cause__ = origin
    return failure


_pools: weakref.WeakSet[NativePool] = weakref.WeakSet()


class NativePool:
    """N native threads that run jobs; starts them on first use. Any thread may call any method.

    Args:
        threads: how many workers; an entry sees worker ids below ``threads + HELPERS``.
        spin_ns: how long an idle worker looks for work before it sleeps; None: fit for the machine.
    """

    def __init__(self, threads: int, spin_ns: int | None = None) -> None:
        if threads < 1:
            raise InternalError(errc.runtime, f"a pool of {threads} threads; expected 1 or more")
        self.threads = threads
        self._spin_ns = spin_ns
        self._hooked = False
        _pools.add(self)
        self.stuck: Callable[[], bool] = lambda: False
        """Says whether what is left can never end; set by whoever knows that of the jobs."""
        self._reset()

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._pending: deque[NativeJob] = deque()
        self._address = 0
        self._ended = False
        self._closed = False

    def submit(self, entry: int, args: Any, units: int, grain: int = 1,
               deps: Sequence[NativeJob] = (), keep: Any = (), *, error_at: int = -1,
               on_error: Callable[[int], BaseException] | None = None,
               assisted: bool = True, words: int = 0) -> NativeJob:
        """Start ``entry(args, begin, end, worker)`` over ``units``, after ``deps``. Never blocks.

        Args:
            entry: address of the native function; it must not need the GIL.
            args: the address given to it, or a writable buffer, which is kept.
            units: how many units; 0 makes a mere meeting point of its dependencies.
            grain: units in a chunk, the most one call gets.
            deps: jobs to run after, of any pool of this process.
            keep: kept alive until the job is done.
            error_at: offset in args where to store the address of the job's 64-bit error cell; an
                entry that stores a positive code there fails the job and stops further chunks.
            on_error: makes the exception from that code.
            assisted: whether a thread that waits for the job may take part in it.
            words: address of what to say should it crash (``crash``).
        """
        if self._address == 0 or self._closed:
            self._start()
        if type(args) is not int:
            keep = (keep, args)
            args = ctypes.addressof(ctypes.c_char.from_buffer(args))
        if not 0 <= units <= _MAX_UNITS:
            raise InternalError(errc.runtime, f"a job of {units} units")
        job = NativeJob()
        job._owner = self
        job._failure = None
        job._on_error = on_error
        job._deps = deps
        job.assisted = assisted
        job.begun_by = job.asked = None
        edges = 0
        count = len(deps)
        if count:
            if count <= _INLINE_EDGES:
                where: Any = job
                at = _EDGES_AT
            else:
                where = (c_uint64 * (2 * count))()
                at = 0
                edges = ctypes.addressof(where)
                keep = (keep, where)
            for i, dep in enumerate(deps):
                struct.pack_into("<Q", where, at + 16 * i, ctypes.addressof(dep))
        job._keep = keep
        if words:
            job.words = words
        _HEAD.pack_into(job, 0, entry, args, units, grain, self._address, edges, count, 0, error_at)
        pending = self._pending
        try:
            pending.append(job)  # from here on alive until done, whoever else lets go of it
            self._native.submit(job)
        except BaseException:
            self._take_back(job)
            raise
        try:
            if pending[0].state & _DONE:
                self._prune()
            else:
                pending.rotate(-1)  # look at another one next time
        except IndexError:  # another thread emptied it
            pass
        if self._ended:
            self._work_off(job)
        return job

    def copy(self, dst: int, src: int, size: int, deps: Sequence[NativeJob] = (),
             keep: Any = ()) -> NativeJob:
        """Copy ``size`` bytes between addresses that do not overlap."""
        args = (c_int64 * 4)(dst, src, size, size >= _STREAM_BYTES)
        self._ready()
        return self.submit(self._native.copy, args, -(-size // _BLOCK), 1, deps, keep)

    def fill(self, dst: int, pattern: bytes, count: int, deps: Sequence[NativeJob] = (),
             keep: Any = ()) -> NativeJob:
        """Write ``count`` copies of ``pattern`` one after the other."""
        size = len(pattern)
        cell = ctypes.create_string_buffer(pattern, size)
        block = max(1, _BLOCK // size)
        regular = size in (1, 2, 4, 8, 16, 32, 64) and dst % size == 0
        stream = regular and size * count >= 4 * _STREAM_BYTES
        args = (c_int64 * 6)(dst, ctypes.addressof(cell), size, count, block, stream)
        self._ready()
        return self.submit(self._native.fill, args, -(-count // block), 1, deps, (keep, cell))

    def address(self) -> int:
        """Return where the state of the pool lies, its workers running; 0 once they have ended."""
        self._ready()
        return 0 if self._ended else self._address

    def pending(self) -> int:
        """Return how many jobs have not ended."""
        self._prune()
        return len(self.unfinished())

    def unfinished(self) -> list[NativeJob]:
        """Return the jobs that have not ended."""
        return [job for job in list(self._pending) if not job.state & _DONE]

    def stop(self, timeout: float = EXIT_SECONDS) -> bool:
        """Finish all that was submitted, end the threads; returns whether that came in time.

        After ``timeout`` seconds chunks not begun are dropped, their jobs fail and a warning says
        so. After a stop that came in time, later jobs run in the thread that submits them.
        """
        with self._lock:
            if self._address == 0 or self._ended or self._closed:
                return not self._closed
            try:
                if interrupts.hurried() and not self._join_soon():
                    self._closed = True
                    lost, stuck = self.pending(), self.stuck()
                    self._abandon()
                    if stuck:
                        _tell(lost, timeout, stuck=True)
                    return False
                if not self._join(1, timeout):
                    self._closed = True
                    lost, stuck = self.pending(), self.stuck()
                    if stuck:
                        self._abandon()
                    elif not self._join(2, 1.0):
                        self._immortalise()
                    _tell(lost, timeout, stuck=stuck)
                    return False
            except BaseException:
                self._closed = True
                self._abandon()
                raise
            self._ended = True
        deadline = time.monotonic() + timeout
        for job in list(self._pending):  # pushed by a helping thread after the last worker left
            if job.given and not self._work_off(job, deadline):
                self._closed = True
                lost, stuck = self.pending(), self.stuck()
                self._abandon()
                _tell(lost, timeout, stuck=stuck)
                return False
        return True

    def _take_back(self, job: NativeJob) -> None:
        """Forget a job that Ctrl-C kept from the workers; one that they have got goes on."""
        if not job.given:
            with contextlib.suppress(ValueError):
                self._pending.remove(job)

    def _work_off(self, job: NativeJob, deadline: float = math.inf) -> bool:
        """Do a job in this thread: there are no workers any more. Say whether that was possible."""
        seen = 0
        while not job.state & _DONE and not self._native.wait(job, _SLICE_NS, _SLICE_NS):
            seen = seen + 1 if self.stuck() else 0
            if seen > _STUCK_SLICES or time.monotonic() >= deadline:
                return False
        return job.wait()

    def _join(self, how: int, timeout: float) -> bool:
        """Ask the workers to end and wait for them, open to Ctrl-C."""
        self._native.stop(self._state, how)
        deadline = time.monotonic() + timeout
        seen = 0
        while self._native.join_all(self._state, _SLICE_NS):
            seen = seen + 1 if how == 1 and self.stuck() else 0
            if time.monotonic() >= deadline or seen > _STUCK_SLICES:
                return False
        return True

    def _join_soon(self) -> bool:
        """Wait for the workers as long as jobs end; what is left is reported by the runtime."""
        left = -1
        while left != (left := len(self.unfinished())):
            if self._join(1, interrupts.PATIENCE):
                return True
        return False

    def _abandon(self) -> None:
        """Leave what is at work to the end of the process, which does not wait for it."""
        self._immortalise()
        behind = self.unfinished()
        while behind:
            for job in behind:
                job._cut_off()
            behind = [job for pool in list(_pools) for job in pool.unfinished()
                      if any(d.error_code == ABANDONED for d in job._deps)]

    def _immortalise(self) -> None:
        """Never free what threads that cannot be ended still use."""
        jobs = list(self._pending)
        held = (self, self._native, self._state, self._threads, jobs, [job._keep for job in jobs])
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(held))

    def _ready(self) -> None:
        """Start the workers unless they run."""
        if self._address == 0 or self._closed:
            self._start()

    def _start(self) -> None:
        with self._lock:
            if self._closed:
                raise DeviceError(errc.runtime, "the CPU's threads were cut off at exit")
            if self._address:
                return
            self._native = _native()
            cores = len(os.sched_getaffinity(0))
            spin_ns = self._spin_ns
            if spin_ns is None:
                spin_ns = _SPIN_NS if cores > 1 else 0
            self._threads = (c_uint64 * self.threads)()
            self._state = _PoolState(
                n_threads=self.threads, max_spinners=min(self.threads, max(1, cores - 1)),
                spin_ns=spin_ns, stack_bytes=STACK_BYTES, threads=ctypes.addressof(self._threads),
                table=crash.table())
            if spin_ns == 0:
                self._state.max_spinners = 0
            # Signals are for Python's own threads; a fault must still reach faulthandler.
            faults = {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT}
            mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals() - faults)
            try:
                started = self._native.start(self._state)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            if started == 0:
                raise DeviceError(errc.memory_allocation, "the system refused to start a thread; "
                                  "check the limits on processes and memory (ulimit -u, -v)")
            if not self._hooked:
                self._hooked = True
                atexit.register(self.stop)
                os.register_at_fork(after_in_child=self._after_fork)
            self._address = ctypes.addressof(self._state)

    def _after_fork(self) -> None:
        """In a child there are no workers: fail what they had, start afresh when asked."""
        lost = list(self._pending)
        if self._address:
            self._immortalise()  # old jobs point at the old state
        self._reset()
        for job in lost:
            if not job.state & _DONE:
                job._cut_off()

    def _prune(self) -> None:
        """Forget jobs at the front that are done."""
        pending = self._pending
        try:
            while pending and pending[0].state & _DONE:
                job = pending.popleft()
                if job.state & _DONE:
                    job._settle()
                else:  # another thread took the one that was looked at
                    pending.append(job)
        except IndexError:
            pass


def _tell(lost: int, timeout: float, *, stuck: bool) -> None:
    """Warn of commands that the end of the program has cut off."""
    why = ("were cut off: they wait for pipes that nobody writes or reads any more" if stuck
           else f"did not end within {timeout:g} s and were cut off")
    tell(f"{lost} commands on the CPU {why}")


def addresses() -> tuple[int, int]:
    """Return where native code finds ``pool_submit`` and ``pool_wait``."""
    found = _native().engine.addresses
    return found["pool_submit"], found["pool_wait"]


_FUNCTIONS = ("pool_sizes", "pool_submit", "pool_wait", "pool_acquire", "pool_start", "pool_stop",
              "pool_join_all", "pool_copy", "pool_fill")


@functools.cache
def _native() -> _Native:
    """Compile pool.ll for this machine and bind its functions."""
    # Optimising the pool makes nothing faster, and costs 40 ms of the first launch.
    source, level = text()
    engine = jit.load(source, _FUNCTIONS, level=level)
    address = engine.addresses.__getitem__
    job, state = ctypes.POINTER(NativeJob), ctypes.POINTER(_PoolState)
    # submit keeps the GIL: it is about as short as giving it up, and waits for nobody who needs it.
    keeping, releasing = ctypes.PYFUNCTYPE, ctypes.CFUNCTYPE
    sizes = keeping(c_uint64)(address("pool_sizes"))()
    if sizes != ctypes.sizeof(_PoolState) << 32 | ctypes.sizeof(NativeJob):
        raise InternalError(errc.runtime, "pool.py and pool.ll disagree about a structure")
    return _Native(
        submit=keeping(None, job)(address("pool_submit")),
        wait=releasing(c_int32, job, c_int64, c_int64)(address("pool_wait")),
        acquire=keeping(None)(address("pool_acquire")),
        start=releasing(c_int32, state)(address("pool_start")),
        stop=releasing(None, state, c_int32)(address("pool_stop")),
        join_all=releasing(c_int32, state, c_int64)(address("pool_join_all")),
        copy=address("pool_copy"), fill=address("pool_fill"), engine=engine)


def text() -> tuple[str, int]:
    """Return the pool as LLVM IR, and LLVM's level for it."""
    return _source(), 0


def _source() -> str:
    """Return pool.ll with the prelude for this machine."""
    machine = platform.machine()
    if sys.platform != "linux" or machine not in MACHINES or sys.maxsize < 2**32:
        raise UnsupportedError(
            errc.feature_not_supported, f"the native CPU needs 64-bit Linux on x86-64 or aarch64, "
            f"this is {sys.platform} on {machine}; use the host device")
    number, declaration, pause = MACHINES[machine]
    prelude = (f"{declaration}\n@sys_futex = internal constant i64 {number}\n"
               f"define internal void @relax() {{\n  {pause}\n  ret void\n}}\n")
    text = Path(__file__).with_name("pool.ll").read_text(encoding="utf-8")
    text = text.replace("%Mode", float_mode.register_type(machine))
    return prelude + float_mode.prelude(machine) + text
