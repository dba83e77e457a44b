"""Each element of a matrix has one cell of one work-item, however matrices are arranged."""

from __future__ import annotations

import itertools

import pytest

from unisycl.backends.cuda.discovery.info import matrix_unit
from unisycl.base.matrices import PRODUCTS, MatrixUnit, arrange, matrix_type, use
from unisycl.lang.library import joint_matrices as library

CARD = matrix_unit((9, 0))
UNITS = [MatrixUnit(1), MatrixUnit(8), MatrixUnit(16), CARD]
SHAPES = [(16, 16), (8, 32), (32, 8), (64, 64), (5, 7), (1, 64), (64, 1), (8, 4), (24, 16)]


@pytest.mark.parametrize("unit", UNITS, ids=lambda u: f"{u.sub_group}-{len(u.steps)}")
def test_each_element_has_one_cell(unit: MatrixUnit) -> None:
    kinds = (matrix_type.bf16, matrix_type.tf32, matrix_type.fp64, matrix_type.sint8)
    for kind, role, (rows, cols) in itertools.product(kinds, (use.a, use.b), SHAPES):
        _check(unit, kind, role, rows, cols)
    for kind in (matrix_type.fp32, matrix_type.fp16, matrix_type.fp64, matrix_type.sint32):
        for rows, cols in SHAPES:
            _check(unit, kind, use.accumulator, rows, cols)


def _check(unit: MatrixUnit, kind: matrix_type, role: use, rows: int, cols: int) -> None:
    m = arrange(unit, kind, role, rows, cols)
    seen: dict[tuple[int, int], tuple[int, int]] = {}
    for lane, i, j in itertools.product(
            range(unit.sub_group), range(m.row_slots), range(m.col_slots)):
        row, column = library.row_of(m, lane, i), library.column_of(m, lane, j)
        if row < rows and column < cols:
            assert (row, column) not in seen
            seen[row, column] = lane, library.cell_of(m, i, j)
            assert library.holder_of(m, row, column) == lane
            assert library.slot_of(m.row_pack, m.down, row) == i
            assert library.slot_of(m.col_pack, m.across, column) == j
        else:
            assert not m.whole
    assert len(seen) == rows * cols
    assert len(set(seen.values())) == rows * cols


def test_what_hardware_has_it_takes() -> None:
    assert CARD is not None
    answers = CARD.combinations()
    assert {(c.atype, c.btype, c.ctype, c.dtype) for c in answers} < PRODUCTS
    half, wide = matrix_type.fp16, matrix_type.fp32
    shapes = {(c.msize, c.nsize, c.ksize) for c in answers if c.atype is half and c.dtype is wide}
    assert {(16, 16, 16), (8, 32, 16), (32, 8, 16)} <= shapes
    assert (8, 8, 16) not in shapes
    assert matrix_unit((7, 5)) is None
