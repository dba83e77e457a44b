"""Which kernels run several rows at once."""

from __future__ import annotations

import numpy as np

from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.interior import rows_together
from unisycl.passes.simd import shapes

a, b, c = (np.zeros((64, 64), np.float32) for _ in range(3))


def together(function: object, registers: int = 16) -> rows_together.Together | None:
    """Return the body for several rows of a range of two dimensions."""
    def query(name: str, dim: int) -> shapes.Shape:
        along = name == "global_id" and dim == 1
        return shapes.Shape(shapes.LINEAR, 1) if along else shapes.PER_LANES
    kernel = specialize(function, "range", 2).kernel
    found = shapes.analyse(kernel.body, query, {})
    return rows_together.find(kernel, kernel.body, found, None, 0, registers)


def product(it):  # type: ignore[no-untyped-def]
    total = np.float32(0)
    for k in range(64):
        total += a[it[0], k] * b[k, it[1]]
    c[it[0], it[1]] = total


def test_rows_of_a_product_run_together() -> None:
    four = together(product)
    assert four is not None
    assert 4 == four.rows
    assert four.holds is None
    assert 1 == sum(isinstance(s, n.For) for s in visit.statements(four.body))
    assert 4 == sum(isinstance(s, n.Store) for s in visit.statements(four.body))
    two = together(product, registers=6)
    assert two is not None
    assert 2 == two.rows
    assert together(product, registers=5) is None


def test_rows_that_share_nothing_or_part_ways_run_alone() -> None:
    def columns(it):  # type: ignore[no-untyped-def]
        total = np.float32(0)
        for k in range(64):
            total += a[it[0], k] * b[it[0], it[1]]
        c[it[0], it[1]] = total

    def triangle(it):  # type: ignore[no-untyped-def]
        total = np.float32(0)
        for k in range(it[0]):
            total += a[it[0], k] * b[k, it[1]]
        c[it[0], it[1]] = total

    def inside_a_branch(it):  # type: ignore[no-untyped-def]
        total = np.float32(0)
        if it[0] % 2 == 0:
            for k in range(64):
                total += a[it[0], k] * b[k, it[1]]
        c[it[0], it[1]] = total

    def left_early(it):  # type: ignore[no-untyped-def]
        total = np.float32(0)
        for k in range(64):
            if b[k, it[1]] < 0:
                break
            total += a[it[0], k] * b[k, it[1]]
        c[it[0], it[1]] = total

    def no_loop(it):  # type: ignore[no-untyped-def]
        c[it[0], it[1]] = a[it[0], 3] * b[3, it[1]]
    every = columns, triangle, inside_a_branch, left_early, no_loop
    assert {None} == {together(f) for f in every}


def test_what_all_rows_have_stands_once() -> None:
    def kernel(it):  # type: ignore[no-untyped-def]
        total = largest = np.float32(0)
        for k in range(64):
            largest = max(largest, b[k, it[1]])
            total += largest * a[it[0], k]
        c[it[0], it[1]] = total
    found = together(kernel)
    assert found is not None
    loop = next(s for s in found.body if isinstance(s, n.For))
    assert 1 + 4 == len([s for s in loop.body if isinstance(s, n.Assign)])
