"""Kernels whose lanes go down columns, and how their ranges are cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.backends.base import Geometry
from unisycl.backends.cpu.emit.widths import shapes_of
from unisycl.backends.cpu.executable import compile_kernel
from unisycl.backends.cpu.variants import Key
from unisycl.frontend.specialize import specialize
from unisycl.passes.simd import columns

a, b = (np.zeros((64, 64), np.float32) for _ in range(2))


def lowered(function: Any, ndim: int = 2) -> Any:
    return specialize(function, "range", ndim, ()).kernel


def by_store(it):  # type: ignore[no-untyped-def]
    y, x = it
    b[x, y] = a[y, x]


def by_load(it):  # type: ignore[no-untyped-def]
    y, x = it[0], it[1]
    down = y + 1
    b[y, x] = a[x, down] + a[y, x]


def along(it):  # type: ignore[no-untyped-def]
    y, x = it
    b[y, x] = a[y, x] + a[y, 3]


def one_column(it):  # type: ignore[no-untyped-def]
    y, x = it
    b[y, x] = a[x, 3]


def looped(it):  # type: ignore[no-untyped-def]
    y, x = it
    for _ in range(3):
        b[x, y] += a[y, x]


@pytest.mark.parametrize(("function", "found"), [
    (by_store, True), (by_load, True), (along, False), (one_column, False), (looped, False)])
def test_lanes_that_cross_the_rows_of_the_dimension_before_are_found(
        function: Any, found: bool) -> None:
    kernel = lowered(function)
    assert columns.crossed(kernel, shapes_of(kernel, 16)) is found


def test_their_tiles_are_a_vector_wide_and_long() -> None:
    key = Key(edge=True, small=True, stream=False)
    crossed, plain = (compile_kernel(lowered(f), key) for f in (by_store, along))
    large, flat = Geometry("range", (4096, 4096)), Geometry("range", (2, 1 << 20))
    small = Geometry("range", (200, 200))
    assert crossed.tile(large)[1] == crossed.lanes < plain.tile(large)[1]
    assert crossed.tile(large)[0] >= 64
    assert crossed.tile(flat) == plain.tile(flat)
    assert crossed.tile(small) == plain.tile(small)
    again = compile_kernel(lowered(by_store), key)
    assert again.tile(large) == crossed.tile(large)


@pytest.mark.parametrize("size", [(70, 131), (801, 803), (3, 300)])
def test_both_transpositions_are_right(size: tuple[int, int]) -> None:
    x = np.arange(size[0] * size[1], dtype=np.float32).reshape(size)
    out, back = np.zeros(size[::-1], np.float32), np.zeros(size, np.float32)

    @sycl.kernel
    def store(it: Any, x: Any, out: Any) -> None:
        out[it[1], it[0]] = x[it[0], it[1]]

    @sycl.kernel
    def load(it: Any, x: Any, out: Any) -> None:
        out[it[0], it[1]] = x[it[1], it[0]]

    queue = sycl.queue(sycl.cpu_selector_v)
    queue.parallel_for(sycl.range(*size), store, x, out).wait()
    queue.parallel_for(sycl.range(*size), load, out, back).wait()
    assert np.array_equal(out, x.T)
    assert np.array_equal(back, x)
