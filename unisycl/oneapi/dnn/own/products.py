"""Products of matrices, by our kernels."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dnn.kernels import convolutions
from unisycl.oneapi.dnn.own.convolutions import channel_sums
from unisycl.oneapi.dnn.own.functions import FORWARD
from unisycl.oneapi.dnn.own.work import F32, S32, Work, finish_product
from unisycl.oneapi.frame.operands import Memory, Record
from unisycl.oneapi.mkl.kernels import products

_SMALL = 1 << 15


def multiply(w: Work, shape: tuple[int, int, int], a: Record | Memory, b: Record | Memory,
             c: Record | Memory, *, add: bool = False) -> None:
    """Multiply two matrices: m rows by k, and k rows by n.

    Args:
        w: the execution.
        shape: m, n and k.
        a: the first matrix, or how it is read (``grid``).
        b: the second one.
        c: the result, or how it is written.
        add: whether the product is added to what stands there.
    """
    m, n, k = shape
    if not m * n:
        return
    to = c if isinstance(c, Record) else grid(c, n)
    dtype: Any = to.fields[0].dtype
    kind = dtype.type
    left = a if isinstance(a, Record) else grid(a, k)
    right = b if isinstance(b, Record) else grid(b, n)
    numbers = products.numbers(kind(1), kind(1 if add else 0), kind(0), kind, kind)
    if m * n * k <= _SMALL or w.call.queue.get_device().has(sycl.aspect.host_debuggable):
        w.call.launch((m, n), convolutions.product, convolutions.product_sizes(k, numbers),
                      left, right, to)
        return
    side, tile = products.SIDE, products.SIDE * products.EACH
    sizes = products.sizes(m, n, k, sycl.local_accessor(dtype, (tile, side)),
                           sycl.local_accessor(dtype, (side, tile)))
    space = sycl.nd_range((-(-m // tile) * side, -(-n // tile) * side), (side, side))
    w.call.launch(space, products.gemm, sizes, left, right, to, numbers)


def grid(at: Memory, down: int, along: int = 1) -> Record:
    """Return a matrix as kernels read it, by two steps."""
    return Record(products.grid, at, np.int64(down), np.int64(along), False)


def matmul(w: Work) -> None:
    """Multiply matrices, batch by batch."""
    whole = w.is_integer("src") and w.is_integer("weights")
    kind = S32 if whole else F32
    a, b = w.read("src", kind), w.read("weights", kind)
    dims = w.dims("dst")
    m, n, k = dims[-2], dims[-1], w.dims("src")[-1]
    out = w.new(math.prod(dims), kind)
    for place, at in enumerate(itertools.product(*map(range, dims[:-2]))):
        first, second = (_batch(at, w.dims(x)[:-2]) for x in ("src", "weights"))
        multiply(w, (m, n, k), a.part(first * m * k, (first + 1) * m * k),
                 b.part(second * k * n, (second + 1) * k * n),
                 out.part(place * m * n, (place + 1) * m * n))
    finish_product(w, out, FORWARD)


def _batch(at: tuple[int, ...], dims: tuple[int, ...]) -> int:
    """Return which matrix of a batch is meant, where sizes of 1 serve all."""
    found = 0
    for k, n in zip(at, dims, strict=True):
        found = found * n + (0 if n == 1 else k)
    return found


def inner_forward(w: Work) -> None:
    """Multiply each item of a batch by all weights."""
    whole = w.is_integer("src") and w.is_integer("weights")
    kind = S32 if whole else F32
    n, outs = w.dims("dst")
    size = math.prod(w.dims("src")[1:])
    out = w.new(n * outs, kind)
    multiply(w, (n, outs, size), w.read("src", kind), grid(w.read("weights", kind), 1, size), out)
    finish_product(w, out, FORWARD)


def inner_backward_data(w: Work) -> None:
    """Multiply gradients by the weights."""
    n, outs = w.dims("diff_dst")
    size = math.prod(w.dims("diff_src")[1:])
    out = w.write("diff_src")
    multiply(w, (n, size, outs), w.read("diff_dst"), w.read("weights"), out)
    w.store()


def inner_backward_weights(w: Work) -> None:
    """Multiply gradients, transposed, by the sources, and sum them for the bias."""
    n, outs = w.dims("diff_dst")
    size = math.prod(w.dims("src")[1:])
    gradient, out = w.read("diff_dst"), w.write("diff_weights")
    multiply(w, (outs, size, n), grid(gradient, 1, outs), w.read("src"), out)
    if w.has("diff_bias"):
        channel_sums(w, gradient, (n, outs), w.write("diff_bias"))
    w.store()
