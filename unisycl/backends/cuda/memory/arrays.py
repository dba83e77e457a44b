"""Memory of a card, seen as typed arrays, and memory that card and host share, which is NumPy's.

Non-goals: allocating (``heap``), when data move (``runtime``). Invariant: memory lives as long as
any of its views does.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.backends.base import BoundView
from unisycl.base.enums import usm_kind


class DeviceArray:
    """Bytes of a card's memory, as elements of a dtype; ``owner`` frees them."""

    __slots__ = ("address", "dtype", "nbytes", "owner", "writable")

    def __init__(self, owner: Any, address: int, nbytes: int, dtype: np.dtype[Any], *,
                 writable: bool = True) -> None:
        self.owner = owner
        self.address = address
        self.nbytes = nbytes
        self.dtype = dtype
        self.writable = writable

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
        return DeviceArray(self.owner, self.address, self.nbytes, np.dtype(dtype),
                           writable=self.writable)

    def __getitem__(self, part: slice) -> DeviceArray:
        start, stop, _ = part.indices(self.size)
        size = self.dtype.itemsize
        return DeviceArray(self.owner, self.address + start * size, max(0, stop - start) * size,
                           self.dtype, writable=self.writable)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """These elements for other libraries; they must be used up when commands write here."""
        return {"data": (self.address, not self.writable), "shape": (self.size,),
                "typestr": self.dtype.str, "descr": self.dtype.descr, "strides": None,
                "version": 3}


class UnifiedArray(np.ndarray[Any, Any]):
    """Elements of an allocation at an address that the card reaches.

    Of kind device the host must not look: they are not there for it.
    """

    allocation: Allocation

    def __array_finalize__(self, whole: Any) -> None:
        if whole is not None:
            self.allocation = getattr(whole, "allocation", None)  # type: ignore[assignment]


class Allocation:
    """Memory of the driver's; whoever made it says by ``free`` how it goes back."""

    __slots__ = ("__weakref__", "_free", "address", "alone", "kind", "managed", "nbytes")

    def __init__(self, address: int, nbytes: int, free: Any, kind: usm_kind, *,
                 managed: bool = False, alone: bool = False) -> None:
        self.address = address
        self.nbytes = nbytes
        self.kind = kind
        self.managed = managed
        self.alone = alone
        self._free = free

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return {"data": (self.address, False), "shape": (self.nbytes,), "typestr": "|u1",
                "strides": None, "version": 3}

    def array(self) -> UnifiedArray:
        """Return its bytes, for the host as well; they keep it."""
        made = np.asarray(self).view(UnifiedArray)
        made.allocation = self
        return made

    def __del__(self, ends: Callable[[], bool] = sys.is_finalizing) -> None:
        if not ends():  # then the driver is on its way out, too
            self._free(self)


def address_of(view: BoundView) -> int:
    """Return where the element [0, ...] of a view lies."""
    memory = view.memory
    if type(memory) is DeviceArray:
        return memory.address + view.offset * memory.dtype.itemsize
    return view.slots()[0]


def is_reached(view: BoundView) -> bool:
    """Say whether kernels and copies of the card reach a view's memory by its address."""
    return isinstance(view.memory, DeviceArray | UnifiedArray)
