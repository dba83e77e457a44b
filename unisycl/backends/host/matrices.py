"""Products and copies of ``joint_matrix`` on the host device: for the sub-group, where it meets.

Non-goals: what only concerns a work-item's own cells. Invariant: sums are made in the order and the
types that ``lang.library.joint_matrices`` says.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from unisycl.base.errors import UsageError, errc
from unisycl.base.matrices import Arrangement
from unisycl.lang.index.groups import sub_group
from unisycl.lang.library import joint_matrices as library
from unisycl.lang.numbers.math import fma

Array = np.ndarray[Any, Any]


def of_sub_group(group: Any, *matrices: Any) -> tuple[bool, Any]:
    """Prepare a call: the matrices, one object a work-item for each."""
    if not isinstance(group, sub_group):
        raise UsageError(errc.invalid, "a joint_matrix belongs to a sub-group: pass "
                         f"it.get_sub_group(), not {type(group).__name__}")
    return True, matrices


def multiply(operands: Sequence[Any]) -> Sequence[None]:
    """Do ``joint_matrix_mad`` for a sub-group."""
    d, a, b, c = zip(*operands, strict=True)
    kind = c[0].wide
    x, y = (_widened(m[0], gathered(m)).astype(kind) for m in (a, b))
    total = gathered(c).astype(kind)
    for k in range(x.shape[1]):
        left, right = x[:, k, None], y[None, k, :]
        total = _fused(left, right, total) if a[0].long else total + left * right
    scatter(d, total)
    return [None] * len(operands)


def copy(operands: Sequence[Any]) -> Sequence[None]:
    """Do ``joint_matrix_copy`` for a sub-group."""
    source, target = zip(*operands, strict=True)
    scatter(target, gathered(source))
    return [None] * len(operands)


def _widened(m: Any, values: Array) -> Array:
    if not m.cut:
        return values
    return (values.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


def _fused(x: Array, y: Array, total: Array) -> Array:
    found = np.frompyfunc(fma, 3, 1)(x, y, total)
    return np.asarray(found.astype(total.dtype))


def gathered(items: Sequence[Any]) -> Array:
    """Return a matrix as one array, of the cells of each work-item."""
    first = items[0]
    rows, cols, _ = _places(first.arrangement, len(items))
    whole = np.zeros((int(rows.max()) + 1, int(cols.max()) + 1), first.dtype)
    whole[rows, cols] = [m.cells._data for m in items]
    return whole[:first.rows, :first.cols]


def scatter(items: Sequence[Any], whole: Array) -> None:
    """Give each work-item its cells of a matrix."""
    rows, cols, inside = _places(items[0].arrangement, len(items))
    values = np.zeros(inside.shape, items[0].dtype)
    values[inside] = whole[rows[inside], cols[inside]].astype(items[0].dtype)
    for m, own in zip(items, values, strict=True):
        m.cells._data[:] = own


@functools.lru_cache(256)
def _places(where: Arrangement, items: int) -> tuple[Array, Array, Array]:
    """Return the row and column of each work-item's cells, and which of them hold elements."""
    count = where.row_slots * where.col_slots
    rows, cols = (np.zeros((items, count), np.int64) for _ in range(2))
    for lane in range(items):
        for i in range(where.row_slots):
            for j in range(where.col_slots):
                at = library.cell_of(where, i, j)
                rows[lane, at] = library.row_of(where, lane, i)
                cols[lane, at] = library.column_of(where, lane, j)
    return rows, cols, (rows < where.rows) & (cols < where.cols)
