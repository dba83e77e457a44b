"""Kernels that never end: those that run for longer than was asked, and those that cannot end.

A thread of ours looks at a kernel that has run for a second, again and again. Where it finds the
work-item at one place with the same variables and the same memory as before, and no other thread or
command is there to change them, the work-item can never go on. Non-goals: whether kernels of
several threads (``concurrent_groups``) can go on; they have their time. Invariants: what is ended
could not have ended by itself, or had its time; a kernel that is being debugged is left alone.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any

import numpy as np

from unisycl.base.errors import DeviceError, errc
from unisycl.lang.index.nd_item import group, item, nd_item, sub_group
from unisycl.lang.memory.atomic import atomic_ref
from unisycl.lang.memory.pointer import multi_ptr
from unisycl.lang.memory.views import HostView
from unisycl.process import activity

PERIOD, PATIENCE = 0.1, 1.0
_MOST_BYTES = 16 << 20
_SAME = 3  # so often one state is seen again before it counts
_WORKED = 1e-3  # seconds of the processor between two looks, at least
_OURS = str(Path(__file__).parents[2]) + os.sep
_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic)
_FIXED = (FunctionType, ModuleType, type, group, sub_group)


class Endless(DeviceError):
    """Ends a kernel from outside, wherever it is."""

    def __init__(self, text: str = "") -> None:
        super().__init__(errc.kernel, text)


class _Run:
    """One kernel that runs in a thread; ``limit`` is in seconds, 0 for none."""

    def __init__(self, runner: Any, limit: float) -> None:
        self.runner, self.limit = runner, limit
        self.begun = time.monotonic()
        self.thread = threading.get_ident()
        self.seen: dict[Any, int] = {}
        self.used = 0.0
        self.fired = self.came = False

    def look(self) -> str:
        """Return why it is to end now, "" if it may go on."""
        spent = time.monotonic() - self.begun
        frames = self._frames()
        if not frames:
            return ""
        if self.limit and spent > self.limit:
            return (f"it still ran after {self.limit:g} s, the time that UNISYCL_TIMEOUT or the "
                    "queue gives it")
        moment = activity.moment(self.thread)
        if spent < PATIENCE or moment is None or not self._alone():
            return ""
        state = self._state(frames) if self._went_on() else None
        if state is None:
            return ""
        state = moment, *state
        if len(self.seen) > 1000:
            self.seen.clear()
        self.seen[state] = count = self.seen.get(state, 0) + 1
        if count <= _SAME:
            return ""
        return ("this work-item can never go on: all others have ended, wait for it or come after "
                "it, and no other command or thread is at work, so nothing can change what it "
                "looks at here; on the host device work-items take turns at group functions only: "
                "let them meet, or ask for progress of their own (docs/forward-progress.md)")

    def _frames(self) -> list[FrameType]:
        """Return the frames of the user's, innermost first; none if it is not at work."""
        if sys.gettrace() is not None or getattr(threading, "gettrace", lambda: None)():
            return []
        at: FrameType | None = sys._current_frames().get(self.thread)
        files = self.runner.files
        while at is not None and at.f_code.co_filename.startswith(_OURS) \
                and at.f_code.co_filename not in files:
            at = at.f_back
        found = []
        while at is not None and at.f_code.co_filename in files:
            found.append(at)
            at = at.f_back
        # The scheduler's frame is next: a kernel is running, and no debugger stands between.
        return found if at is not None and at.f_code.co_filename.startswith(_OURS) else []

    def _went_on(self) -> bool:
        """Say whether the thread had the processor since the last look.

        On a busy machine it may be where it was for want of that.
        """
        if not hasattr(time, "pthread_getcpuclockid"):
            return True
        used = time.clock_gettime(time.pthread_getcpuclockid(self.thread))
        went = used - self.used >= _WORKED
        if went:
            self.used = used
        return went

    def _alone(self) -> bool:
        """Say whether the kernel knows all of the memory that it may change."""
        kernel = self.runner.kernel
        return not (kernel.waits or kernel.progress or kernel.reducers
                    or len(self.runner.binder.known))

    def _state(self, frames: list[FrameType]) -> Any:
        """Return the whole state of a work-item; None where not all of it is known."""
        views: dict[int, np.ndarray[Any, Any]] = {
            id(v): v._data for v in self.runner.binder.views()}
        try:
            places = tuple((f.f_code, f.f_lasti, tuple(
                (name, _known(value, views)) for name, value in f.f_locals.items()
                if not name.startswith("__unisycl"))) for f in frames)
        except _Unknown:
            return None
        if sum(data.nbytes for data in views.values()) > _MOST_BYTES:
            return None
        return places, tuple(zlib.crc32(np.ascontiguousarray(data).tobytes())
                             for _, data in sorted(views.items()))


class _Unknown(Exception):
    """A value whose state nobody knows."""


def _known(value: Any, views: dict[int, Any]) -> Any:
    """Return what a value is, comparable; memory is added to ``views``."""
    if isinstance(value, _PLAIN):  # vectors and records are NumPy's scalars, too
        return type(value).__name__, repr(value)
    if isinstance(value, HostView):
        views[id(value)] = value._data
        return id(value)
    if isinstance(value, multi_ptr):
        return _known(value._view, views), value._offset
    if isinstance(value, atomic_ref):
        return _known(value._view, views), repr(value._index)
    if isinstance(value, nd_item):
        return value._place.group, value._local
    if isinstance(value, item):
        return value._at
    if isinstance(value, _FIXED):
        return id(value)
    if isinstance(value, tuple):
        return tuple(_known(v, views) for v in value)
    if hasattr(type(value), "__dataclass_fields__"):
        return tuple(_known(getattr(value, f), views) for f in type(value).__dataclass_fields__)
    if isinstance(value, range):
        return repr(value)
    raise _Unknown


class _Patrol:
    """Looks at the kernels of all threads; one thread of Python's, asleep while none runs."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.runs: list[_Run] = []
        self.work = threading.Event()
        self.process = os.getpid()
        threading.Thread(target=self._go, daemon=True, name="unisycl-host-patrol").start()

    def _go(self) -> None:
        while True:
            self.work.wait()
            time.sleep(PERIOD)
            self._round()

    def _round(self) -> None:
        """Look at each thread's kernel once, and keep none: a kernel holds its memory."""
        with self.lock:
            last = {run.thread: run for run in self.runs}  # those below wait for it
            for run in last.values():
                if not run.fired and time.monotonic() - run.begun > PERIOD:
                    self._look(run)
            if not self.runs:
                self.work.clear()

    def _look(self, run: _Run) -> None:
        text = run.look()
        if text:
            run.fired = True

            def begin(self: Any) -> None:
                run.came = True
                Endless.__init__(self, text)
            kind = type("Endless", (Endless,), {"__init__": begin})
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(run.thread), ctypes.py_object(kind))


_patrols: list[_Patrol] = []


@contextmanager
def guarded(runner: Any, limit: float, begun: float = 0.0) -> Iterator[None]:
    """End what the calling thread does in this block if it cannot end, or not in time.

    ``begun``: when the launch began, if that was not now.
    """
    if not _patrols or _patrols[-1].process != os.getpid():
        try:
            _patrols.append(_Patrol())
        except RuntimeError:  # at the end of the program Python starts no thread
            yield
            return
    patrol, run = _patrols[-1], _Run(runner, limit)
    run.begun = begun or run.begun
    with patrol.lock:
        patrol.runs.append(run)
    patrol.work.set()
    try:
        yield
    finally:
        with patrol.lock:
            patrol.runs.remove(run)
        # It may have been too late. What is set must come: Python 3.11 that is told to forget it
        # looks for it for ever.
        with suppress(Endless):
            while run.fired and not run.came:
                time.sleep(0)
