"""Convolutions and their transposes, forward and backward, by our kernels.

A deconvolution is a convolution's way back, with the weights' channels exchanged.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unisycl.oneapi.dnn.kernels import convolutions as kernels
from unisycl.oneapi.dnn.own.functions import FORWARD
from unisycl.oneapi.dnn.own.work import F32, S32, Work, finish_product
from unisycl.oneapi.frame import views
from unisycl.oneapi.frame.operands import Memory, Record


class _Shape:
    """Sizes of a convolution, whose narrow side is its result (a deconvolution's source)."""

    def __init__(self, w: Work) -> None:
        self.turned = w.op.name.startswith("deconvolution")
        source = next(n for n in ("src", "diff_src") if w.has(n))
        result = next(n for n in ("dst", "diff_dst") if w.has(n))
        self.weights = next(n for n in ("weights", "diff_weights") if w.has(n))
        wide, narrow = (result, source) if self.turned else (source, result)
        self.wide, self.narrow = w.dims(wide), w.dims(narrow)
        dims = w.dims(self.weights)
        self.groups = dims[0] if len(dims) > len(self.wide) else 1
        self.batch = self.wide[0]
        self.ins, self.outs = self.wide[1] // self.groups, self.narrow[1] // self.groups
        self.kernel = dims[-(len(self.wide) - 2):]
        self.op = w.op

    def windows(self) -> Any:
        """Return how windows lie, in three dimensions of space."""
        n = len(self.wide) - 2
        dilates = self.op["dilates"] or (0,) * n

        def three(x: Any, fill: int) -> tuple[int, ...]:
            return (fill,) * (3 - n) + tuple(x)

        parts = (three(self.wide[2:], 1), three(self.narrow[2:], 1), three(self.kernel, 1),
                 three(self.op["strides"], 1), three((d + 1 for d in dilates), 1),
                 three(self.op["padding_l"], 0))
        return kernels.windows(*(v for part in parts for v in part))

    def reach(self, at: Memory) -> Record:
        """Return weights as kernels reach them."""
        k = math.prod(self.kernel)
        out, inner = (k, self.outs * k) if self.turned else (self.ins * k, k)
        return Record(kernels.weights, at, np.int64(self.outs * self.ins * k), np.int64(out),
                      np.int64(inner))

    def channels(self, kind: np.dtype[Any]) -> Any:
        """Return the channels, and the zero of sums."""
        return kernels.channels(self.ins, self.outs, self.groups, kind.type(0))

    def run(self, w: Work, kernel: Any, source: Memory, weights: Memory, out: Memory) -> None:
        """Compute one side from the other."""
        to = self.narrow if kernel is kernels.forward else self.wide
        kind: Any = out.dtype
        if math.prod(to):
            w.call.launch((math.prod(to[:-1]), to[-1]), kernel, self.windows(),
                          self.channels(kind), source, self.reach(weights), out)


def forward(w: Work) -> None:
    """Compute the result."""
    shape = _Shape(w)
    kind = S32 if w.is_integer("src") and w.is_integer("weights") else F32
    source, weights = w.read("src", kind), w.read("weights", kind)
    out = w.new(math.prod(w.dims("dst")), kind)
    shape.run(w, kernels.back if shape.turned else kernels.forward, source, weights, out)
    finish_product(w, out, FORWARD)


def backward_data(w: Work) -> None:
    """Compute the gradient of the source."""
    shape = _Shape(w)
    out = w.write("diff_src")
    shape.run(w, kernels.forward if shape.turned else kernels.back, w.read("diff_dst"),
              w.read("weights"), out)
    w.store()


def backward_weights(w: Work) -> None:
    """Compute the gradients of weights and bias."""
    shape = _Shape(w)
    source, gradient = w.read("src"), w.read("diff_dst")
    out = w.write("diff_weights")
    pair = (gradient, source) if shape.turned else (source, gradient)
    count = math.prod(w.dims("diff_weights"))
    if count:
        w.call.launch(count, kernels.of_weights, shape.windows(), shape.channels(F32),
                      shape.batch, Record(views.sides, *pair), shape.reach(out))
    if w.has("diff_bias"):
        channel_sums(w, gradient, w.dims("diff_dst"), w.write("diff_bias"))
    w.store()


def channel_sums(w: Work, source: Memory, dims: tuple[int, ...], out: Memory) -> None:
    """Sum over everything but the channels."""
    sizes = kernels.sums(dims[0], math.prod(dims[2:]), np.float32(0))
    if dims[1]:
        w.call.launch(dims[1], kernels.over_batch, dims[1], sizes, source, out)
