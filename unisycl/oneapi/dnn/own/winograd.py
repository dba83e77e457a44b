"""Convolutions of 3 x 3 by Winograd's way: a quarter of the products, in five kernels.

4 x 4 results come from a tile of 6 x 6: tiles and weights are taken at 36 points, multiplied there
as matrices of channels, and brought back. Non-goals: other windows, steps, dilation, groups and
whole numbers, which are refused by name; gradients of weights. Invariant: the same bits in every
run, as parts depend on sizes alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dnn import names
from unisycl.oneapi.dnn.kernels import winograd as kernels
from unisycl.oneapi.dnn.names import INTEGERS, algorithm
from unisycl.oneapi.dnn.operations import Op
from unisycl.oneapi.dnn.own.matrices import SMALL
from unisycl.oneapi.dnn.own.unrolled import Plan
from unisycl.oneapi.dnn.own.work import Work
from unisycl.oneapi.frame.operands import Memory, Record
from unisycl.oneapi.mkl.kernels import products

ALGORITHMS = (algorithm.convolution_winograd, algorithm.deconvolution_winograd)
_CUTS = {True: ((4, 4, 2),), False: ((8, 6, 1), (8, 8, 1))}
"""For vectors of 16 floats, and for shorter ones."""
ROOM = 1 << 23
"""How many numbers at points are held at a time."""


def refuse(op: Op, found: dict[str, Any]) -> None:
    """Refuse what Winograd's way is not for, where it is asked for by name."""
    if not op.name.startswith(("convolution", "deconvolution")) or op["alg"] not in ALGORITHMS:
        return
    why = ""
    if op.name.endswith("backward_weights"):
        why = "not for the gradient of weights"
    elif len(found["weights"].dims) != 4 or found["weights"].dims[2:] != (3, 3):
        why = f"for weights of (out, in, 3, 3), and these are {found['weights'].dims}"
    elif set(op["strides"]) != {1} or any(op["dilates"] or ()):
        why = "for strides of 1, without dilation"
    elif any(d.get_data_type() in INTEGERS for n, d in found.items() if n != "bias"):
        why = "for floats"
    if why:
        raise names.unimplemented(f"algorithm.{op['alg'].name} of theirs is {why}; "
                                  f"algorithm.{op.name.split('_')[0]}_direct has no such limit")


def apply(w: Work, plan: Plan, source: Memory, weights: Memory, out: Memory) -> None:
    """Compute the result of all windows; weights lie row by row."""
    down, along = (-(-n // kernels.SIDE) for n in plan.result[1:])
    pairs, count = plan.outs * plan.ins, plan.images * down * along
    if not count * plan.outs:
        return
    part = min(count, max(ROOM // (kernels.POINTS * (plan.ins + plan.outs)), 1))
    filters = w.new(kernels.POINTS * pairs)
    if pairs:
        w.call.launch(pairs, kernels.weights, pairs, weights, filters)
    points = w.new(kernels.POINTS * plan.ins * part)
    sums = w.new(kernels.POINTS * plan.outs * part)

    def of(many: int, end: int, channels: int, space: tuple[int, ...],
              before: tuple[int, ...]) -> Record:
        return Record(kernels.tiles, *(np.int64(n) for n in (
            many, end, down, along, channels, *space[1:], *before[1:])))

    for first in range(0, count, part):
        many = min(part, count - first)
        if plan.ins:
            w.call.launch((plan.ins, many), kernels.gather, of(
                many, first + many, plan.ins, plan.source, plan.before), source, points)
        _multiply(w, (plan.outs, many, plan.ins), filters, points, sums)
        w.call.launch((plan.outs, many), kernels.scatter, of(
            many, first + many, plan.outs, plan.result, (0, 0, 0)), sums, out)


def _multiply(w: Work, shape: tuple[int, int, int], a: Memory, b: Memory, c: Memory) -> None:
    """Multiply the matrices of each point: m rows by k, and k rows by n."""
    m, n, k = shape
    device = w.call.queue.get_device()
    factors = [Record(kernels.matrices, at, np.int64(size), np.int64(ld))
               for at, size, ld in ((a, m * k, k), (b, k * n, n), (c, m * n, n))]
    if m * n * k <= SMALL or device.has(sycl.aspect.host_debuggable):
        w.call.launch((kernels.POINTS * m, n), kernels.multiply_simply, m, k, *factors)
        return
    kind: Any = np.float32
    cut = _cut(device, m) if device.has(sycl.aspect.cpu) else None
    side = products.SIDE
    if cut is None:
        down, high, wide = side, side * products.EACH, side * products.EACH
        sizes = products.sizes(m, n, k, sycl.local_accessor(kind, (high, side)),
                               sycl.local_accessor(kind, (side, wide)))
    else:
        down, high, wide = cut[0], cut[0] * cut[1], side * cut[2]
        sizes = products.sizes(m, n, k, None, sycl.local_accessor(kind, (products.DEEP, wide)))
    space = sycl.nd_range((kernels.POINTS, -(-m // high) * down, -(-n // wide) * side),
                          (1, down, side))
    numbers = products.numbers(kind(1), kind(0), kind(0), kind, kind)
    w.call.launch(space, kernels.multiply(cut), sizes, *factors, numbers)


def _cut(device: sycl.device, m: int) -> tuple[int, int, int]:
    """Return rows of work-items, rows and columns of each, so that few rows are none."""
    width = device.get_info(sycl.info.device.native_vector_width_float)
    return min(_CUTS[width >= products.SIDE], key=lambda c: -m % (c[0] * c[1]))


def chosen(op: Op) -> bool:
    """Say whether Winograd's way is asked for."""
    return op["alg"] in ALGORITHMS
