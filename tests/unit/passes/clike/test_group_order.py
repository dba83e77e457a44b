"""Along which dimension of a range memory is contiguous."""

from __future__ import annotations

import numpy as np

from unisycl.frontend.specialize import specialize
from unisycl.passes.clike import group_order

a = np.zeros((8, 8), np.float32)
b = np.zeros((8, 8, 8), np.float32)


def found(function: object, ndim: int = 2) -> int | None:
    return group_order.dimension(specialize(function, "range", ndim).kernel)


def test_a_transpose_runs_along_the_first_dimension() -> None:
    def kernel(item):  # type: ignore[no-untyped-def]
        y, x = item
        a[x, y] = a[y, x]
    assert 0 == found(kernel)


def test_through_locals_and_neighbours() -> None:
    def kernel(item):  # type: ignore[no-untyped-def]
        row = item[0] + 1
        a[item[0], item[1]] = a[item[1] * 2, row]
    assert 0 == found(kernel)


def test_rows_are_as_they_should_be() -> None:
    def copy(item):  # type: ignore[no-untyped-def]
        a[item[0], item[1]] += a[item[0], item[1] + 1]

    def product(item):  # type: ignore[no-untyped-def]
        for k in range(8):
            a[item[0], item[1]] += a[item[0], k] * a[k, item[1]]

    def diagonal(item):  # type: ignore[no-untyped-def]
        a[item[1], item[1]] = 1

    for kernel in (copy, product, diagonal):
        assert found(kernel) is None


def again(function: object, ndim: int = 2) -> int | None:
    return group_order.reused(specialize(function, "range", ndim).kernel)


def test_a_product_reads_the_same_rows_again() -> None:
    def product(item):  # type: ignore[no-untyped-def]
        y, x = item
        for k in range(8):
            a[y, x] += a[y, k] * a[k, x]

    def batched(item):  # type: ignore[no-untyped-def]
        z, y, x = item
        k = 0
        while k < 8:
            b[z, y, x] += b[z, k, x]
            k += 1

    assert 0 == again(product)
    assert 1 == again(batched, 3)


def test_what_each_row_reads_for_itself_is_not_read_again() -> None:
    def window(item):  # type: ignore[no-untyped-def]
        for k in range(3):
            a[item[0], item[1]] += a[item[0] + k, item[1]]

    def columns(item):  # type: ignore[no-untyped-def]
        for k in range(8):
            a[item[0], item[1]] += a[k, item[0]]

    def once(item):  # type: ignore[no-untyped-def]
        a[item[0], item[1]] += a[3, item[1]]

    for kernel in (window, columns, once):
        assert again(kernel) is None


def test_three_dimensions() -> None:
    def kernel(item):  # type: ignore[no-untyped-def]
        z, y, x = item
        b[x, z, y] = b[z, y, x]
    assert 1 == found(kernel, 3)
