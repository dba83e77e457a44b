"""Pointers read from memory, followed on the host device: to where an address leads.

Non-goals: their types and what is stored (``stored_pointers``). Invariant: an address is only
followed into an allocation that the launch's device and context have.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.base.enums import address_space
from unisycl.base.errors import BoundsError, errc
from unisycl.ir.nodes import ASTRAY, NULL
from unisycl.lang.index.environment import here
from unisycl.lang.memory.pointer import multi_ptr
from unisycl.lang.memory.stored_pointers import address_of, reads_pointers, stored_pointer
from unisycl.lang.memory.views import HostView, allocations


class _Bytes:
    """Bytes at an address, for NumPy."""

    def __init__(self, at: int, count: int) -> None:
        self.__array_interface__ = {"data": (at, False), "shape": (count,), "typestr": "|u1",
                                    "version": 3}


class heap_pointer(multi_ptr):
    """What a kernel of the host device reads from memory where a pointer is: it may lead nowhere.

    It is as ``multi_ptr`` is, but finds its memory only when that is touched.
    """

    __slots__ = ("_at", "_kind")
    _at: int
    _kind: Any

    @classmethod
    def _of(cls, kind: Any, at: int) -> heap_pointer:
        made = object.__new__(cls)
        made._kind, made._at = kind, at
        made.address_space, made.is_decorated = address_space.global_space, False
        return made

    def __address__(self) -> int:
        return self._at

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of an element."""
        found: np.dtype[Any] = self._kind.element()
        return found

    def _memory(self) -> tuple[HostView, int]:
        """Return the elements of the allocation it points into, and which one it points to."""
        dtype = self.dtype
        start, end = allocation_at(self._at, dtype.itemsize)
        skip, size = (self._at - start) % dtype.itemsize, dtype.itemsize
        count = (end - start - skip) // size
        data = np.asarray(_Bytes(start + skip, count * size)).view(dtype)
        name = f"memory of {self._kind.target_name()}"
        view = HostView(data, name) if here.watch is None else here.watch.found(data, name)
        return view, (self._at - start) // size

    @property
    def _view(self) -> HostView:  # type: ignore[override]
        return self._memory()[0]

    @property
    def _offset(self) -> int:  # type: ignore[override]
        return self._memory()[1]

    def _moved(self, count: Any) -> heap_pointer:
        return heap_pointer._of(self._kind, self._at + int(count) * self.dtype.itemsize)

    def _same(self, other: multi_ptr, symbol: str) -> int:
        return address_of(other)

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, multi_ptr):
            return (self._at - address_of(other)) // self.dtype.itemsize
        return multi_ptr.__sub__(self, other)

    def __rsub__(self, other: Any) -> Any:
        return (address_of(other) - self._at) // self.dtype.itemsize

    def __eq__(self, other: object) -> bool:
        if other is None or not isinstance(other, multi_ptr):
            return NotImplemented if other is not None else False
        return self._at == address_of(other)

    def __lt__(self, other: multi_ptr) -> bool:
        return self._at < address_of(other)

    def __le__(self, other: multi_ptr) -> bool:
        return self._at <= address_of(other)

    def __gt__(self, other: multi_ptr) -> bool:
        return self._at > address_of(other)

    def __ge__(self, other: multi_ptr) -> bool:
        return self._at >= address_of(other)

    def __hash__(self) -> int:
        return hash(self._at)

    def __repr__(self) -> str:
        return f"<pointer to {self._kind.target_name()} at {self._at:#x}>"


def allocation_at(address: int, size: int) -> tuple[int, int]:
    """Return the bounds of the launch's allocation that holds so many bytes; raise outside all."""
    if not address:
        raise BoundsError(errc.accessor, NULL)
    table = allocations()
    for start, end in zip(table[0::2].tolist(), table[1::2].tolist(), strict=True):
        if start <= address and address + size <= end:
            return start, end
    raise BoundsError(errc.accessor, f"{ASTRAY[0]}{address}{ASTRAY[1]}")


@reads_pointers
def read_pointer(found: stored_pointer) -> heap_pointer | None:
    """Return what a kernel reads where memory holds a pointer: None for one to nothing."""
    kind, at = type(found).__kernel_pointer__(), int(found)
    return heap_pointer._of(kind, at) if at else None
