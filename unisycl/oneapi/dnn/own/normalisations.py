"""Batch, layer, group and local response normalisation, forward and backward, by our kernels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unisycl.oneapi.dnn.kernels import elements, sums
from unisycl.oneapi.dnn.names import algorithm, prop_kind
from unisycl.oneapi.dnn.names import normalization_flags as F
from unisycl.oneapi.dnn.own.functions import FORWARD
from unisycl.oneapi.dnn.own.work import Work
from unisycl.oneapi.frame import views
from unisycl.oneapi.frame.operands import Memory, Record

ROUTINES = (*(f"{kind}_normalization_{way}" for kind in ("batch", "layer", "group")
              for way in ("forward", "backward")), "lrn_forward", "lrn_backward")


class _Shape:
    """What shares statistics, and what shares a scale."""

    def __init__(self, w: Work, name: str) -> None:
        self.dims = dims = w.dims(name)
        kind = w.op.name.partition("_")[0]
        n = len(dims)
        self.seen = dims  # with channels cut into groups
        self.kept: tuple[int, ...] = (1,)
        self.channel = 1
        if kind == "layer":
            self.kept, self.channel = tuple(range(n - 1)), n - 1
        elif kind == "group":
            groups = w.op["group"]
            self.seen = (dims[0], groups, dims[1] // groups, *dims[2:])
            self.kept = 0, 1
        self.count = math.prod(self.seen[k] for k in self.kept)
        self.volume = math.prod(dims)

    def statistics(self, w: Work, mean: Memory, variance: Memory) -> Record:
        """Return statistics as kernels find them."""
        small = [n if k in self.kept else 1 for k, n in enumerate(self.seen)]
        return Record(sums.statistics, mean, variance, w.spread(self.seen, small),
                      np.float32(w.op["epsilon"]))

    def affine(self, w: Work) -> Record:
        """Return scales and shifts as kernels find them; 1 and 0 where there are none."""
        channels = self.dims[self.channel]
        small = [n if k == self.channel else 1 for k, n in enumerate(self.dims)]
        scale, shift = (w.read(name) if w.has(name) else Memory(w.call.kept(
            np.full(channels, fill, np.float32)), 0, channels)
            for name, fill in (("scale", 1), ("shift", 0)))
        return Record(sums.affine, scale, shift, w.spread(self.dims, small))


def _forward(w: Work) -> None:
    shape, flags = _Shape(w, "src"), w.op["flags"]
    x, out = w.read("src"), w.write("dst")
    if not shape.volume:
        return
    if flags & F.use_global_stats:
        mean, variance = w.read("mean"), w.read("variance")
    else:
        mean, variance = (w.write(n) if w.has(n) else w.new(shape.count)
                          for n in ("mean", "variance"))
        w.call.launch(shape.count, sums.moments, w.parts(shape.seen, shape.kept), x, mean,
                      variance)
    w.call.launch(shape.volume, sums.normalise, shape.statistics(w, mean, variance),
                  shape.affine(w), x, out)
    if flags & F.fuse_norm_add_relu:
        w.combine_with(elements.add, out, w.read("src1"), shape.dims, shape.dims, out)
    if w.has("workspace"):
        w.call.launch(shape.volume, sums.keep_positive, out, w.memory("workspace"))
    elif flags & (F.fuse_norm_relu | F.fuse_norm_add_relu):
        w.call.launch(shape.volume, elements.apply, elements.relu, np.float32(0), np.float32(0),
                      out, out)
    w.finish("dst", out, FORWARD)
    w.scale_result("dst", out)
    w.store()


def _backward(w: Work) -> None:
    shape, flags = _Shape(w, "src"), w.op["flags"]
    x, gradient, out = w.read("src"), w.read("diff_dst"), w.write("diff_src")
    channels = shape.dims[shape.channel]
    mean, variance = w.read("mean"), w.read("variance")
    if shape.volume and w.has("workspace"):
        kept = w.write("diff_src1") if w.has("diff_src1") else w.new(shape.volume)
        w.call.launch(shape.volume, sums.where_noted, gradient, w.memory("workspace"), kept)
        gradient = kept
    pair, affine = Record(views.sides, x, gradient), shape.affine(w)
    statistics = shape.statistics(w, mean, variance)
    if w.op["prop"] is prop_kind.backward and channels:
        scale, shift = (w.write(n) if w.has(n) else w.new(channels)
                        for n in ("diff_scale", "diff_shift"))
        w.call.launch(channels, sums.affine_back, w.parts(shape.dims, (shape.channel,)),
                      statistics, pair, scale, shift)
    if shape.volume:
        found = Memory(w.call.kept(np.zeros(2 * shape.count, np.float32)), 0, 2 * shape.count)
        if not flags & F.use_global_stats:
            w.call.launch(shape.count, sums.gradient_sums, w.parts(shape.seen, shape.kept),
                          statistics, affine, pair, found)
        w.call.launch(shape.volume, sums.normalise_back, statistics, affine, pair, found, out)
    w.store()


batch_normalization_forward = layer_normalization_forward = group_normalization_forward = _forward
batch_normalization_backward = layer_normalization_backward = _backward
group_normalization_backward = _backward


def _local(w: Work, dims: tuple[int, ...]) -> Any:
    """Return the numbers of a local response normalisation."""
    op, size = w.op, w.op["local_size"]
    across = op["alg"] is algorithm.lrn_across_channels
    space = (1,) * (5 - len(dims)) + dims[2:]
    summands = size if across else size ** (len(dims) - 2)
    around = (size - 1) // 2  # on either side, as oneDNN has it for even sizes, too
    return sums.local(np.float32(op["alpha"] / summands), np.float32(op["beta"]),
                      np.float32(op["k"]), around, 2 * around + 1, across, dims[1], *space)


def lrn_forward(w: Work) -> None:
    """Normalise by what is around."""
    x, out, dims = w.read("src"), w.write("dst"), w.dims("src")
    count, numbers = math.prod(dims), _local(w, w.dims("src"))
    if count:
        found = w.new(count)
        w.call.launch(count, sums.local_sums, numbers, Record(views.sides, x, x), found)
        w.call.launch(count, sums.local_forward, numbers, x, found, out)
    w.store()


def lrn_backward(w: Work) -> None:
    """Compute the gradient of the source."""
    x, gradient, out = w.read("src"), w.read("diff_dst"), w.write("diff_src")
    count, numbers = math.prod(w.dims("src")), _local(w, w.dims("src"))
    if count:
        found, result = w.new(count), w.new(count)
        pair = Record(views.sides, x, gradient)
        w.call.launch(count, sums.local_sums, numbers, pair, found)
        w.call.launch(count, sums.local_back, numbers, pair, found, result)
        w.call.launch(count, elements.apply, elements.linear, np.float32(1), np.float32(0),
                      result, out)
    w.store()
