"""``joint_matrix``: a matrix that the work-items of a sub-group hold together.

Non-goals: what is done with one (``lang.library.joint_matrices``). Invariant: on the host device
its elements lie as they do in a kernel that is compiled for it.
"""

from __future__ import annotations

import enum
import operator
from typing import Any

import numpy as np

from unisycl.base import dtypes
from unisycl.base.errors import UsageError, errc
from unisycl.base.matrices import (
    KINDS,
    MOST,
    PRODUCTS,
    MatrixUnit,
    arrange,
    layout,
    matrix_type,
    tf32,
    use,
)
from unisycl.lang.index.this import this_sub_group
from unisycl.lang.memory.views import private_array

_NAME = "joint_matrix"
_ANY = "a layout: row_major, col_major or ext_intel_packed"


class joint_matrix:
    """A matrix of a sub-group (sycl_ext_oneapi_matrix): work-items hold a part of it each.

    Args:
        group: the sub-group, or the class ``sub_group``.
        T: the type of an element: one of NumPy's, ``bfloat16``, ``precision.tf32``.
        use: ``use.a``, ``use.b`` or ``use.accumulator``.
        rows: how many rows it has; cols: how many columns. All are constants.
        layout: how an ``a`` or ``b`` lies in memory; an accumulator is ``layout.dynamic``.

    Its elements have no particular value before they are written. A second name for one is the
    same matrix; ``joint_matrix_copy`` copies.
    """

    def __init__(self, group: Any, T: Any, use: use, rows: int, cols: int,
                 layout: layout | None = None) -> None:
        self.kind = kind_of(T)
        self.use = use
        self.layout = checked_layout(use, layout)
        size = int(this_sub_group().get_max_local_range()[0])
        problem = wrong_shape(self.kind, use, operator.index(rows), operator.index(cols))
        if problem:
            raise UsageError(errc.invalid, f"{_NAME}: {problem}")
        self.arrangement = found = arrange(MatrixUnit(size), self.kind, use, rows, cols)
        self.cells = private_array(stored_type(self.kind), found.row_slots * found.col_slots)

    def __getattr__(self, name: str) -> Any:
        """Return what an arrangement says, or a type that follows from that of the elements."""
        if name in ("arrangement", "kind") or name.startswith("_"):  # one that is being copied
            raise AttributeError(name)
        return attribute(self.arrangement, self.kind, name)


def attribute(arrangement: Any, kind: matrix_type, name: str) -> Any:
    """Return what else is asked of a matrix, or raise AttributeError."""
    if name == "dtype":
        return stored_type(kind)
    if name == "wide":
        return wide_type(kind)
    if name == "cut":
        return kind is matrix_type.tf32
    if name == "integer":
        return stored_type(kind).kind in "iu"
    if name == "long":  # products of two elements are not exact in the type they are added in
        return kind in (matrix_type.fp32, matrix_type.fp64)
    if name == "packed":
        return max(1, 4 // stored_type(kind).itemsize)
    if name in _FACTS:
        return getattr(arrangement, name)
    raise AttributeError(name)


_FACTS = ("rows", "cols", "row_slots", "col_slots", "across", "down", "row_pack", "col_pack",
          "turned", "whole", "native")


def kind_of(T: Any) -> matrix_type:
    """Return the type of elements that is meant, or raise ``errc.invalid``."""
    if T is tf32:
        return matrix_type.tf32
    row = None
    if not isinstance(T, enum.Enum):
        try:
            row = dtypes.find_dtype(T)
        except TypeError:
            row = None
    found = None if row is None else KINDS.get(row.name)
    if found is None or not any(found in types for types in PRODUCTS):
        raise UsageError(errc.invalid, f"{_NAME}: elements are float16, float32, float64, int8, "
                         "uint8, int32, bfloat16, floats of 8 bits or precision.tf32, not "
                         f"{getattr(T, '__name__', T)}")
    return found


def checked_layout(role: Any, given: Any) -> layout:
    """Return the layout a matrix is declared with, or raise ``errc.invalid``."""
    if not isinstance(role, use):
        raise UsageError(errc.invalid, f"{_NAME}: expected use.a, use.b or use.accumulator, got "
                         f"{role!r}")
    if role is use.accumulator:
        if given in (None, layout.dynamic):
            return layout.dynamic
        raise UsageError(errc.invalid, f"{_NAME}: an accumulator has no layout of its own: load "
                         "and store are given one")
    if not isinstance(given, layout) or given is layout.dynamic:
        raise UsageError(errc.invalid, f"{_NAME}: a matrix for use.{role.name} is declared with "
                         f"{_ANY}")
    return given


def wrong_shape(kind: matrix_type, role: use, rows: int, cols: int) -> str:
    """Return what is wrong about a matrix; "" if nothing is."""
    if not (1 <= rows <= MOST and 1 <= cols <= MOST):
        return f"rows and columns are from 1 to {MOST}, not {rows} and {cols}"
    place = {use.a: (0,), use.b: (1,), use.accumulator: (2, 3)}[role]
    if not any(types[k] is kind for types in PRODUCTS for k in place):
        return f"there is no matrix of {kind.name} for use.{role.name}"
    return ""


def stored_type(kind: matrix_type) -> Any:
    """Return the dtype of an element in memory."""
    if kind is matrix_type.tf32:
        return np.dtype(np.float32)
    name = next(name for name, found in KINDS.items() if found is kind)
    return np.dtype(name)


def wide_type(kind: matrix_type) -> Any:
    """Return the type that elements are multiplied and added in."""
    if kind is matrix_type.fp64:
        return np.float64
    return np.float32 if stored_type(kind).kind not in "iu" else np.int32


__all__ = ["joint_matrix"]
