"""Allocators a program may hand around (SYCL 2020 §4.7.1, §4.8.3.1).

Non-goals: what buffers do with them (``runtime.memory.allocation``). Invariant: two allocators are
equal if memory of one may be given back to the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.api.memory import usm
from unisycl.api.properties import HasProperties, check, flatten, is_property
from unisycl.base.enums import usm_kind
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.runtime.memory.allocation import ALIGNMENT, Array, aligned_bytes


class buffer_allocator:
    """The default allocator of buffers (SYCL 2020 §4.7.1): aligned host memory."""

    __slots__ = ()

    def allocate(self, count: int, alignment: int = ALIGNMENT) -> Array:
        """Return so many uninitialised bytes."""
        return aligned_bytes(count, alignment)

    def deallocate(self, memory: Any, count: int = 0) -> None:
        """Take back what ``allocate`` returned; Python's collector frees it."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, buffer_allocator)

    def __hash__(self) -> int:
        return hash(buffer_allocator)

    def __repr__(self) -> str:
        return "buffer_allocator()"


class image_allocator(buffer_allocator):
    """The default allocator of images (SYCL 2020 §4.7.1): aligned host memory."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "image_allocator()"


@ends_at_call
class usm_allocator(HasProperties):
    """An allocator of USM (SYCL 2020 §4.8.3.1): for arrays that host and kernels share.

    Args:
        kind: ``usm.alloc.shared`` or ``usm.alloc.host``; device memory is ``errc.invalid``.
        where: a queue, or a context and a device; properties.
        alignment: in bytes; 0 for the default.

    Example::

        own = unisycl.usm_allocator(unisycl.usm.alloc.shared, q)
        p = own.allocate(1 << 20, np.float32)
    """

    __slots__ = ("_key", "_properties", "_where", "alignment", "kind")

    def __init__(self, kind: usm_kind, *where: Any, alignment: int = 0) -> None:
        if kind not in (usm_kind.shared, usm_kind.host):
            raise UsageError(errc.invalid, "usm_allocator: give usm.alloc.shared or usm.alloc.host;"
                             " the host cannot use device allocations (malloc_device makes one)")
        given = [w for w in where if is_property(type(w)) or is_property(w)]
        self._properties = check(flatten(given), "usm_allocator")
        self._where = tuple(w for w in where if w not in given)
        self.kind = kind
        self.alignment = alignment
        device, context = usm.place(kind, list(self._where))
        self._key = (kind, alignment, context, None if kind is usm_kind.host else device)

    def allocate(self, count: Any, dtype: npt.DTypeLike | None = None) -> usm.usm_pointer:
        """Return USM of so many elements, bytes if no type is given.

        Raises ``errc.memory_allocation`` if there is not enough.
        """
        return usm.malloc(count, *self._where, *self._properties, kind=self.kind,
                          alignment=self.alignment, dtype=np.uint8 if dtype is None else dtype)

    def ext_unisycl_empty(self, shape: Any, dtype: npt.DTypeLike = np.float64) -> Array:
        """Return a NumPy array of USM, uninitialised, as ``numpy.empty`` does.

        The memory is freed when no array is over it any more.
        """
        return np.asarray(self.allocate(shape, dtype))

    def ext_unisycl_array(self, values: Any, dtype: npt.DTypeLike | None = None) -> Array:
        """Return a NumPy array of USM with a copy of these values, as ``numpy.array`` does."""
        source = np.asarray(values, dtype)
        made = self.ext_unisycl_empty(source.shape or 1, source.dtype)
        made = made.reshape(source.shape)
        made[...] = source
        return made

    def deallocate(self, memory: usm.usm_pointer, count: int = 0) -> None:
        """Free what ``allocate`` returned."""
        memory.block.free()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, usm_allocator) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"<usm_allocator of {self.kind.name} memory>"
