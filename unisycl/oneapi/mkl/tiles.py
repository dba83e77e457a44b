"""Products of matrices by our kernels, cut as a device has it best.

Factors and results are records that kernels read by ``get(i, j)`` and write by ``put(i, j, value)``
(``kernels.products``). Non-goals: small products, checks. Invariant: sums are added in an order
that depends on sizes alone.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.frame.call import Call
from unisycl.oneapi.frame.operands import Memory, Record
from unisycl.oneapi.mkl.kernels import products

_CUTS = {True: (4, 4, 2), False: (8, 6, 1)}
"""Rows of work-items, rows and columns of each: for vectors of 16 floats, of which there are 32
registers, and for shorter ones, of which there are 16."""


@functools.lru_cache(maxsize=64)
def _cut(device: sycl.device) -> tuple[int, int, int]:
    width = device.get_info(sycl.info.device.native_vector_width_float)
    return _CUTS[width >= products.SIDE]


def plane(at: Memory, ld: int, *, by_rows: bool = True, conjugated: bool = False) -> Record:
    """Return a matrix one of whose steps is 1 as kernels read it."""
    place = products.by_rows if by_rows else products.by_columns
    return Record(products.plane, at, np.int64(ld), place, conjugated)


def multiply(call: Call, shape: tuple[int, int, int], a: Any, b: Any, c: Any,
             numbers: Any) -> None:
    """Multiply m rows by k with k rows by n; lanes go along the rows of b and c."""
    m, n, k = shape
    if not m or not n:
        return
    kind = np.dtype(numbers.kind)
    if call.queue.get_device().has(sycl.aspect.cpu):
        cut = _cut(call.queue.get_device())
        down, tall, side, wide = cut[0], cut[1], products.SIDE, products.SIDE * cut[2]
        space = sycl.nd_range((-(-m // (down * tall)) * down, -(-n // wide) * side), (down, side))
        sizes = products.sizes(m, n, k, None, sycl.local_accessor(kind, (products.DEEP, wide)))
        call.launch(space, products.on_processors(cut), sizes, a, b, c, numbers)
        return
    side, tile = products.SIDE, products.SIDE * products.EACH
    sizes = products.sizes(m, n, k, sycl.local_accessor(kind, (tile, side)),
                           sycl.local_accessor(kind, (side, tile)))
    space = sycl.nd_range((-(-m // tile) * side, -(-n // tile) * side), (side, side))
    call.launch(space, products.gemm, sizes, a, b, c, numbers)
