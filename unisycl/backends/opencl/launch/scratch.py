"""Memory that a launch needs besides its arguments, on an OpenCL device (``device.scratch``).

Non-goals: what is in it. Invariant: memory on loan is a call's own for as long as the call lives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.backends.device.scratch import Call, Scratch, whole
from unisycl.backends.opencl.memory.transfers import Transfers


class ClScratch(Scratch):
    """Such memory of one device; ``transfers`` allocates on one that has its own."""

    def __init__(self, transfers: Callable[[], Transfers], *, shares_host: bool) -> None:
        super().__init__(lambda nbytes: transfers().allocate(nbytes),
                         lambda nbytes: transfers().zeros(nbytes), shares_host=shares_host)
        self._transfers = transfers

    def to_device(self, call: Call, array: np.ndarray[Any, Any],
                  waits: list[Any] | None) -> tuple[Any, list[Any]]:
        """Return a copy of an array on the device, and what a kernel that uses it waits for."""
        copy = self.memory(call, array.size, array.dtype)
        event, _ = self._transfers().copy(whole(copy), whole(array), None)
        return copy, [*(waits or ()), event]
