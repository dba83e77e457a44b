"""Reorders and functions of elements, by our kernels."""

from __future__ import annotations

import math

import numpy as np

from unisycl.oneapi.dnn.kernels import elements
from unisycl.oneapi.dnn.names import data_type
from unisycl.oneapi.dnn.own.functions import FORWARD, SLOPES
from unisycl.oneapi.dnn.own.work import F32, S32, Work


def reorder(w: Work) -> None:
    """Copy a tensor; whole numbers of 32 bits keep all bits where nothing is done to them."""
    attr = w.op.attr
    whole = w.is_integer("src") and w.is_integer("dst") and (
        w.found["dst"].get_data_type() is data_type.s32) and not (
        attr.scales or attr.zero_points or attr.ops)
    source = w.read("src", S32 if whole else F32)
    if whole:
        w.put(source, w.found["dst"], w.memory("dst"))
        return
    count = math.prod(w.dims("src"))
    if attr.ops or attr.scales or attr.zero_points:
        out = w.new(count)
        if count:
            w.call.launch(count, elements.apply, elements.linear, np.float32(1), np.float32(0),
                          source, out)
        w.finish("dst", out, FORWARD)
        w.scale_result("dst", out)
        source = out
    w.put(source, w.found["dst"], w.memory("dst"))


def eltwise_forward(w: Work) -> None:
    """Apply a function."""
    count = math.prod(w.dims("src"))
    source, out = w.read("src"), w.write("dst")
    if count:
        w.call.launch(count, elements.apply, FORWARD[w.op["alg"]], np.float32(w.op["alpha"]),
                      np.float32(w.op["beta"]), source, out)
    w.finish("dst", out, FORWARD)
    w.store()


def eltwise_backward(w: Work) -> None:
    """Multiply a gradient by the slope."""
    count = math.prod(w.dims("data"))
    data, gradient, out = w.read("data"), w.read("diff_dst"), w.write("diff_src")
    if count:
        w.call.launch(count, elements.apply_back, SLOPES[w.op["alg"]], elements.numbers(
            np.float32(w.op["alpha"]), np.float32(w.op["beta"])), gradient, data, out)
    w.store()
