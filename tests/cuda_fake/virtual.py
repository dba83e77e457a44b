"""Addresses and memory that are joined later: the host's memory stands for what is mapped.

Non-goals: two mappings of one memory showing each other's writes. Invariant: what is used wrongly
is refused.
"""

from __future__ import annotations

import ctypes
from typing import Any

from tests.cuda_fake.core import INVALID_VALUE, number
from tests.cuda_fake.textures import Textures

STEP = 2 << 20


class Virtual(Textures):
    """Functions about virtual memory; ``reserved`` and ``made`` are what there is."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.reserved: dict[int, int] = {}
        self.made: dict[int, int] = {}
        self.maps: dict[int, list[int]] = {}
        """By addresses: bytes, memory, what may be done."""

    def _cuMemGetAllocationGranularity(self, out: Any, what: Any, kind: int) -> int:
        assert (1, 1) == (what._obj.type, what._obj.place)
        out._obj.value = STEP
        return 0

    def _cuMemAddressReserve(self, out: Any, nbytes: int, align: int, at: int, flags: int) -> int:
        if nbytes % STEP:
            return INVALID_VALUE
        held = ctypes.create_string_buffer(nbytes + STEP)
        start = -(-ctypes.addressof(held) // STEP) * STEP
        self.reserved[start] = nbytes
        self._blocks[start] = held, nbytes, "device"
        self._homes[start] = self._stack()[-1]
        out._obj.value = start
        return 0

    def _cuMemAddressFree(self, start: Any, nbytes: int) -> int:
        if self.reserved.get(start) != nbytes or any(
                start <= at < start + nbytes for at in self.maps):
            return INVALID_VALUE
        del self.reserved[start]
        del self._blocks[start]
        return 0

    def _cuMemCreate(self, out: Any, nbytes: int, what: Any, flags: int) -> int:
        if nbytes % STEP:
            return INVALID_VALUE
        out._obj.value = 1 + max(self.made, default=0)
        self.made[out._obj.value] = nbytes
        return 0

    def _cuMemRelease(self, memory: Any) -> int:
        return 0 if self.made.pop(number(memory), None) else INVALID_VALUE

    def _cuMemMap(self, start: int, nbytes: int, offset: int, memory: int, flags: int) -> int:
        if self.made.get(memory, 0) < offset + nbytes or start in self.maps:
            return INVALID_VALUE
        self.maps[start] = [nbytes, memory, 0]
        return 0

    def _cuMemSetAccess(self, start: int, nbytes: int, access: Any, count: int) -> int:
        if start not in self.maps or count != 1:
            return INVALID_VALUE
        self.maps[start][2] = access._obj.flags
        return 0

    def _cuMemUnmap(self, start: int, nbytes: int) -> int:
        return 0 if self.maps.pop(start, [0])[0] == nbytes else INVALID_VALUE
