"""Threads that wait inside drivers, so that Ctrl-C stays possible meanwhile.

Non-goals: how long a command is looked at before (``completion``). Invariant: where a driver lets
only one thread wait at a time, whoever waits inside it holds ``INSIDE``.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
import time
from queue import SimpleQueue
from typing import Any

SPIN_NS = 40_000
LATE_NS = 3_000_000
"""One that looks for longer takes some hundredths of the processors' time from a kernel."""

INSIDE = threading.Lock()
"""Held by the thread that waits inside a driver which lets only one do so."""

_LEAVING_SECONDS = 5.0
_inside: set[int] = set()
_ending = threading.Event()


class Ending:
    """What a driver does when the interpreter ends."""

    def leave(self) -> None:
        """Have no other thread inside a driver any more, now that all commands have ended.

        Python ends a thread where it comes back from native code after the end of the interpreter;
        in the midst of PyOpenCL's C++ that is ``std::terminate``.
        """
        _ending.set()
        stop = time.monotonic() + _LEAVING_SECONDS
        while _inside - {threading.get_ident()} and time.monotonic() < stop:
            time.sleep(1e-4)

    def abandon(self, keep: object) -> None:
        """Have the process end although commands run: what they use stays.

        Runtimes wait for their threads when their libraries are unloaded; so the process leaves
        before that, with the status it has by then.
        """
        ctypes.pythonapi.Py_IncRef(ctypes.py_object((keep, self)))
        libc = ctypes.CDLL(None)
        if hasattr(libc, "on_exit"):  # glibc's: it is called with the status
            libc.on_exit(libc._exit, None)


class Waiter:
    """Threads that wait inside the driver, each for one event.

    Args:
        after: so many ns a command is waited for by looking; less where the threads work, too.
        alone: only one thread of the process may be inside; the others go on looking.
    """

    def __init__(self, after: int = SPIN_NS, *, alone: bool = False) -> None:
        self.after = after
        self.alone = alone
        self._jobs: SimpleQueue[tuple[Any, threading.Lock]] = SimpleQueue()
        self._lock = threading.Lock()
        self._idle = 0

    def watch(self, event: Any) -> threading.Lock | None:
        """Return a lock that is released when the event has ended; None if nobody may wait now.

        It is released at once if another thread was faster.
        """
        if self.alone and INSIDE.locked():
            return None
        gate = threading.Lock()
        gate.acquire()
        with self._lock:
            start = self._idle == 0
            self._idle -= not start
        self._jobs.put((event, gate))
        if start:
            threading.Thread(target=self._run, name="unisycl-opencl", daemon=True).start()
        return gate

    def wait_here(self, event: Any) -> None:
        """Wait in this thread; not if another one is inside where only one may be."""
        if self.alone and not INSIDE.acquire(blocking=False):
            return
        me = threading.get_ident()
        _inside.add(me)
        try:
            if not _ending.is_set():
                event.wait()
        finally:
            _inside.discard(me)
            if self.alone:
                INSIDE.release()

    def _run(self) -> None:
        while True:
            event, gate = self._jobs.get()
            with contextlib.suppress(Exception):  # its status says what went wrong
                self.wait_here(event)
            del event  # who goes on next may count what holds memory
            gate.release()
            del gate
            with self._lock:
                self._idle += 1
