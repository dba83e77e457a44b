"""Convolutions by Winograd's way, of our kernels, within what their roundings can make."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.oneapi import dnn_model as model
from tests.conformance.oneapi.test_dnn_products import opened, run
from unisycl.oneapi import dnn
from unisycl.oneapi.dnn import arg, memory
from unisycl.oneapi.dnn.own import winograd

tag, prop, alg = memory.format_tag, dnn.prop_kind, dnn.algorithm
ONES = (1, 1)

# magnitudes of what brings weights, tiles and sums to the points 0, 1, -1, 2, -2, infinity
WEIGHTS = np.array([[6, 0, 0], [4, 4, 4], [4, 4, 4], [1, 2, 4], [1, 2, 4], [0, 0, 24]]) / 24
WEIGHTS[0, 0] = 1 / 4
TILES = np.array([[4, 0, 5, 0, 1, 0], [0, 4, 4, 1, 1, 0], [0, 4, 4, 1, 1, 0], [0, 2, 1, 2, 1, 0],
                  [0, 2, 1, 2, 1, 0], [0, 4, 0, 5, 0, 1]])
SUMS = np.array([[1, 1, 1, 1, 1, 0], [0, 1, 1, 2, 2, 0], [0, 1, 1, 4, 4, 0], [0, 1, 1, 8, 8, 1]])


def bound(x, w, left, right):
    """Return how far each result may be off.

    All magnitudes are added up as numbers are. On its way to a result a number is rounded at most 8
    times as a weight (a constant, its product and two sums in each dimension) or 6 times in a tile,
    once for each channel, and 6 times in the sums of points; the bias adds one.
    """
    count = w.shape[1] + 8 + 6 + 6 + 1
    each = count * 2.0 ** -24 / (1 - count * 2.0 ** -24)
    rows, columns = (n + a + b - 2 for n, a, b in zip(x.shape[2:], left, right, strict=True))
    down, along = -(-rows // 4), -(-columns // 4)
    tiles = model.taken(abs(x), [-p for p in left], ONES, (4 * down + 2, 4 * along + 2))
    weights = np.einsum("pr,oirs,qs->oipq", WEIGHTS, abs(w.astype(float)), WEIGHTS)
    found = np.zeros((x.shape[0], w.shape[0], 4 * down, 4 * along))
    for a, b in np.ndindex(down, along):
        tile = tiles[:, :, 4 * a:4 * a + 6, 4 * b:4 * b + 6]
        points = np.einsum("pr,nirs,qs->nipq", TILES, tile, TILES)
        found[:, :, 4 * a:4 * a + 4, 4 * b:4 * b + 4] = np.einsum(
            "ap,nipq,oipq,bq->noab", SUMS, points, weights, SUMS, optimize=True)
    return each * found[:, :, :rows, :columns]


def within(y, right, limit):
    """Check results against float64: each within its bound, all as near as others' are."""
    assert y.shape == right.shape
    assert (abs(y - right) <= limit + 2.0 ** -23 * abs(right)).all()
    model.near(y, right)


def turned(w):
    """Return the weights of the way back."""
    return np.ascontiguousarray(w.swapaxes(0, 1)[:, :, ::-1, ::-1])


CASES = {"parts": ((2, 3, 9, 7), 4, (1, 1), (1, 1)), "paddings": ((1, 2, 5, 6), 3, (0, 3), (2, 1)),
         "groups": ((1, 24, 38, 37), 25, (1, 1), (1, 1))}


@pytest.mark.row("L-10")
@pytest.mark.parametrize("name", CASES)
def test_winograd_of_kernels_is_within_its_roundings(queue: sycl.queue, monkeypatch,
                                                     name: str) -> None:
    (batch, ins, *size), outs, left, right = CASES[name]
    if queue.get_device().has(sycl.aspect.host_debuggable):
        ins, outs, size = min(ins, 3), min(outs, 4), [min(n, 10) for n in size]
    e = dnn.engine(queue)
    s = dnn.stream(e)
    rng = np.random.default_rng(11)
    ops, attr = dnn.post_ops(), dnn.primitive_attr()
    ops.append_eltwise(alg.eltwise_relu, 0.0, 0.0)
    attr.set_post_ops(ops)
    if name == "parts":
        monkeypatch.setattr(winograd, "ROOM", 36 * 7 * 5)   # five tiles at a time
    x, w = model.numbers(rng, (batch, ins, *size)), model.numbers(rng, (outs, ins, 3, 3))
    b, exact = model.numbers(rng, (outs,)), model.convolution(x, w, ONES, (0, 0), left, right)
    g = model.numbers(rng, exact.shape)
    y, dx = np.zeros_like(g), np.zeros_like(x)
    with dnn.using("kernels"):
        fwd = run(dnn.convolution_forward, e, s, (
            prop.forward_training, alg.convolution_winograd, *opened(x, w, b, y), ONES, left,
            right), {arg.SRC: x, arg.WEIGHTS: w, arg.BIAS: b, arg.DST: y}, attr=attr)
        run(dnn.convolution_backward_data, e, s, (
            alg.convolution_winograd, *opened(dx, w, g), ONES, left, right),
            {arg.DIFF_SRC: dx, arg.WEIGHTS: w, arg.DIFF_DST: g}, fwd)
    b = b.astype(float)[:, None, None]
    limit = bound(x, w, left, right)
    assert limit.max() < 0.02 * abs(exact).max()      # what can fail does
    within(y, np.maximum(exact + b, 0), limit + 2.0 ** -23 * abs(b))
    back = [tuple(2 - p for p in side) for side in (left, right)]
    within(dx, model.convolution(g, turned(w), ONES, (0, 0), *back), bound(g, turned(w), *back))


@pytest.mark.row("L-10")
@pytest.mark.parametrize("kind", [np.float32, ml_dtypes.bfloat16])
def test_winograd_by_whoever_has_it_in_other_layouts_and_types(queue: sycl.queue, kind) -> None:
    e = dnn.engine(queue)
    s = dnn.stream(e)
    rng = np.random.default_rng(12)
    x, w = model.numbers(rng, (2, 3, 6, 5), kind), model.numbers(rng, (4, 3, 3, 3), kind)
    exact = model.convolution(x, w, ONES, (0, 0), ONES, ONES)
    y, z = np.zeros(exact.shape, kind), np.zeros(exact.shape, kind)
    described = [memory.desc(v.shape, v.dtype, t) for v, t in (
        (x, tag.nhwc), (w, tag.any), (y, tag.nhwc))]
    back = np.ascontiguousarray(turned(w).swapaxes(0, 1))   # of which a deconvolution is the way
    run(dnn.convolution_forward, e, s, (
        prop.forward_inference, alg.convolution_winograd, *described, ONES, ONES, ONES),
        {arg.SRC: x, arg.WEIGHTS: w, arg.DST: y})
    run(dnn.deconvolution_forward, e, s, (
        prop.forward_inference, alg.deconvolution_winograd, *opened(x, back, z), ONES, ONES, ONES),
        {arg.SRC: x, arg.WEIGHTS: back, arg.DST: z})
    model.near(y, exact, kind)
    model.near(z, exact, kind)


@pytest.mark.row("L-10")
def test_winograd_is_refused_by_name_where_it_is_not_for(queue: sycl.queue) -> None:
    e, f32, s8 = dnn.engine(queue), memory.data_type.f32, memory.data_type.s8
    cases = [((4, 4, 3, 3), (2, 1), f32, "strides of 1"), ((4, 4, 1, 1), ONES, f32, "(4, 4, 1, 1)"),
             ((2, 2, 2, 3, 3), ONES, f32, "(2, 2, 2, 3, 3)"), ((4, 4, 3, 3), ONES, s8, "floats")]
    for weights, strides, kind, why in cases:
        size = [(10 - k) // t + 1 for k, t in zip(weights[-2:], strides, strict=True)]
        given = [memory.desc(d, k, tag.any) for d, k in (
            ((1, 4, 10, 10), kind), (weights, kind), ((1, 4, *size), f32))]
        with dnn.using("kernels"):
            with pytest.raises(dnn.error) as caught:
                dnn.convolution_forward.primitive_desc(
                    e, prop.forward_inference, alg.convolution_winograd, *given, strides, (0, 0),
                    (0, 0))
            assert caught.value.status is dnn.status.unimplemented
            assert why in str(caught.value)
            dnn.convolution_forward.primitive_desc(
                e, prop.forward_inference, alg.convolution_auto, *given, strides, (0, 0), (0, 0))
