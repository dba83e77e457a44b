"""Memory of routines on the host that was used before: large blocks are kept for the next call.

The system gives large memory page by page, each cleared when it is first touched, which takes as
long as a pass over it, and in a virtual machine many times as long. Non-goals: memory of devices.
Invariant: a block is given out again when nothing refers to the array that it was given out as; so
many bytes are kept at most.
"""

from __future__ import annotations

import threading
import weakref
from typing import Any

import numpy as np

LINE = 64
_LARGE = 1 << 20
_KEPT = 1 << 28
"""Bytes that are kept at most, of all blocks that nobody uses."""


class Rooms:
    """Blocks that nobody uses."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._free: list[Any] = []

    def take(self, count: int, dtype: np.dtype[Any]) -> Any:
        """Return an array with anything in it, which begins where a line of the cache does."""
        size = count * dtype.itemsize
        if size < _LARGE:
            return _from_line(np.empty(size + LINE, np.uint8), size).view(dtype)
        block = self._fitting(size + LINE)
        held = _Held(block)
        weakref.finalize(held, self._back, block).atexit = False
        return _from_line(np.asarray(held), size).view(dtype)

    def _fitting(self, size: int) -> Any:
        with self._lock:
            for k in reversed(range(len(self._free))):  # what was used last may be in a cache
                if size <= self._free[k].size <= size + size // 4:
                    return self._free.pop(k)
        return np.empty(size, np.uint8)

    def _back(self, block: Any) -> None:
        with self._lock:
            self._free.append(block)
            while sum(b.size for b in self._free) > _KEPT:
                self._free.pop(0)

    def clear(self) -> None:
        """Give all that nobody uses back to the system."""
        with self._lock:
            self._free.clear()


class _Held:
    """What arrays in a block refer to, and nothing else does."""

    __slots__ = ("__array_interface__", "__weakref__")

    def __init__(self, block: Any) -> None:
        self.__array_interface__ = block.__array_interface__


def _from_line(room: Any, size: int) -> Any:
    first = -room.__array_interface__["data"][0] % LINE
    return room[first:first + size]


ROOMS = Rooms()
