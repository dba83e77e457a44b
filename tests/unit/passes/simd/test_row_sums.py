"""Which loops along rows may be added up in any order."""

from __future__ import annotations

import numpy as np

from unisycl.frontend.specialize import specialize
from unisycl.passes.simd import row_sums, shapes

a, b = (np.zeros((64, 64), np.float32) for _ in range(2))
out, whole = np.zeros(64, np.float32), np.zeros((64, 64), np.int32)


def adds_up(function: object) -> bool:
    def query(name: str, dim: int) -> shapes.Shape:
        return shapes.Shape(shapes.LINEAR, 1) if name == "global_id" else shapes.UNIFORM
    kernel = specialize(function, "range", 1).kernel
    return row_sums.occur(kernel.body, shapes.analyse(kernel.body, query, {}))


def test_sums_and_products_along_rows_add_up() -> None:
    def one(i):  # type: ignore[no-untyped-def]
        total, other = out[0], out[1]
        for j in range(a.shape[1]):
            total += a[i, j] * b[i, j]
            other = other - a[i, j] + out[2]
        out[i] = total - other

    def product(i):  # type: ignore[no-untyped-def]
        total = out[0]
        for j in range(a.shape[1]):
            total *= a[i, j]
        out[i] = total

    def behind(i):  # type: ignore[no-untyped-def]
        total = out[0]
        for j in range(a.shape[1]):
            total += a[i, j]
        for j in range(a.shape[1]):
            b[i, j] = a[i, j] - total
    assert all(map(adds_up, (one, product, behind)))


def test_loops_that_need_their_turns_in_order_do_not() -> None:
    def running(i):  # type: ignore[no-untyped-def]
        total = out[0]
        for j in range(a.shape[1]):
            total += a[i, j]
            b[i, j] = total

    def polynomial(i):  # type: ignore[no-untyped-def]
        total = out[0]
        for j in range(a.shape[1]):
            total = total * out[1] + a[i, j]
        out[i] = total

    def alternating(i):  # type: ignore[no-untyped-def]
        total = out[0]
        for j in range(a.shape[1]):
            total = a[i, j] - total
        out[i] = total

    def largest(i):  # type: ignore[no-untyped-def]
        total = most = out[0]
        for j in range(a.shape[1]):
            total += a[i, j]
        for j in range(a.shape[1]):
            most = max(most, a[i, j])
        out[i] = total + most

    def few(i):  # type: ignore[no-untyped-def]
        total = out[0]
        for j in range(16):
            total += a[i, j]
        out[i] = total

    def counted(i):  # type: ignore[no-untyped-def]
        total = whole[0, 0]
        for j in range(whole.shape[1]):
            total += whole[i, j]
        whole[i, 0] = total

    def columns(i):  # type: ignore[no-untyped-def]
        total = out[0]
        for j in range(a.shape[0]):
            total += a[j, i]
        out[i] = total
    assert not any(map(adds_up, (
        running, polynomial, alternating, largest, few, counted, columns)))
