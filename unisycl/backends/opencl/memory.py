"""Memory objects of a device that does not share the host's memory, seen as typed arrays.

Non-goals: when data moves (``runtime``). Invariant: a ``DeviceArray`` holds its memory object as
long as anything refers to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.backends.base import BoundView


class DeviceArray:
    """Bytes ``start`` to ``start + nbytes`` of a memory object, as elements of a dtype."""

    __slots__ = ("buffer", "dtype", "nbytes", "start")

    def __init__(self, buffer: Any, dtype: np.dtype[Any], start: int, nbytes: int) -> None:
        self.buffer = buffer
        self.dtype = dtype
        self.start = start
        self.nbytes = nbytes

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.dtype.itemsize

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.nbytes // self.dtype.itemsize

    def view(self, dtype: npt.DTypeLike) -> DeviceArray:
        """Return the same bytes as elements of another type."""
        return DeviceArray(self.buffer, np.dtype(dtype), self.start, self.nbytes)

    def __getitem__(self, part: slice) -> DeviceArray:
        start, stop, _ = part.indices(self.size)
        size = self.dtype.itemsize
        return DeviceArray(self.buffer, self.dtype, self.start + start * size,
                           max(0, stop - start) * size)


def address(view: BoundView) -> int:
    """Return where a view over host memory starts."""
    memory = view.memory
    base: int = memory.__array_interface__["data"][0]
    return base + view.offset * int(memory.itemsize)
