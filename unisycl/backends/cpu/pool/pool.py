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
from ctypes import c_int32, c_int64, c_uint64
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from unisycl.backends.cpu.compile import jit
from unisycl.backends.cpu.emit import float_mode
from unisycl.backends.cpu.pool import crash
from unisycl.backends.cpu.pool.job import ABANDONED, DONE, INLINE_EDGES, SLICE_NS, NativeJob
from unisycl.backends.cpu.pool.pace import PATIENCE_NS, Pace
from unisycl.backends.cpu.processors import MACHINES
from unisycl.base.errors import DeviceError, InternalError, UnsupportedError, errc
from unisycl.process import interrupts
from unisycl.process.notices import tell

HELPERS = 8
"""Waiting threads that may work at once; they get the worker ids from ``threads`` upwards."""

STACK_BYTES = 16 << 20
EXIT_SECONDS = 30.0
_SPIN_NS = 40_000
_BLOCK = 256 * 1024
_STREAM_BYTES = 32 << 20  # copies from here on go past the caches; fills from four times this
_STUCK_SLICES = 10  # for half a second: a thread of Python may be about to feed a pipe
_MAX_UNITS = 1 << 62
_HEAD = struct.Struct("<QQqqQQiiq")
_EDGES_AT = 208


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
               assisted: bool = True, words: int = 0, pace: Pace | None = None) -> NativeJob:
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
            pace: knows how many threads pay; others come when it takes longer than that.
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
        most = 0
        if pace is not None:
            most = pace.most()
            job.patience = PATIENCE_NS
        job.pace = pace
        edges = 0
        count = len(deps)
        if count:
            if count <= INLINE_EDGES:
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
        _HEAD.pack_into(job, 0, entry, args, units, grain, self._address, edges, count, most,
                        error_at)
        pending = self._pending
        try:
            pending.append(job)  # from here on alive until done, whoever else lets go of it
            self.native.submit(job)
        except BaseException:
            self._take_back(job)
            raise
        try:
            if pending[0].state & DONE:
                self.prune()
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
        return self.submit(self.native.copy, args, -(-size // _BLOCK), 1, deps, keep)

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
        return self.submit(self.native.fill, args, -(-count // block), 1, deps, (keep, cell))

    def address(self) -> int:
        """Return where the state of the pool lies, its workers running; 0 once they have ended."""
        self._ready()
        return 0 if self._ended else self._address

    def pending(self) -> int:
        """Return how many jobs have not ended."""
        self.prune()
        return len(self.unfinished())

    def unfinished(self) -> list[NativeJob]:
        """Return the jobs that have not ended."""
        return [job for job in list(self._pending) if not job.state & DONE]

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
        while not job.state & DONE and not self.native.wait(job, SLICE_NS, SLICE_NS):
            seen = seen + 1 if self.stuck() else 0
            if seen > _STUCK_SLICES or time.monotonic() >= deadline:
                return False
        return job.wait()

    def _join(self, how: int, timeout: float) -> bool:
        """Ask the workers to end and wait for them, open to Ctrl-C."""
        self.native.stop(self._state, how)
        deadline = time.monotonic() + timeout
        seen = 0
        while self.native.join_all(self._state, SLICE_NS):
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
                job.cut_off()
            behind = [job for pool in list(_pools) for job in pool.unfinished()
                      if any(d.error_code == ABANDONED for d in job._deps)]

    def _immortalise(self) -> None:
        """Never free what threads that cannot be ended still use."""
        jobs = list(self._pending)
        held = (self, self.native, self._state, self._threads, jobs, [job._keep for job in jobs])
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
            self.native = _native()
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
                started = self.native.start(self._state)
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
            if not job.state & DONE:
                job.cut_off()

    def prune(self) -> None:
        """Forget jobs at the front that are done."""
        pending = self._pending
        try:
            while pending and pending[0].state & DONE:
                job = pending.popleft()
                if job.state & DONE:
                    job.settle()
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
