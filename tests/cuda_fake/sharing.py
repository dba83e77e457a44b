"""Memory that other processes open.

Non-goals: other processes. Invariant: what was opened is closed, not freed.
"""

from __future__ import annotations

import ctypes
from typing import Any

from tests.cuda_fake.core import INVALID_VALUE, number
from tests.cuda_fake.memory import Memory


class Sharing(Memory):
    """Functions about handles of memory."""

    def _cuIpcGetMemHandle(self, out: Any, address: Any) -> int:
        found = self._blocks.get(number(address))
        if found is None or found[2] != "device" or number(address) in self.pooled:
            return INVALID_VALUE  # inside an allocation, or of the pool
        ctypes.memmove(ctypes.addressof(out._obj), number(address).to_bytes(64, "little"), 64)
        return 0

    def _cuIpcOpenMemHandle_v2(self, out: Any, handle: Any, flags: int) -> int:
        """Open a handle of another process: new memory here, since there is no other process."""
        return self._give(out, 4096, "opened") if flags == 1 and any(handle.reserved) else (
            INVALID_VALUE)

    def _cuIpcCloseMemHandle(self, address: Any) -> int:
        return self._take(address, ("opened",))
