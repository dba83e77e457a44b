"""Pooling and resampling, forward and backward, by our kernels."""

from __future__ import annotations

import math
from typing import Any

from unisycl.oneapi.dnn.kernels import convolutions, pools
from unisycl.oneapi.dnn.names import algorithm
from unisycl.oneapi.dnn.own.functions import FORWARD
from unisycl.oneapi.dnn.own.work import S32, Work

ROUTINES = ("pooling_forward", "pooling_backward", "resampling_forward", "resampling_backward")
_SHARES = {algorithm.pooling_max: pools.of_largest,
           algorithm.pooling_avg_include_padding: pools.of_all,
           algorithm.pooling_avg_exclude_padding: pools.of_those_inside}


def _windows(w: Work, source: tuple[int, ...], result: tuple[int, ...]) -> Any:
    """Return how windows lie, in three dimensions of space."""
    n, op = len(source) - 2, w.op

    def three(x: Any, fill: int) -> tuple[int, ...]:
        return (fill,) * (3 - n) + tuple(x or (fill,) * n)

    dilates = tuple(d + 1 for d in op["dilates"] or (0,) * n)
    parts = (three(source[2:], 1), three(result[2:], 1), three(op["kernel"], 1),
             three(op["strides"], 1), three(dilates, 1), three(op["padding_l"], 0))
    return convolutions.windows(*(v for part in parts for v in part))


def pooling_forward(w: Work) -> None:
    """Reduce windows to their largest element or their mean."""
    source, dims = w.read("src"), w.dims("dst")
    out = w.write("dst")
    windows = _windows(w, w.dims("src"), dims)
    space = math.prod(dims[:-1]), dims[-1]
    if not math.prod(dims):
        return
    if w.op["alg"] is algorithm.pooling_max:
        noted = w.write("workspace", S32) if w.has("workspace") else w.new(math.prod(dims), S32)
        w.call.launch(space, pools.largest, windows, source, out, noted)
    else:
        include = w.op["alg"] is algorithm.pooling_avg_include_padding
        w.call.launch(space, pools.mean, windows, include, source, out)
    w.finish("dst", out, FORWARD)
    w.store()


def pooling_backward(w: Work) -> None:
    """Hand gradients back to the elements that counted."""
    gradient, out, dims = w.read("diff_dst"), w.write("diff_src"), w.dims("diff_src")
    noted = w.read("workspace", S32) if w.has("workspace") else gradient
    if math.prod(dims):
        w.call.launch((math.prod(dims[:-1]), dims[-1]), pools.back,
                      _windows(w, dims, w.dims("diff_dst")), _SHARES[w.op["alg"]], gradient,
                      noted, out)
    w.store()


def _resample(w: Work, kernel: Any, source: str, target: str, wide: str, narrow: str) -> None:
    given, out, dims = w.read(source), w.write(target), w.dims(target)
    weigh = pools.nearest if w.op["alg"] is algorithm.resampling_nearest else pools.linear
    if math.prod(dims):
        w.call.launch(math.prod(dims), kernel, weigh,
                      _windows(w, w.dims(wide), w.dims(narrow)), given, out)
    if target == "dst":
        w.finish("dst", out, FORWARD)
    w.store()


def resampling_forward(w: Work) -> None:
    """Give a tensor another size in space."""
    _resample(w, pools.resample, "src", "dst", "src", "dst")


def resampling_backward(w: Work) -> None:
    """Hand gradients back to the elements that counted."""
    _resample(w, pools.resample_back, "diff_dst", "diff_src", "diff_src", "diff_dst")
