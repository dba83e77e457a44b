"""Products of two matrices, as primitives have use for them, by our kernels."""

from __future__ import annotations

from typing import Any

import unisycl as sycl
from unisycl.oneapi.dnn.kernels import convolutions
from unisycl.oneapi.dnn.own.work import Work
from unisycl.oneapi.frame.operands import Memory, Record
from unisycl.oneapi.mkl import tiles
from unisycl.oneapi.mkl.kernels import products

SMALL = 1 << 15
"""Up to how many products an element is one work-item's."""


def multiply(w: Work, shape: tuple[int, int, int], a: Record | Memory, b: Record | Memory,
             c: Record | Memory, *, add: bool = False) -> None:
    """Multiply two matrices: m rows by k, and k rows by n.

    Args:
        w: the execution.
        shape: m, n and k.
        a: the first matrix, or how it is read (``tiles.plane``).
        b: the second one.
        c: the result, or how it is written.
        add: whether the product is added to what stands there.
    """
    m, n, k = shape
    if not m * n:
        return
    to = c if isinstance(c, Record) else tiles.plane(c, n)
    dtype: Any = to.fields[0].dtype
    kind = dtype.type
    left = a if isinstance(a, Record) else tiles.plane(a, k)
    right = b if isinstance(b, Record) else tiles.plane(b, n)
    numbers = products.numbers(kind(1), kind(1 if add else 0), kind(0), kind, kind)
    if m * n * k <= SMALL or w.call.queue.get_device().has(sycl.aspect.host_debuggable):
        w.call.launch((m, n), convolutions.product, convolutions.product_sizes(k, numbers),
                      left, right, to)
        return
    tiles.multiply(w.call, shape, left, right, to, numbers)


def grid(at: Memory, down: int, along: int = 1) -> Record:
    """Return a matrix as kernels read it, by two steps one of which is 1."""
    return tiles.plane(at, down) if along == 1 else tiles.plane(at, along, by_rows=False)
