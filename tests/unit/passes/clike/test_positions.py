"""Positions are computed in 32 bits where they fit, and only there."""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.base.dtypes import INT32, INT64
from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.clike import positions
from unisycl.passes.shared import loop_steps

line = np.zeros(64, np.float32)
grid = np.zeros((8, 8), np.float32)
longs = np.zeros(64, np.int64)


def placed(function: object, ndim: int = 1, *, ids_below: int = 1 << 30) -> n.Kernel:
    return positions.run(specialize(function, "range", ndim).kernel, ids_below)


def indices(kernel: n.Kernel) -> list[Any]:
    """Return the types of the indices that are stored to."""
    return [x.type.dtype for s in visit.statements(kernel.body) if isinstance(s, n.Store)
            for x in s.place.index]


def counters(kernel: n.Kernel) -> list[Any]:
    return [s.local.type.dtype for s in visit.statements(kernel.body) if isinstance(s, n.For)]


def test_an_id_into_one_dimension_stays_as_it_is() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        line[i + 1] = 1
    assert [INT64] == indices(placed(kernel))


def test_an_index_of_one_dimension_needs_proof() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        line[i * 3] = 1
        line[longs[i]] = 1
    assert [INT64, INT64] == indices(placed(kernel))


def test_an_index_inside_a_grid_fits() -> None:
    def kernel(item):  # type: ignore[no-untyped-def]
        y, x = item
        grid[y * 3, longs[x]] = 1
    found = placed(kernel, 2)
    assert [INT32, INT32] == indices(found)
    values = [x for x in visit.all_expressions(found.body) if isinstance(x, n.Binary)]
    assert {True} == {x.type.dtype is INT64 or x.type.weak for x in values}  # nothing wraps


def test_a_sum_that_may_overflow_on_the_way_is_computed_in_64_bits() -> None:
    def kernel(item):  # type: ignore[no-untyped-def]
        y, x = item
        grid[y * 1000 - x * 1000, x] = 1
    found = placed(kernel, 2)
    assert [INT32, INT32] == indices(found)
    assert any(isinstance(x, n.Narrow) and x.x.type.dtype is INT64
               for x in visit.all_expressions(found.body))


def test_counters_take_32_bits_where_they_cannot_overflow() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        for k in range(np.int32(longs[0])):
            line[k] += 1
        for k2 in range(np.int32(longs[0]), 5, -1):
            line[k2] += 1
        for m in range(0, 100, 7):
            line[m] += 1
    assert [INT32, INT32, INT32] == counters(placed(kernel))


def test_counters_keep_64_bits_where_they_may_overflow() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        for k in range(0, np.int32(longs[0]), 16):
            line[k] += 1
        for m in range(longs[0]):
            line[m] += 1
    assert [INT64, INT64] == counters(placed(kernel))


def test_extents_of_grids_bound_loops() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        for k in range(grid.shape[1]):
            grid[0, k] += 1
        for m in range(line.shape[0]):
            line[m] += 1
    assert [INT32, INT64] == counters(placed(kernel))


def test_a_counter_of_32_bits_needs_no_guard_at_the_ends_of_64() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        for j in range(i, -i, -2):
            longs[i] = j
    made = placed(kernel)
    assert [INT32] == counters(made)
    assert not any(loop_steps.overflows(s) for s in visit.statements(made.body)
                   if isinstance(s, n.For))
