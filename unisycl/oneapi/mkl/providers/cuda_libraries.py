"""NVIDIA's libraries for CUDA devices: where they are, what they call handles, what they answer.

Non-goals: what their functions mean. Invariants: found by path, in wheels first, then in the
system's folder; a handle belongs to one stream, so that no two streams share its workspace.
"""

from __future__ import annotations

import ctypes
import threading
from pathlib import Path

import unisycl as sycl
from unisycl.oneapi.frame.library import Library, beside

TYPE_NUMBERS = {"s": 0, "d": 1, "c": 4, "z": 5}
"""What ``cudaDataType`` calls the types of elements."""


def found(name: str) -> Path:
    """Return a library of CUDA's by its name; raises ``OSError`` where it is not there."""
    places = beside("nvidia", f"nvidia/*/lib/lib{name}.so.*")
    places += sorted(Path("/usr/local/cuda/lib64").glob(f"lib{name}.so.*"))
    if not places:
        raise OSError(f"no lib{name} is installed (pip install nvidia-{name})")
    return places[-1] if len(places) == 1 else min(places, key=lambda p: (len(p.name), p.name))


class Handles:
    """What a library calls a handle, one a stream."""

    def __init__(self, library: Library, create: str, stream: str) -> None:
        self._names = create, stream
        self._create = library.plain(create, [ctypes.c_void_p], ctypes.c_int)
        self._stream = library.plain(stream, [ctypes.c_void_p, ctypes.c_void_p], ctypes.c_int)
        self.lock = threading.RLock()
        self._made: dict[int, int] = {}

    def of(self, stream: int) -> int:
        """Return the handle for a stream; the lock is held."""
        if stream not in self._made:
            out = ctypes.c_void_p()
            check(self._names[0], self._create(ctypes.byref(out)))
            self._made[stream] = out.value or 0
            check(self._names[1], self._stream(self._made[stream], stream))
        return self._made[stream]


def check(what: str, status: int) -> None:
    """Raise the error of a call that failed."""
    if status:
        raise sycl.DeviceError(sycl.errc.runtime, f"{what} failed with status {status}")
