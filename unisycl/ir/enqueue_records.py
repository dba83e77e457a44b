"""The records in which kernels write down what they enqueue (OpenCL 3.0 §3.2.3).

One record of 64-bit words for each command, in memory of one launch; beside it a counter of the
records. Non-goals: writing them (``lang.kernels.device_queue``), starting commands. Invariant: a
record means the same on every device.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.base.enums import access_mode
from unisycl.ir.types import View, global_view

CAPACITY = 2048
"""How many commands one launch of a kernel may enqueue."""
MOST_GENERATIONS = 1024
WORDS = 32
MOST_WAITS = 6
MOST_NUMBERS = 16
KERNEL, FLAGS, STATUS, EXTENT, OFFSET, WAITS, NUMBERS = 0, 1, 2, 4, 7, 10, 16
"""Where a record has what: its kernel's number (negative: a marker, a user event), flags, how many
events it waits for (of a user event: its status), 3 extents, 3 offsets, events, numbers."""
MARKER, USER_EVENT = -1, -2
SUBMITTED = 2

GROUP_SIZE, MULTIPLE = 1, 2
"""Where the counters have, behind the number of records, facts about the device: the largest
work-group, and what work-groups should be a multiple of."""


class Commands:
    """Captured by kernels that enqueue: memory of each launch's own.

    Args:
        dtype: its elements: int64 for records, int32 for counters.
        count: how many.
    """

    __slots__ = ("_type", "count", "counts", "dtype")
    __kernel_commands__ = True

    def __init__(self, dtype: Any, count: int) -> None:
        self.dtype = np.dtype(dtype)
        self.count = count
        self.counts = self.dtype == np.int32
        kind = global_view(self.dtype, 1, access_mode.read_write)
        assert kind is not None
        self._type: View = kind

    def __kernel_type__(self) -> View:
        """Return the type kernels see."""
        return self._type


records: Any = Commands(np.int64, CAPACITY * WORDS)
counts: Any = Commands(np.int32, 16)
