"""How a launch's arguments lie in memory: 8-byte slots, laid out once per kernel.

Header: for each dimension the global range (groups for nd_range and work_group), the offset, and
the tile of a range kernel; then the bytes of local memory. Each view: address, extents, pitches of
all but the last dimension, of strided views of that, too (local views: offset in the group's
block, extents). Scalars one slot, records as many as they need. Each reducer: partials, validity
bytes, the number of chunks, result address, whether the old value counts, units in a chunk. Where
sub-groups are on threads of their own, the address of what they share; where accesses are watched,
the address of what says where their words lie. Last, in kernels that print
or check, the address they call, the launch's number, and the address of the error cell. Invariant:
compiled code and ``Packer`` agree because both use ``Layout``.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from unisycl.backends.base import BoundView, Geometry, LocalSize, address_of
from unisycl.base.dataclass import dataclass
from unisycl.base.dtypes import FLOAT32, DType
from unisycl.base.enums import address_space
from unisycl.base.strides import pitches
from unisycl.ir.nodes import Kernel, Param
from unisycl.ir.types import Scalar, Struct, View

LOCAL_ALIGN = 64
SLOTS = 6  # of a reducer
REPORT_SLOTS = 3


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
    def watch(self) -> int:
        """The slot of a kernel whose accesses are watched."""
        return self.reports - 1

    @property
    def reports(self) -> int:
        """The first of the slots of a kernel that prints or checks."""
        return self.count - REPORT_SLOTS

    def reducer(self, k: int) -> int:
        """Return the first slot of a reducer."""
        return self.reducers + SLOTS * k


def slots_of(param: Param) -> int:
    """Return how many slots an argument takes."""
    kind = param.type
    if isinstance(kind, View):
        if kind.space is address_space.local_space:
            return 1 + kind.ndim
        return max(1, 2 * kind.ndim) + kind.spread
    return -(-kind.size // 8)


BLOCK_AT = 8
"""Where the argument block begins in what ``Packer.pack`` returns, after the number of units."""


class Packer:
    """Writes a kernel's argument blocks: one ``struct`` for all of it. Immutable.

    ``plain``: there is nothing behind the arguments; ``reports``: the kernel may call back.
    """

    __slots__ = ("_format", "_kinds", "_params", "_views", "local", "plain", "reports")

    def __init__(self, kernel: Kernel, layout: Layout) -> None:
        kinds, parts = [], [f"={3 * layout.ndim + 2}q"]
        for param in kernel.params:
            kind, text = _format(param)
            kinds.append(kind)
            parts.append(text)
        parts.append(f"{SLOTS * len(kernel.reducers)}q" if kernel.reducers else "")
        tail = layout.count - layout.reducers - SLOTS * len(kernel.reducers)
        parts.append(f"{tail}q" if tail else "")
        self.plain = not tail
        self.reports = tail >= REPORT_SLOTS
        self._format = struct.Struct("".join(parts))
        self._kinds = tuple(kinds)
        self._params = tuple(zip(layout.params, (p.type for p in kernel.params), strict=True))
        self._views = all(k == "view" for k in kinds)
        self.local = tuple(_element_bytes(p) if k == "local" else 0
                           for p, k in zip(kernel.params, kinds, strict=True))

    def pack(self, head: Sequence[int], values: Sequence[Any],
             tail: Sequence[int] = ()) -> bytes:
        """Return the number of units and then the argument block of one launch."""
        flat: list[Any] = [*head, 0]
        if self._views:
            for value in values:
                flat += value.packed or value.slots()
        else:
            self._mixed(flat, values, len(head))
        return self._format.pack(*flat, *tail)

    def places(self, numbers: Sequence[int], values: Sequence[Any],
               ) -> list[tuple[int, int, Callable[[Any], bytes]]] | None:
        """Return where arguments lie in what ``pack`` returns, and what makes the bytes of each.

        ``values`` are those of one launch. None if one of them is no number, struct or array. What
        does not fit raises ``struct.error`` or ``OverflowError``.
        """
        found: list[tuple[int, int, Callable[[Any], bytes]]] = []
        for k in numbers:
            slot, kind = self._params[k]
            if self._kinds[k] == "view" and isinstance(kind, View):
                size, encode = _array_bytes(kind)
            elif self._kinds[k] == "record" and not isinstance(kind, View):
                size, encode = 8 * -(-kind.size // 8), _bytes_of(values[k])
            elif self._kinds[k] in ("scalar", "bits") and isinstance(kind, Scalar):
                size, each = 8, kind.dtype.size
                encode = _float32 if self._kinds[k] == "bits" else struct.Struct(
                    f"={_letter(kind.dtype)}{8 - each}x").pack
            else:
                return None
            found.append((BLOCK_AT + 8 * slot, size, encode))
        return found

    def local_bytes(self, values: Sequence[Any]) -> int:
        """Return how many bytes of local memory the arguments of a launch take."""
        return sum(-(-size * math.prod(value.shape) // LOCAL_ALIGN) * LOCAL_ALIGN
                   for kind, value, size in zip(self._kinds, values, self.local, strict=True)
                   if kind == "local")

    def _mixed(self, flat: list[Any], values: Sequence[Any], local_at: int) -> None:
        """Append values of any kind; local memory is laid out here."""
        total = 0  # as in ``local_bytes``
        for kind, value, size in zip(self._kinds, values, self.local, strict=True):
            if kind == "view":
                flat += value.packed or value.slots()
            elif kind == "local":
                assert isinstance(value, LocalSize)
                flat += (total, *value.shape)
                total += -(-size * math.prod(value.shape) // LOCAL_ALIGN) * LOCAL_ALIGN
            elif kind == "scalar":
                flat.append(value)
            elif kind == "bits":
                flat.append(value.tobytes())
            else:
                flat.append(np.asarray(value).tobytes())
        flat[local_at] = total


def _float32(value: Any) -> bytes:
    """Return the slot of a float32."""
    return np.float32(value).tobytes() + b"\0\0\0\0"


def _array_bytes(kind: View) -> tuple[int, Callable[[Any], bytes]]:
    """Return how many bytes an array takes, and what makes them, as ``BoundView.slots`` says."""
    count, ndim = max(1, 2 * kind.ndim) + kind.spread, kind.ndim
    pack, last = struct.Struct(f"={count}q").pack, ndim if kind.spread else ndim - 1
    if kind.layout:
        return 8 * count, lambda raw: pack(raw.__array_interface__["data"][0], *raw.shape, *(
            pitches(raw) or ())[:last])
    if ndim == 1:
        return 16, lambda raw: pack(address_of(raw), raw.shape[0])
    return 8 * count, lambda raw: pack(address_of(raw), *raw.shape, *[
        math.prod(raw.shape[k:]) for k in range(1, ndim)])


def _bytes_of(value: Any) -> Callable[[Any], bytes]:
    """Return what makes the bytes of an argument that is given as this value was."""
    make, size = type(value), -(-np.asarray(value).nbytes // 8) * 8
    if isinstance(value, np.void):
        return lambda raw: raw.tobytes().ljust(size, b"\0")
    return lambda raw: np.asarray(make(raw)).tobytes().ljust(size, b"\0")


def _letter(dtype: DType) -> str:
    """Return the letter of a type in the formats of ``struct``."""
    letter = {"b": "?", "i": "bhiq", "u": "BHIQ", "f": " efd"}[dtype.kind]
    return letter[min(dtype.size.bit_length(), len(letter)) - 1]


def _format(param: Param) -> tuple[str, str]:
    """Return how a parameter is packed and its part of the format."""
    match param.type:
        case View():
            local = param.type.space is address_space.local_space
            return "local" if local else "view", f"{slots_of(param)}q"
        case Struct():
            return "record", f"{8 * slots_of(param)}s"
        case Scalar() if param.type.dtype.made:
            return "record", f"{8 * slots_of(param)}s"
        case Scalar():
            size = param.type.dtype.size
            if param.type.dtype is FLOAT32:  # struct goes by way of a double: lost where flushed
                return "bits", f"{size}s{8 - size}x"
            return "scalar", f"{_letter(param.type.dtype)}{8 - size}x"
    raise AssertionError(param)


def _element_bytes(param: Param) -> int:
    assert isinstance(param.type, View)
    return param.type.elem.size


def address(view: BoundView) -> int:
    """Return where a view's first element lies."""
    return view.slots()[0]


def unit_dimensions(extent: Sequence[int]) -> int:
    """Return how many dimensions at the end of a range have but one item, if others have more."""
    count = 0
    while count < len(extent) - 1 and extent[-1 - count] == 1:
        count += 1
    return count if extent[-1 - count] > 1 else 0


def header(kernel: Kernel, geometry: Geometry, tile: tuple[int, ...]) -> tuple[int, ...]:
    """Return the first slots of a block: groups or items, offsets, tiles."""
    groups = geometry.global_
    if geometry.kind == "nd_range":
        groups = tuple(g // s for g, s in zip(geometry.global_, geometry.local, strict=True))
    return (*groups, *(geometry.offset or (0,) * kernel.ndim), *tile)
