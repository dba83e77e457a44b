"""Convolutions and their transposes, forward and backward, by our kernels.

A deconvolution is a convolution's way back, with the weights' channels exchanged.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unisycl.oneapi.dnn.kernels import convolutions as kernels
from unisycl.oneapi.dnn.own import winograd
from unisycl.oneapi.dnn.own.functions import FORWARD
from unisycl.oneapi.dnn.own.unrolled import Plan, turned
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

        n = len(self.wide) - 2
        dilates = self.op["dilates"] or (0,) * n

        def three(x: Any, fill: int) -> tuple[int, ...]:
            return (fill,) * (3 - n) + tuple(x)

        self.parts = (three(self.wide[2:], 1), three(self.narrow[2:], 1), three(self.kernel, 1),
                      three(self.op["strides"], 1), three((d + 1 for d in dilates), 1),
                      three(self.op["padding_l"], 0))

    def windows(self) -> Any:
        """Return how windows lie, in three dimensions of space."""
        return kernels.windows(*(v for part in self.parts for v in part))

    def steps(self) -> tuple[int, int, int]:
        """Return how far weights of a group, a channel out and a channel in are apart."""
        k = math.prod(self.kernel)
        out, inner = (k, self.outs * k) if self.turned else (self.ins * k, k)
        return self.outs * self.ins * k, out, inner

    def reach(self, at: Memory) -> Record:
        """Return weights as kernels reach them."""
        return Record(kernels.weights, at, *(np.int64(n) for n in self.steps()))

    def forward_plan(self) -> Plan:
        """Return how windows over the wide side give the narrow one."""
        wide, narrow, kernel, strides, dilation, left = self.parts
        return Plan(self.batch, self.groups, self.ins, self.outs, wide, (1, 1, 1), left, kernel,
                    dilation, strides, narrow)

    def back_plan(self) -> Plan:
        """Return how windows over the narrow side, spread out, give the wide one."""
        wide, narrow, kernel, strides, dilation, left = self.parts
        before = tuple((k - 1) * d - p for k, d, p in zip(kernel, dilation, left, strict=True))
        return Plan(self.batch, self.groups, self.outs, self.ins, narrow, strides, before, kernel,
                    dilation, (1, 1, 1), wide)

    def rows_of_weights(self, w: Work, weights: Memory, *, back: bool) -> Memory:
        """Return weights with a row for each channel of the side that is computed."""
        if not (back or self.turned):
            return weights
        group, out, inner = self.steps()
        taps = math.prod(self.kernel)
        if back:
            return turned(w, weights, (self.groups, self.ins, self.outs, taps),
                          (group, inner, out), around=True)
        return turned(w, weights, (self.groups, self.outs, self.ins, taps), (group, out, inner),
                      around=False)

    def channels(self, kind: np.dtype[Any]) -> Any:
        """Return the channels, and the zero of sums."""
        return kernels.channels(self.ins, self.outs, self.groups, kind.type(0))

    def run(self, w: Work, kernel: Any, source: Memory, weights: Memory, out: Memory) -> None:
        """Compute one side from the other."""
        back = kernel is kernels.back
        to = self.wide if back else self.narrow
        kind: Any = out.dtype
        plan = self.back_plan() if back else self.forward_plan()
        if winograd.chosen(self.op):
            winograd.apply(w, plan, source, self.rows_of_weights(w, weights, back=back), out)
        elif plan.pays(w):
            plan.apply(w, source, self.rows_of_weights(w, weights, back=back), out)
        elif math.prod(to):
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
    plan = shape.forward_plan()
    if plan.pays(w) and not shape.turned:
        plan.apply_back(w, *pair, out)
    elif count:
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
