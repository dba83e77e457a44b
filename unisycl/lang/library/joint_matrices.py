"""What a sub-group does with its matrices (sycl_ext_oneapi_matrix, sycl_ext_intel_matrix).

Written in the kernel language: this is what runs where no hardware does it. A product is
summed up in the order of its terms, from C on, in float32 (float64 for such, int32 for integers,
which wraps). Its terms are exact: those of float32 and float64 are added by ``fma``. Non-goals:
where elements lie (``base.matrices``), hardware. Invariant: all work-items of the sub-group call
together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.base.matrices import layout as layouts
from unisycl.lang.groups.group_functions import (
    group_barrier,
    group_broadcast,
    select_from_group,
)
from unisycl.lang.numbers.bits import bit_cast
from unisycl.lang.numbers.math import fma

__kernel_language__ = True
_ROW, _COLUMN = layouts.row_major, layouts.col_major


# ---- functions of the extension
def joint_matrix_fill(group: Any, m: Any, value: Any) -> None:
    """Give every element of a matrix one value.

    Args:
        group: the sub-group.
        m: the matrix.
        value: a number.
    """
    for k in range(m.row_slots * m.col_slots):
        m.cells[k] = value


def joint_matrix_load(group: Any, m: Any, source: Any, stride: Any, layout: Any = None) -> None:
    """Load a matrix from memory.

    Args:
        group: the sub-group.
        m: the matrix.
        source: where it begins: a pointer, or memory of one dimension.
        stride: how many elements lie between the beginnings of two rows, or columns.
        layout: how an accumulator lies in memory; others were declared with it.
    """
    lane = group.get_local_linear_id()
    group_barrier(group)
    for i in range(m.row_slots):
        row = row_of(m, lane, i)
        for j in range(m.col_slots):
            column = column_of(m, lane, j)
            if m.whole or inside(m, row, column):
                m.cells[cell_of(m, i, j)] = source[place(m, layout, row, column, stride)]
            else:
                m.cells[cell_of(m, i, j)] = 0


def joint_matrix_store(group: Any, m: Any, target: Any, stride: Any, layout: Any = None) -> None:
    """Store a matrix to memory; see ``joint_matrix_load``."""
    lane = group.get_local_linear_id()
    for i in range(m.row_slots):
        row = row_of(m, lane, i)
        for j in range(m.col_slots):
            column = column_of(m, lane, j)
            if m.whole or inside(m, row, column):
                target[place(m, layout, row, column, stride)] = m.cells[cell_of(m, i, j)]
    group_barrier(group)


def joint_matrix_mad(group: Any, d: Any, a: Any, b: Any, c: Any) -> None:
    """Make ``d`` the product of two matrices plus a third: ``d = a * b + c``.

    Args:
        group: the sub-group.
        d: the accumulator that takes the result; it may be ``c``.
        a: M rows and K columns; b: K rows and N columns; c: M rows and N columns.
    """
    lane = group.get_local_linear_id()
    for i in range(c.row_slots):
        row = row_of(c, lane, i)
        for j in range(c.col_slots):
            column = column_of(c, lane, j)
            at = cell_of(c, i, j)
            total = widened(c, c.cells[at])
            for k in range(a.cols):
                x = widened(a, of_row(group, a, c, row, i, k))
                y = widened(b, of_column(group, b, c, column, j, k))
                total = fma(x, y, total) if a.long else total + x * y
            d.cells[at] = total


def joint_matrix_copy(group: Any, source: Any, target: Any) -> None:
    """Copy a matrix to another one of the same shape, whose use and type may be others.

    Args:
        group: the sub-group.
        source: the matrix to copy; target: the one that is written.
    """
    lane = group.get_local_linear_id()
    for i in range(target.row_slots):
        row = row_of(target, lane, i)
        for j in range(target.col_slots):
            if alike(source, target):
                target.cells[cell_of(target, i, j)] = source.cells[cell_of(source, i, j)]
            else:
                found = element(group, source, row, column_of(target, lane, j))
                target.cells[cell_of(target, i, j)] = found


def joint_matrix_apply(group: Any, m: Any, function: Any) -> None:
    """Replace each element of a matrix by what a function returns for it.

    Args:
        group: the sub-group.
        m: the matrix.
        function: a function of one number; it is called once for each element.
    """
    lane = group.get_local_linear_id()
    for i in range(m.row_slots):
        for j in range(m.col_slots):
            if m.whole or inside(m, row_of(m, lane, i), column_of(m, lane, j)):
                at = cell_of(m, i, j)
                m.cells[at] = function(m.cells[at])


def apply_with_coordinates(group: Any, m: Any, function: Any) -> None:
    """Replace each element of a matrix by what a function returns for it and its place.

    Args:
        group: the sub-group.
        m: the matrix.
        function: a function of an element, its row and its column.
    """
    lane = group.get_local_linear_id()
    for i in range(m.row_slots):
        row = row_of(m, lane, i)
        for j in range(m.col_slots):
            column = column_of(m, lane, j)
            if m.whole or inside(m, row, column):
                at = cell_of(m, i, j)
                m.cells[at] = function(m.cells[at], row, column)


def joint_matrix_prefetch(group: Any, rows: int, cols: int, source: Any, stride: Any, layout: Any,
                          *, properties: Any = ()) -> None:
    """Say that a matrix will be loaded soon: a hint, which nothing is done about so far."""


def round_to_tf32(x: Any) -> Any:
    """Return the float32 that is nearest among those of ``precision.tf32``, ties to even."""
    word = bit_cast(np.uint32, np.float32(x))
    near = word + np.uint32(0xFFF) + ((word >> np.uint32(13)) & np.uint32(1))
    finite = (word & np.uint32(0x7F800000)) != np.uint32(0x7F800000)
    return bit_cast(np.float32, near & np.uint32(0xFFFFE000)) if finite else np.float32(x)


# ---- where elements lie
def packed(pack: Any, lane: Any, slot: Any) -> Any:
    """Return where a work-item's cells lie in one direction, by fours of items or by their rest."""
    if pack == -1:
        return 8 * slot + lane // 4
    return slot // pack * (4 * pack) + lane % 4 * pack + slot % pack


def row_of(m: Any, lane: Any, slot: Any) -> Any:
    """Return the row of a work-item's cells in a slot."""
    if m.row_pack != 0:
        return packed(m.row_pack, lane, slot)
    if m.down == 1:
        return slot
    return lane // m.across + m.down * slot


def column_of(m: Any, lane: Any, slot: Any) -> Any:
    """Return the column of a work-item's cells in a slot."""
    if m.col_pack != 0:
        return packed(m.col_pack, lane, slot)
    if m.across == 1:
        return slot
    if m.down == 1:
        return lane + m.across * slot
    return lane % m.across + m.across * slot


def inside(m: Any, row: Any, column: Any) -> Any:
    """Say whether a matrix has an element."""
    return row < m.rows and column < m.cols


def cell_of(m: Any, i: Any, j: Any) -> Any:
    """Return which cell has the row of slot ``i`` and the column of slot ``j``."""
    if m.turned:
        return j * m.row_slots + i
    return i * m.col_slots + j


def slot_of(pack: Any, every: Any, line: Any) -> Any:
    """Return the slot of a row or column."""
    if pack == -1:
        return line // 8
    if pack > 0:
        return line // (4 * pack) * pack + line % pack
    return line // every


def holder_of(m: Any, row: Any, column: Any) -> Any:
    """Return which work-item holds an element."""
    if m.row_pack == -1:
        return row % 8 * 4 + column // m.col_pack % 4
    if m.row_pack > 0:
        return column % 8 * 4 + row // m.row_pack % 4
    return row % m.down * m.across + column % m.across


def place(m: Any, layout: Any, row: Any, column: Any, stride: Any) -> Any:
    """Return where an element lies in memory."""
    chosen = m.layout if layout is None else layout
    if chosen == _ROW:
        return row * stride + column
    if chosen == _COLUMN:
        return column * stride + row
    pack = m.packed
    return row // pack * stride + column * pack + row % pack


def alike(x: Any, y: Any) -> Any:
    """Say whether two matrices have their elements in the same cells of the same work-items."""
    if x.row_pack != y.row_pack or x.col_pack != y.col_pack:
        return False
    return x.across == y.across and x.turned == y.turned


# ---- elements of others
def of_row(group: Any, a: Any, c: Any, row: Any, i: Any, k: Any) -> Any:
    """Return an element of ``a`` of a row that slot ``i`` of ``c`` has, in a column for all."""
    if a.row_pack == 0 and c.row_pack == 0:
        if c.down == 1:
            at = cell_of(a, i // a.down, k // a.across)
            return group_broadcast(group, a.cells[at], i % a.down * a.across + k % a.across)
        if c.down <= a.down:
            at = cell_of(a, c.down * i // a.down, k // a.across)
            return select_from_group(group, a.cells[at], holder_of(a, row, k))
    return of_any_row(group, a, row, k)


def of_column(group: Any, b: Any, c: Any, column: Any, j: Any, k: Any) -> Any:
    """Return an element of ``b`` of a column that slot ``j`` of ``c`` has, in a row for all."""
    if b.row_pack == 0 and c.row_pack == 0:
        if b.down == 1:
            return b.cells[cell_of(b, k, j)]
        at = cell_of(b, k // b.down, j)
        return select_from_group(group, b.cells[at], holder_of(b, k, column))
    return of_any_column(group, b, k, column)


def of_any_row(group: Any, m: Any, row: Any, column: Any) -> Any:
    """Return an element; ``column`` is the same for all work-items."""
    at = slot_of(m.col_pack, m.across, column)
    holder, wanted = holder_of(m, row, column), slot_of(m.row_pack, m.down, row)
    found = select_from_group(group, m.cells[cell_of(m, 0, at)], holder)
    for i in range(1, m.row_slots):
        other = select_from_group(group, m.cells[cell_of(m, i, at)], holder)
        found = other if wanted == i else found
    return found


def of_any_column(group: Any, m: Any, row: Any, column: Any) -> Any:
    """Return an element; ``row`` is the same for all work-items."""
    at = slot_of(m.row_pack, m.down, row)
    holder, wanted = holder_of(m, row, column), slot_of(m.col_pack, m.across, column)
    found = select_from_group(group, m.cells[cell_of(m, at, 0)], holder)
    for j in range(1, m.col_slots):
        other = select_from_group(group, m.cells[cell_of(m, at, j)], holder)
        found = other if wanted == j else found
    return found


def element(group: Any, m: Any, row: Any, column: Any) -> Any:
    """Return any element, of its own for each work-item."""
    holder = holder_of(m, row, column)
    wanted = cell_of(m, slot_of(m.row_pack, m.down, row), slot_of(m.col_pack, m.across, column))
    found = select_from_group(group, m.cells[0], holder)
    for k in range(1, m.row_slots * m.col_slots):
        other = select_from_group(group, m.cells[k], holder)
        found = other if wanted == k else found
    return found


# ---- arithmetic
def widened(m: Any, x: Any) -> Any:
    """Return an element in the type that it is multiplied in."""
    kind = m.wide
    if m.cut:
        return bit_cast(np.float32, bit_cast(np.uint32, x) & np.uint32(0xFFFFE000))
    return kind(x)

