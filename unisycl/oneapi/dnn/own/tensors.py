"""Softmax, operations of several tensors, reductions, shuffle and PReLU, by our kernels."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from unisycl.oneapi.dnn.descriptors import dense
from unisycl.oneapi.dnn.kernels import elements, moves, sums
from unisycl.oneapi.dnn.names import algorithm, data_type
from unisycl.oneapi.dnn.own.functions import FORWARD
from unisycl.oneapi.dnn.own.work import F32, S32, Work
from unisycl.oneapi.frame import views
from unisycl.oneapi.frame.operands import Record

ROUTINES = ("softmax_forward", "softmax_backward", "binary", "concat", "reduction",
            "shuffle_forward", "shuffle_backward", "prelu_forward", "prelu_backward")


def _rows(w: Work, dims: tuple[int, ...], axis: int) -> Record:
    return w.parts(dims, [k for k in range(len(dims)) if k != axis])


def softmax_forward(w: Work) -> None:
    """Compute softmax along an axis."""
    dims, axis = w.dims("src"), w.op["axis"]
    x, out = w.read("src"), w.write("dst")
    if math.prod(dims):
        w.call.launch(math.prod(dims) // dims[axis], sums.softmax, _rows(w, dims, axis),
                      w.op["alg"] is algorithm.softmax_log, x, out)
    w.finish("dst", out, FORWARD)
    w.scale_result("dst", out)
    w.store()


def softmax_backward(w: Work) -> None:
    """Compute the gradient of the source."""
    dims, axis = w.dims("dst"), w.op["axis"]
    y, gradient, out = w.read("dst"), w.read("diff_dst"), w.write("diff_src")
    if math.prod(dims):
        w.call.launch(math.prod(dims) // dims[axis], sums.softmax_back, _rows(w, dims, axis),
                      w.op["alg"] is algorithm.softmax_log, Record(views.sides, y, gradient), out)
    w.store()


def binary(w: Work) -> None:
    """Combine two tensors."""
    dims, small = w.dims("dst"), w.dims("src0")
    x, out, count = w.read("src0"), w.write("dst"), math.prod(dims)
    if small != dims and count:
        wide = w.new(count)
        w.call.launch(count, moves.widen, x, w.spread(dims, small), np.float32, wide)
        x = wide
    w.combine_with(FORWARD[w.op["alg"]], x, w.read("src1"), w.dims("src1"), dims, out)
    w.finish("dst", out, FORWARD)
    w.store()


def concat(w: Work) -> None:
    """Put tensors behind one another."""
    dims, axis = w.dims("dst"), w.op["axis"]
    names = [n for n in w.found if n.startswith("srcs")]
    whole = all(w.found[n].get_data_type() is data_type.s32 for n in (*names, "dst"))
    kind = S32 if whole and not w.op.attr.scales else F32
    out, at = w.write("dst", kind), 0
    rows = dense(dims, data_type.f32).layout()
    for name in names:
        mine = w.dims(name)
        to = dataclasses.replace(rows, dims=mine, padded=mine, offset=at * rows.strides[axis])
        if math.prod(mine):
            w.call.launch(math.prod(mine), moves.narrow, w.read(name, kind), out, w.place(to),
                          kind.type)
        at += mine[axis]
    w.store()


def total(w: Work) -> None:
    """Add multiples of tensors."""
    count = math.prod(w.dims("dst"))
    found = w.new(count)
    for k, scale in enumerate(w.op["scales"]):
        x = w.read(f"srcs{k}")
        if not count:
            break
        if k == 0:
            w.call.launch(count, elements.apply, elements.linear, np.float32(scale),
                          np.float32(0), x, found)
        else:
            w.call.launch(count, elements.add_scaled, np.float32(scale), np.float32(0), x, found)
    w.put(found, w.found["dst"], w.memory("dst"))


_REDUCTIONS: dict[Any, tuple[Any, Any, Any, float]] = {
    algorithm.reduction_max: (sums.itself, elements.larger, sums.as_it_is, -np.inf),
    algorithm.reduction_min: (sums.itself, elements.smaller, sums.as_it_is, np.inf),
    algorithm.reduction_sum: (sums.itself, elements.add, sums.as_it_is, 0),
    algorithm.reduction_mul: (sums.itself, elements.mul, sums.as_it_is, 1),
    algorithm.reduction_mean: (sums.itself, elements.add, sums.averaged, 0),
    algorithm.reduction_norm_lp_max: (sums.powered, elements.add, sums.root_of_larger, 0),
    algorithm.reduction_norm_lp_sum: (sums.powered, elements.add, sums.root_of_sum, 0),
    algorithm.reduction_norm_lp_power_p_max: (sums.powered, elements.add, sums.larger_of, 0),
    algorithm.reduction_norm_lp_power_p_sum: (sums.powered, elements.add, sums.sum_of, 0)}


def reduction(w: Work) -> None:
    """Reduce the dimensions in which the result has size 1."""
    dims, small = w.dims("src"), w.dims("dst")
    take, join, end, start = _REDUCTIONS[w.op["alg"]]
    x, out = w.read("src"), w.write("dst")
    if math.prod(small):
        kept = [k for k, (n, m) in enumerate(zip(dims, small, strict=True)) if n == m]
        w.call.launch(math.prod(small), sums.reduce, w.parts(dims, kept),
                      sums.reduction(take, join, end, np.float32(start), np.float32(w.op["p"]),
                                     np.float32(w.op["eps"])), x, out)
    w.finish("dst", out, FORWARD)
    w.store()


def _shuffle(w: Work, source: str, target: str, *, forward: bool) -> None:
    dims, axis = w.dims(source), w.op["axis"]
    x, out = w.read(source), w.write(target)
    rows = w.op["group"] if forward else dims[axis] // w.op["group"]
    if math.prod(dims):
        w.call.launch(math.prod(dims), sums.shuffle, math.prod(dims[axis + 1:]), dims[axis],
                      rows, x, out)
    w.store()


def shuffle_forward(w: Work) -> None:
    """Transpose an axis, seen as groups."""
    _shuffle(w, "src", "dst", forward=True)


def shuffle_backward(w: Work) -> None:
    """Put gradients back to where their elements came from."""
    _shuffle(w, "diff_dst", "diff_src", forward=False)


def prelu_forward(w: Work) -> None:
    """Multiply what is negative by weights."""
    out = w.write("dst")
    w.combine_with(elements.leak, w.read("src"), w.read("weights"), w.dims("weights"),
                   w.dims("src"), out)
    w.store()


def prelu_backward(w: Work) -> None:
    """Compute the gradients of source and weights."""
    dims, small = w.dims("src"), w.dims("weights")
    pair = Record(views.sides, w.read("src"), w.read("diff_dst"))
    out, to_weights = w.write("diff_src"), w.write("diff_weights")
    if math.prod(dims):
        w.call.launch(math.prod(dims), sums.leak_back, pair, w.read("weights"),
                      w.spread(dims, small), out)
        kept = [k for k, (n, m) in enumerate(zip(dims, small, strict=True)) if n == m]
        w.call.launch(math.prod(small), sums.leak_weights, w.parts(dims, kept), pair, to_weights)
    w.store()
