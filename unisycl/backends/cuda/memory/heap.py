"""Memory of one card's context: its own, the host's pinned in place, and managed.

Memory of the card comes from the driver's pool, by a stream of its own in which nothing else is
ordered, and is kept there when it is freed. Non-goals: what lies in it. Invariants: memory is freed
when nothing uses it any more, and never after the device was lost or in a forked child; there is
never more managed memory than the card has free: a program that touches more can hang it.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import threading

import numpy as np

from unisycl.backends.cuda.discovery.info import shares
from unisycl.backends.cuda.errors import OUT_OF_MEMORY
from unisycl.backends.cuda.memory import capsules
from unisycl.backends.cuda.memory.arrays import Allocation, DeviceArray, UnifiedArray
from unisycl.backends.cuda.memory.slabs import LARGEST, Slabs
from unisycl.backends.cuda.session import Session
from unisycl.base.enums import usm_kind
from unisycl.base.errors import UsageError, errc, exception

_PORTABLE_MAPPED = 1 | 2
_GLOBAL = 1
_KEEP_ALL = (1 << 64) - 1
_THRESHOLD = 4  # CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
_NON_BLOCKING = 1
_BYTES = np.dtype(np.uint8)
_ALIGNED = 256


class Heap:
    """The allocations of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = threading.RLock()  # finalisers come at any time
        self._managed = self.pool = 0
        self._small_pinned = Slabs(usm_kind.host, self._pinned)
        self._small_shared = Slabs(usm_kind.shared, self._of_both)
        with session as api:
            self._stream = api.address("cuStreamCreate", _NON_BLOCKING)
            if session.card.number("pools"):
                self.pool = api.address("cuDeviceGetDefaultMemPool", session.card.ordinal)
                keep = ctypes.c_uint64(_KEEP_ALL)
                api.call("cuMemPoolSetAttribute", self.pool, _THRESHOLD, ctypes.byref(keep))

    def allocate(self, nbytes: int, kind: usm_kind | None, alignment: int = 1) -> (
            DeviceArray | UnifiedArray):
        """Return bytes of a kind; of none, or kind device, those of the card itself."""
        size = max(1, nbytes)
        if alignment <= _ALIGNED:  # the driver promises no more
            return self._of_kind(size, kind)
        whole = self._of_kind(size + alignment, kind)
        at: int = whole.address if isinstance(whole, DeviceArray) else whole.ctypes.data
        start = -at % alignment
        return whole[start:start + size]  # type: ignore[return-value]

    def _of_kind(self, nbytes: int, kind: usm_kind | None) -> DeviceArray | UnifiedArray:
        if kind is usm_kind.host:
            return self.pinned(nbytes)
        if kind is usm_kind.shared:
            return self._shared(nbytes)
        made = self._own(nbytes)
        owner: Allocation = made.owner
        return made if kind is None else owner.array()  # its address is kept in memory

    def _own(self, nbytes: int) -> DeviceArray:
        capsules.reap()
        if self.pool:
            address = self._asked("cuMemAllocAsync", nbytes, self._stream)
        else:
            address = self._asked("cuMemAlloc_v2", nbytes)
        owner = Allocation(address, nbytes, self._let_go, usm_kind.device)
        if self.pool:
            with self._session as api:  # nothing else is in that stream, so this waits for nothing
                api.call("cuStreamSynchronize", self._stream)
        return DeviceArray(owner, address, nbytes, _BYTES)

    def alone(self, nbytes: int) -> UnifiedArray:
        """Return bytes of the card's memory that are not of the driver's pool."""
        return Allocation(self._asked("cuMemAlloc_v2", nbytes), nbytes, self._let_go,
                          usm_kind.device, alone=True).array()

    def zeros(self, nbytes: int) -> DeviceArray:
        """Return bytes of the card's memory that are 0."""
        made = self._own(nbytes)
        with self._session as api:
            api.call("cuMemsetD8Async", made.address, 0, nbytes, self._stream)
            api.call("cuStreamSynchronize", self._stream)
        return made

    def pinned(self, nbytes: int, kind: usm_kind = usm_kind.host) -> UnifiedArray:
        """Return bytes of the host's memory that the card reaches in place."""
        if nbytes <= LARGEST and kind is usm_kind.host:
            found = self._small_pinned.take(nbytes)
            assert found is not None
            return found
        return self._pinned(nbytes, kind).array()

    def _pinned(self, nbytes: int, kind: usm_kind = usm_kind.host) -> Allocation:
        address = self._asked("cuMemHostAlloc", nbytes, _PORTABLE_MAPPED)
        return Allocation(address, nbytes, self._let_go, kind)

    def _shared(self, nbytes: int) -> UnifiedArray:
        if nbytes <= LARGEST:
            found = self._small_shared.take(nbytes)
            if found is not None:
                return found
        made = self._of_both(nbytes)
        return self.pinned(nbytes, usm_kind.shared) if made is None else made.array()

    def _of_both(self, nbytes: int) -> Allocation | None:
        """Return managed memory; None where there is none, or no room for it."""
        if not self._reserve(nbytes):
            return None
        try:
            address = self._asked("cuMemAllocManaged", nbytes, _GLOBAL)
        except BaseException:
            with self._lock:
                self._managed -= nbytes
            raise
        return Allocation(address, nbytes, self._let_go, usm_kind.shared, managed=True)

    def _reserve(self, nbytes: int) -> bool:
        """Count managed memory; say whether the card has room for it and all that there is."""
        if not shares(self._session.card):
            return False
        with self._session as api:
            free, _ = api.memory_info()
        with self._lock:
            if self._managed + nbytes > free:
                return False
            self._managed += nbytes
        return True

    def _asked(self, name: str, nbytes: int, *args: int) -> int:
        """Return memory; where there is none try again without what was kept."""
        out = ctypes.c_uint64()
        result = 0
        for again in range(3):
            with self._session as api:
                result = api.attempt(name, ctypes.byref(out), nbytes, *args)
            if result != OUT_OF_MEMORY:
                break
            if again == 1:
                gc.collect()
            self._trim()
        if result == OUT_OF_MEMORY:
            with self._session as api:
                free, total = api.memory_info()
            raise UsageError(errc.memory_allocation, f"{nbytes} bytes were asked for; "
                             f"'{self._session.card.name}' has {free} of {total} bytes free; use "
                             "smaller buffers, or fewer at a time")
        if result:
            raise self._session.failed(result, f"{name} of {nbytes} bytes")
        return out.value

    def _trim(self) -> None:
        """Give the driver back what its pool keeps."""
        if self.pool:
            with self._session as api:
                api.attempt("cuStreamSynchronize", self._stream)
                api.attempt("cuMemPoolTrimTo", self.pool, 0)

    def _let_go(self, gone: Allocation) -> None:
        """Free memory that nothing uses; called by finalisers, so it raises nothing."""
        session = self._session
        if gone.managed:
            with self._lock:
                self._managed -= gone.nbytes
        if not session.is_mine() or session.lost is not None:
            return
        more: tuple[int, ...] = ()
        if gone.kind is not usm_kind.device:
            name = "cuMemFree_v2" if gone.managed else "cuMemFreeHost"
        elif self.pool and not gone.alone:
            name, more = "cuMemFreeAsync", (self._stream,)
        else:
            name = "cuMemFree_v2"
        with contextlib.suppress(exception), session as api:  # it was lost meanwhile
            result = api.attempt(name, gone.address, *more)
            if result:
                session.failed(result, name)
