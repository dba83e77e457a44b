"""Products of matrices, by our kernels."""

from __future__ import annotations

import itertools
import math

from unisycl.oneapi.dnn.own.convolutions import channel_sums
from unisycl.oneapi.dnn.own.functions import FORWARD
from unisycl.oneapi.dnn.own.matrices import grid, multiply
from unisycl.oneapi.dnn.own.work import F32, S32, Work, finish_product


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
