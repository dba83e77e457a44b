"""Which ranks compute, so that one whose kernel takes long is not taken for lost.

While a rank has a kernel at work it tells all others about once a second, by a thread that does
nothing else. Non-goals: saying which rank waits for which; host code, which may be stuck.
Invariant: nothing is told of a rank that runs no kernel, so the limit counts from the last end.
"""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

PERIOD = 1.0
Busy = Callable[[], bool]


def working(channel: Any) -> Busy:
    """Return what says whether a kernel of a queue is at work; no longer than the queue lives."""
    known = weakref.ref(channel)

    def look() -> bool:
        found = known()
        return found is not None and any(
            t.where is not None and t.completion is not None and not t.done()
            for t in found.snapshot())
    return look


class Pulse:
    """What this process's ends of a group know of who computes.

    Args:
        comm: an mpi4py communicator of all of the group, that nobody else uses.
        limit: the seconds after which a rank counts as missing.
    """

    def __init__(self, comm: Any, limit: float) -> None:
        self.comm, self.heard = comm, float("-inf")
        self._period = min(PERIOD, limit / 6)
        self._busy: list[Busy] = []
        self._sent: list[Any] = []
        self._byte = bytearray(1)
        self._reading = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def note(self, busy: Busy) -> None:
        """Ask this, too, whether this rank computes."""
        self._busy.append(busy)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="unisycl-pulse", daemon=True)
            self._thread.start()
            atexit.register(self._end)  # before MPI ends

    def read(self) -> None:
        """Take note of what others have told."""
        if not self._reading.acquire(blocking=False):
            return  # another thread is at it
        try:
            into = bytearray(1)
            while self.comm.Iprobe():
                self.comm.Recv(into)
                self.heard = time.monotonic()
        finally:
            self._reading.release()

    def _run(self) -> None:
        others = [r for r in range(self.comm.Get_size()) if r != self.comm.Get_rank()]
        while not self._stop.wait(self._period):
            self.read()
            if any(busy() for busy in self._busy):
                self.heard = time.monotonic()
                self._sent = [r for r in self._sent if not r.Test()]
                if len(self._sent) < 2 * len(others):  # nobody reads what was sent before
                    self._sent += [self.comm.Isend(self._byte, r) for r in others]

    def _end(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(2 * self._period)
