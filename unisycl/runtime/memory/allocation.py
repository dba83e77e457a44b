"""Host memory of buffers: the default, and what a user's allocator gives (SYCL 2020 §4.7.1).

An allocator is any object with ``allocate(nbytes)``, which returns an object with a writable
buffer, and ``deallocate(memory)``. Non-goals: USM. Invariant: memory goes back to its allocator
exactly once, after the last array over it is gone.
"""

from __future__ import annotations

import weakref
from typing import Any, Protocol

import numpy as np

from unisycl.base.errors import UsageError, errc, exception
from unisycl.runtime.graph.lifecycle import call_quietly

Array = np.ndarray[Any, np.dtype[Any]]
ALIGNMENT = 64


class Allocator(Protocol):
    """What a buffer asks for memory."""

    def allocate(self, count: int, /) -> Any:
        """Return writable memory of so many bytes."""

    def deallocate(self, memory: Any, /) -> Any:
        """Take back what ``allocate`` returned."""


def is_allocator(thing: object) -> bool:
    """Say whether an object can allocate for a buffer."""
    return callable(getattr(thing, "allocate", None)) and callable(
        getattr(thing, "deallocate", None))


def aligned_bytes(count: int, alignment: int = ALIGNMENT) -> Array:
    """Return uninitialised bytes whose address is a multiple of ``alignment``."""
    raw = np.empty(count + alignment, np.uint8)
    start = -raw.ctypes.data % alignment
    return raw[start:start + count]


def allocate(count: int, allocator: Allocator | None) -> Array:
    """Return uninitialised bytes; ``errc.memory_allocation`` if there are none to be had."""
    try:
        if allocator is None or count == 0:
            return aligned_bytes(count)
        raw = allocator.allocate(count)
    except (MemoryError, ValueError, OverflowError) as err:
        raise exception(errc.memory_allocation, f"a buffer of {count} bytes cannot be placed in "
                        "memory; use a smaller buffer or split the work") from err
    if raw is None:
        raise exception(errc.memory_allocation, f"the allocator had no {count} bytes to give")
    found = _as_bytes(raw)
    if found is None or found.size < count:
        raise UsageError(errc.invalid, f"the allocator {type(allocator).__name__} must return a "
                         f"writable buffer of {count} bytes, not {raw!r}")
    # An array over a memoryview is its own base, so it lives as long as the last view of it.
    owner = np.frombuffer(found.data, np.uint8, count)
    weakref.finalize(owner, call_quietly, allocator.deallocate, raw).atexit = False
    return owner


def _as_bytes(raw: Any) -> Array | None:
    """Return memory as bytes without a copy; None if it is not writable and contiguous."""
    try:
        array = np.asarray(raw if hasattr(raw, "__array_interface__") else memoryview(raw))
    except TypeError:
        return None
    if not array.flags.c_contiguous or not array.flags.writeable:
        return None
    return array.reshape(-1).view(np.uint8)
