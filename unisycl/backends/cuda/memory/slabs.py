"""Small pieces of memory that host and card share, cut from large ones.

The driver takes a fraction of a millisecond for such memory, and waits for every kernel that runs
before it gives any; so what is small comes from what is there. Non-goals: memory of the card
itself, which its pool gives without waiting. Invariants: a piece that is let go of is used again by
the next of its size; the large ones stay until the end of the process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from unisycl.backends.cuda.memory.arrays import Allocation, UnifiedArray
from unisycl.base.enums import usm_kind

LARGEST = 128 << 10
"""The bytes of the largest piece."""
_SLAB = 2 << 20
_SMALLEST = 256


class Slabs:
    """The pieces of one kind; ``more`` returns a new large allocation, or None."""

    def __init__(self, kind: usm_kind, more: Callable[[int], Allocation | None]) -> None:
        self._kind = kind
        self._more = more
        self._lock = threading.RLock()  # finalisers come at any time
        self._free: dict[int, list[tuple[int, Allocation]]] = {}
        self._rest: tuple[Allocation, int] | None = None

    def take(self, nbytes: int) -> UnifiedArray | None:
        """Return a piece; None where there is no memory of the kind."""
        size = max(_SMALLEST, 1 << (nbytes - 1).bit_length())
        with self._lock:
            known = self._free.setdefault(size, [])
            found = known.pop() if known else self._cut(size)
        if found is None:
            return None
        address, slab = found
        made = Allocation(address, nbytes, lambda gone: known.append(found), self._kind,
                          managed=slab.managed)
        return made.array()

    def _cut(self, size: int) -> tuple[int, Allocation] | None:
        """Return a new piece; locked."""
        if self._rest is None or self._rest[1] + size > _SLAB:
            slab = self._more(_SLAB)
            if slab is None:
                return None
            self._rest = slab, 0
        slab, at = self._rest
        self._rest = slab, at + size
        return slab.address + at, slab
