"""Memory of the size of a whole buffer, of which a rank uses its parts only.

Pages that nobody touches take no memory. Non-goals: memory of devices. Invariant: what was never
written reads as zero.
"""

from __future__ import annotations

import math
import mmap
import sys
from typing import Any

import numpy as np

_NORESERVE = 0x4000 if sys.platform.startswith("linux") else 0


def reserve(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Return an array of zeros, as large as it is, that takes memory where it is used."""
    size = math.prod(shape) * dtype.itemsize
    if size < mmap.PAGESIZE or not _NORESERVE:
        return np.zeros(shape, dtype)
    pages = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NORESERVE)
    return np.frombuffer(pages, np.uint8)[:size].view(dtype).reshape(shape)
