"""Memory objects of a device that does not share the host's memory, seen as typed arrays.

Non-goals: when data moves (``runtime``). Invariant: a ``DeviceArray`` holds its memory object as
long as anything refers to it.
"""

from __future__ import annotations

import itertools
import threading
from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.backends.base import BoundView
from unisycl.backends.opencl.errors import translated
from unisycl.backends.opencl.launch.failed_calls import is_loss
from unisycl.base.errors import UsageError, errc

_PAGE = 1 << 12


class _Numbers:
    """Hands out ranges of addresses above all that processors have."""

    def __init__(self) -> None:
        self._next = 1 << 56
        self._lock = threading.Lock()

    def take(self, nbytes: int) -> int:
        """Return the start of so many bytes."""
        with self._lock:
            at = self._next
            self._next += -(-max(1, nbytes) // _PAGE) * _PAGE + _PAGE
            return at


_numbers = _Numbers()
_READ_ONLY = 1 << 2  # CL_MEM_READ_ONLY
_objects = itertools.count(-1, -1)  # no addresses of the host's


class DeviceArray:
    """Bytes ``start`` to ``start + nbytes`` of a memory object, as elements of a dtype.

    ``number`` tells memory objects apart for ever, also those that lie where another one did.
    """

    __slots__ = ("base", "buffer", "dtype", "nbytes", "number", "start")

    def __init__(self, buffer: Any, dtype: np.dtype[Any], start: int, nbytes: int,
                 base: int, number: int = 0) -> None:
        self.number = number or next(_objects)
        self.buffer = buffer
        self.dtype = dtype
        self.start = start
        self.nbytes = nbytes
        self.base = base

    @classmethod
    def over(cls, buffer: Any, nbytes: int) -> DeviceArray:
        """Return the bytes of a memory object, with an address that no other one has."""
        return cls(buffer, np.dtype(np.uint8), 0, nbytes, next_address(nbytes))

    @property
    def address(self) -> int:
        """A number that tells places apart; kernels never see it."""
        return self.base + self.start

    @property
    def writable(self) -> bool:
        """Whether kernels may write: not where a program made the object ``CL_MEM_READ_ONLY``."""
        return not self.buffer.flags & _READ_ONLY

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
        kind = np.dtype(dtype)
        if self.start % kind.itemsize and self.nbytes:
            return self._part().view(kind)
        return DeviceArray(self.buffer, kind, self.start, self.nbytes, self.base, self.number)

    def whole(self) -> Any:
        """Return a memory object of these bytes alone."""
        if self.start == 0:
            return self.buffer
        return self._part().buffer

    def _part(self) -> DeviceArray:
        """Return the same bytes as a memory object of their own, which starts with them."""
        try:
            part = self.buffer.get_sub_region(self.start, self.nbytes)
        except Exception as error:
            if is_loss(error):
                raise translated("a part of a memory object", error) from error
            raise UsageError(errc.invalid, f"memory from byte {self.start} on cannot be seen as "
                             f"other elements on this device ({error}); start it at a multiple of "
                             "the device's mem_base_addr_align") from error
        return DeviceArray(part, np.dtype(np.uint8), 0, self.nbytes, self.address)

    def __getitem__(self, part: slice) -> DeviceArray:
        start, stop, _ = part.indices(self.size)
        size = self.dtype.itemsize
        return DeviceArray(self.buffer, self.dtype, self.start + start * size,
                           max(0, stop - start) * size, self.base, self.number)


def next_address(nbytes: int) -> int:
    """Return an address that no other allocation has, and none of the host's."""
    return _numbers.take(nbytes)


def address(view: BoundView) -> int:
    """Return where a view over host memory starts."""
    return view.slots()[0]
