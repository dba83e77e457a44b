"""How a launch's arguments lie in memory: 8-byte slots, laid out once per kernel.

Header: for each dimension the global range (groups for nd_range and work_group), the offset, and
the tile of a range kernel; then the bytes of local memory. Each view: address, extents, pitches of
all but the last dimension (local views: offset in the group's block, extents). Scalars one slot,
records as many as they need. Each reducer: partials, validity bytes, their number, result address,
whether the old value counts. Last the address ``print`` calls, and its token. Invariant: compiled
code and ``pack`` agree because both use ``Layout``.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np

from unisycl.backends.base import BoundView, Geometry, LocalSize
from unisycl.base.enums import address_space
from unisycl.ir.nodes import Kernel, Param
from unisycl.ir.types import Scalar, Struct, View

LOCAL_ALIGN = 64


@dataclass(frozen=True, slots=True)
class Layout:
    """Slot numbers of everything a kernel reads from its argument block."""

    ndim: int
    params: tuple[int, ...]
    reducers: int
    count: int

    @property
    def global_range(self) -> int:
        return 0

    @property
    def offset(self) -> int:
        return self.ndim

    @property
    def tile(self) -> int:
        return 2 * self.ndim

    @property
    def local_bytes(self) -> int:
        return 3 * self.ndim

    @property
    def printing(self) -> int:
        return self.count - 2

    def reducer(self, k: int) -> int:
        """Return the first of the five slots of a reducer."""
        return self.reducers + 5 * k


def layout(kernel: Kernel) -> Layout:
    """Return the layout of a kernel's argument block."""
    at = 3 * kernel.ndim + 1
    starts = []
    for param in kernel.params:
        starts.append(at)
        at += _slots(param)
    return Layout(kernel.ndim, tuple(starts), at, at + 5 * len(kernel.reducers) + 2)


def _slots(param: Param) -> int:
    match param.type:
        case View():
            if param.type.space is address_space.local_space:
                return 1 + param.type.ndim
            return 2 * param.type.ndim + (0 if param.type.ndim else 1)
        case Struct():
            return -(-param.type.size // 8)
    return 1


def _is_local(param: Param) -> bool:
    return isinstance(param.type, View) and param.type.space is address_space.local_space


def pack(kernel: Kernel, geometry: Geometry, tile: tuple[int, ...],
         values: tuple[Any, ...]) -> tuple[bytearray, int]:
    """Return the argument block of a launch, and the bytes of local memory it asks for."""
    groups = geometry.global_
    if geometry.kind == "nd_range":
        groups = tuple(g // s for g, s in zip(geometry.global_, geometry.local, strict=True))
    offset = geometry.offset or (0,) * kernel.ndim
    parts = [struct.pack(f"<{3 * kernel.ndim}q", *groups, *offset, *tile), b"\0" * 8]
    local_bytes = 0
    for param, value in zip(kernel.params, values, strict=True):
        if isinstance(value, BoundView):
            parts.append(_pack_view(value))
        elif isinstance(value, LocalSize):
            assert isinstance(param.type, View)
            elem = param.type.elem
            size = elem.size if isinstance(elem, Struct) else elem.dtype.size
            parts.append(struct.pack(f"<{1 + len(value.shape)}q", local_bytes, *value.shape))
            total = size * math.prod(value.shape)
            local_bytes += -(-total // LOCAL_ALIGN) * LOCAL_ALIGN
        else:
            parts.append(pack_scalar(param.type, value))
    block = bytearray(b"".join(parts))
    struct.pack_into("<q", block, 8 * 3 * kernel.ndim, local_bytes)
    return block, local_bytes


def _pack_view(view: BoundView) -> bytes:
    address = view.memory.ctypes.data + view.offset * view.memory.dtype.itemsize
    ndim = len(view.shape)
    return struct.pack(f"<{2 * ndim if ndim else 1}q", address, *view.shape, *view.pitches[:-1]) \
        if ndim else struct.pack("<q", address)


def pack_scalar(type: Scalar | Struct | View, value: Any) -> bytes:
    """Return the slots of a value passed by copy."""
    if isinstance(type, Scalar):
        raw = np.asarray(value, type.dtype.numpy).tobytes()
    else:
        raw = np.asarray(value).tobytes()
    return raw + b"\0" * (-len(raw) % 8)
