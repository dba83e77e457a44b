"""Matrices that a sub-group shares: their words, what hardware multiplies, who holds which element.

The words are those of sycl_ext_oneapi_matrix. An arrangement says where an element lies: which
work-item holds it, and in which cell of its own. Non-goals: multiplying. Invariants: each element
has one cell of one work-item; both follow from the device, the use, the type and the shape alone.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, Protocol

from unisycl.base.dataclass import dataclass

MOST = 64
"""The most rows and columns of a matrix."""


class use(enum.Enum):
    """What a matrix is in ``D = A * B + C``."""

    a = "a"
    b = "b"
    accumulator = "accumulator"


class layout(enum.Enum):
    """How a matrix lies in memory; ``dynamic``: each load and store says so."""

    row_major = "row_major"
    col_major = "col_major"
    dynamic = "dynamic"
    ext_intel_packed = "ext_intel_packed"
    """32 bits hold elements of one column and neighbouring rows (sycl_ext_intel_matrix)."""


class matrix_type(enum.Enum):
    """The types of elements in the answer of ``matrix_combinations``."""

    bf16 = "bf16"
    fp16 = "fp16"
    tf32 = "tf32"
    fp32 = "fp32"
    fp64 = "fp64"
    sint8 = "sint8"
    sint16 = "sint16"
    sint32 = "sint32"
    sint64 = "sint64"
    uint8 = "uint8"
    uint16 = "uint16"
    uint32 = "uint32"
    uint64 = "uint64"
    e4m3 = "e4m3"
    """ml_dtypes' ``float8_e4m3fn``; the extension has no name for it."""
    e5m2 = "e5m2"
    """ml_dtypes' ``float8_e5m2``."""


class tf32:
    """A float of 19 bits, as an element type of matrices; stored as ``np.float32``."""


KINDS = {"bfloat16": matrix_type.bf16, "float16": matrix_type.fp16, "float32": matrix_type.fp32,
         "float64": matrix_type.fp64, "int8": matrix_type.sint8, "int16": matrix_type.sint16,
         "int32": matrix_type.sint32, "int64": matrix_type.sint64, "uint8": matrix_type.uint8,
         "uint16": matrix_type.uint16, "uint32": matrix_type.uint32, "uint64": matrix_type.uint64,
         "float8_e4m3fn": matrix_type.e4m3, "float8_e5m2": matrix_type.e5m2}
"""Types of elements by the name of their dtype; ``tf32`` has none of its own."""
_BYTES = {matrix_type.bf16: 2, matrix_type.fp16: 2, matrix_type.tf32: 4, matrix_type.fp32: 4,
          matrix_type.fp64: 8, matrix_type.sint8: 1, matrix_type.uint8: 1,
          matrix_type.e4m3: 1, matrix_type.e5m2: 1}
Types = tuple[matrix_type, matrix_type, matrix_type, matrix_type]


def _products() -> frozenset[Types]:
    """Return the types of A, B, C and D that are multiplied, on every device."""
    t = matrix_type
    halves, bytes = (t.fp16, t.fp32), (t.e4m3, t.e5m2)
    return frozenset((
        (t.bf16, t.bf16, t.fp32, t.fp32), (t.tf32, t.tf32, t.fp32, t.fp32),
        (t.fp32, t.fp32, t.fp32, t.fp32), (t.fp64, t.fp64, t.fp64, t.fp64),
        *((t.fp16, t.fp16, c, d) for c in halves for d in halves),
        *((a, b, t.fp32, t.fp32) for a in bytes for b in bytes),
        *((a, b, t.sint32, t.sint32) for a in (t.sint8, t.uint8) for b in (t.sint8, t.uint8))))


PRODUCTS = _products()


@dataclass(frozen=True, slots=True)
class combination:
    """Types and sizes that ``joint_matrix_mad`` takes on a device.

    Either the ``max_`` sizes are given, all from 1 to which there are, or the others; the rest are
    zero.
    """

    max_msize: int
    max_nsize: int
    max_ksize: int
    msize: int
    nsize: int
    ksize: int
    atype: matrix_type
    btype: matrix_type
    ctype: matrix_type
    dtype: matrix_type


@dataclass(frozen=True, slots=True)
class MatrixUnit:
    """What a device has for matrices: hardware for ``steps``, else software for every shape.

    ``steps`` are, by the types of A and B, what rows, columns and depth are multiples of.
    ``copies``: it copies tiles to local memory beside the work-items; ``wide``: it multiplies for
    a work-group.
    """

    sub_group: int
    steps: tuple[tuple[matrix_type, matrix_type, tuple[int, int, int]], ...] = ()
    copies: bool = False
    wide: bool = False

    def depth(self, kind: matrix_type) -> int:
        """Return what the depth of an operand of a type is a multiple of; 0: no hardware."""
        return next((step[2] for a, b, step in self.steps if kind in (a, b)), 0)

    def takes(self, types: Types, shape: tuple[int, int, int]) -> bool:
        """Say whether the hardware multiplies matrices of M, N and K by itself."""
        if types not in PRODUCTS:
            return False
        for a, b, step in self.steps:
            turned = (step[1], step[0], step[2])
            if (a, b) == types[:2] and any(all(x % y == 0 for x, y in zip(shape, one, strict=True))
                                           for one in (step, turned)):
                return True
        return False

    def combinations(self) -> list[combination]:
        """Return what the device multiplies best: by its hardware, or all that there is."""
        order = list(matrix_type)
        products = sorted(PRODUCTS, key=lambda types: [order.index(t) for t in types])
        if not self.steps:
            return [combination(MOST, MOST, MOST, 0, 0, 0, *types) for types in products]
        sizes = (8, 16, 32, 64)
        depths = sorted({step[2] * k for _, _, step in self.steps for k in (1, 2, 4)})
        return [combination(0, 0, 0, m, n, k, *types) for types in products
                for m in sizes for n in sizes for k in depths if k <= MOST
                and self.takes(types, (m, n, k))]


class Device(Protocol):
    """What is asked about a device."""

    @property
    def sub_group_sizes(self) -> tuple[int, ...]:
        """The sizes that sub-groups may have."""

    @property
    def details(self) -> Mapping[str, Any]:
        """What the backend says about it beyond that."""


def unit_of(device: Device | None) -> MatrixUnit:
    """Return what a device has for matrices; None is a device that has nothing.

    Sub-groups are of 16 work-items where the device has such, which are one or two vectors.
    """
    if device is None:
        return MatrixUnit(1)
    found = device.details.get("matrix_unit")
    if isinstance(found, MatrixUnit):
        return found
    sizes = device.sub_group_sizes or (1,)
    return MatrixUnit(max((s for s in sizes if s <= 16), default=min(sizes)))


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Which element lies in which cell of which work-item.

    A work-item has ``row_slots`` times ``col_slots`` cells. ``row_pack`` says which row a slot is
    of: 0, every ``down``-th one; -1, one of each eight, by the work-item's number over 4; a
    positive number, so many neighbours out of each four times as many, by the number modulo 4.
    ``col_pack`` does for columns, of which 0 is every ``across``-th one. ``turned``: the cells of a
    column follow one another.
    """

    rows: int
    cols: int
    row_slots: int
    col_slots: int
    across: int = 1
    down: int = 1
    row_pack: int = 0
    col_pack: int = 0
    turned: bool = False

    @property
    def whole(self) -> bool:
        """Whether each cell holds an element."""
        return bool(self.row_pack) or (
            self.down * self.row_slots == self.rows and self.across * self.col_slots == self.cols)

    @property
    def native(self) -> bool:
        """Whether this is how hardware has it."""
        return self.row_pack != 0


def arrange(unit: MatrixUnit, kind: matrix_type, role: use, rows: int, cols: int) -> Arrangement:
    """Return where the elements of a matrix lie on a device."""
    depth = unit.depth(kind)
    if role is use.accumulator:
        fits = any(kind in p[2:] and any(s[:2] == p[:2] for s in unit.steps) for p in PRODUCTS)
        if fits and rows % 8 == 0 and cols % 8 == 0:
            if rows % 16 == 0 or kind is matrix_type.fp64:
                return Arrangement(rows, cols, rows // 8, cols // 4, row_pack=-1, col_pack=2)
            return Arrangement(rows, cols, rows // 4, cols // 8, row_pack=2, col_pack=-1,
                               turned=True)
    elif depth:
        pack = max(1, 4 // _BYTES[kind])
        if role is use.a and rows % 8 == 0 and cols % depth == 0:
            return Arrangement(rows, cols, rows // 8, cols // 4, row_pack=-1, col_pack=pack)
        if role is use.b and cols % 8 == 0 and rows % depth == 0:
            return Arrangement(rows, cols, rows // 4, cols // 8, row_pack=pack, col_pack=-1,
                               turned=True)
    across = min(unit.sub_group, 1 << (cols - 1).bit_length())
    down = unit.sub_group // across
    return Arrangement(rows, cols, -(-rows // down), -(-cols // across), across, down)
