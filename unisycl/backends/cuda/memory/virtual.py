"""Addresses without memory, and memory of a card without addresses.

Non-goals: which ranges are reserved and mapped (``api.memory.virtual_memory``). Invariants: sizes
and places are multiples of the granularity; before memory is taken from an address all that was
given to the card has ended.
"""

from __future__ import annotations

import contextlib
import ctypes
from typing import Any

from unisycl.backends.cuda.api import Access, AllocationProp
from unisycl.backends.cuda.memory.arrays import Allocation, UnifiedArray
from unisycl.backends.cuda.session import Session
from unisycl.base.enums import usm_kind
from unisycl.base.errors import exception

_PINNED = _DEVICE = 1  # CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_DEVICE
_FLAGS = {"none": 0, "read": 1, "read_write": 3}


class CuVirtual:
    """Reserves, makes and maps (``Driver.virtual``)."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._what = AllocationProp(type=_PINNED, place=_DEVICE, id=session.card.ordinal)

    def granularity(self, *, recommended: bool) -> int:
        """Return what sizes and places are multiples of."""
        out = ctypes.c_size_t()
        with self._session as api:
            api.call("cuMemGetAllocationGranularity", ctypes.byref(out), ctypes.byref(self._what),
                     int(recommended))
        return out.value

    def reserve(self, start: int, nbytes: int) -> int:
        """Return where a range begins, at ``start`` if that is free."""
        with self._session as api:
            return api.address("cuMemAddressReserve", nbytes, 0, start, 0)

    def free(self, start: int, nbytes: int) -> None:
        """Give a range back."""
        with self._session as api:
            api.call("cuMemAddressFree", start, nbytes)

    def make(self, nbytes: int) -> int:
        """Return memory's handle."""
        with self._session as api:
            return api.address("cuMemCreate", nbytes, ctypes.byref(self._what), 0)

    def release(self, memory: int) -> None:
        """Give memory up, which stays where it is mapped; called by finalisers: raises nothing."""
        session = self._session
        if session.is_mine() and session.lost is None:
            with contextlib.suppress(exception), session as api:
                api.call("cuMemRelease", memory)

    def map(self, start: int, nbytes: int, memory: int, offset: int, mode: str) -> UnifiedArray:
        """Put memory at an address; return its bytes there."""
        with self._session as api:
            api.call("cuMemMap", start, nbytes, offset, memory, 0)
        if mode != "none":
            self.allow(start, nbytes, mode)
        return Allocation(start, nbytes, _nothing, usm_kind.device).array()

    def allow(self, start: int, nbytes: int, mode: str) -> None:
        """Say what kernels and copies may do there."""
        access = Access(type=_DEVICE, id=self._session.card.ordinal, flags=_FLAGS[mode])
        with self._session as api:
            api.call("cuMemSetAccess", start, nbytes, ctypes.byref(access), 1)

    def unmap(self, start: int, nbytes: int) -> None:
        """Take memory from an address, once nothing runs."""
        with self._session as api:
            api.call("cuCtxSynchronize")
            api.call("cuMemUnmap", start, nbytes)


def _nothing(gone: Any) -> None:
    """Leave memory where it is mapped: that ends by ``unmap`` alone."""
