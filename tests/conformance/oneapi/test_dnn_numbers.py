"""Numbers of oneDNN where one goes astray: mixed layouts, even windows, infinities, long sums."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.oneapi import dnn_model as model
from unisycl.oneapi import dnn
from unisycl.oneapi.dnn import arg, memory

prop, alg, flags = dnn.prop_kind, dnn.algorithm, dnn.normalization_flags


def turned(x):
    """Return the same elements, which lie in another order."""
    order = (*range(1, x.ndim), 0)
    return np.ascontiguousarray(x.transpose(order)).transpose(np.argsort(order))


def made(kind, e, *arguments):
    return kind.primitive_desc(e, *(memory(a, e).get_desc() if isinstance(a, np.ndarray) else a
                                    for a in arguments))


def run(kind, s, pd, given):
    kind(pd).execute(s, given).wait()


@pytest.mark.row("L-12", "L-13")
def test_tensors_of_one_call_may_lie_in_different_orders(queue: sycl.queue) -> None:
    e, rng = dnn.engine(queue), np.random.default_rng(5)
    s = dnn.stream(e)
    x, g = model.numbers(rng, (5, 3, 2)), model.numbers(rng, (5, 3, 2))
    y = turned(np.zeros_like(x))
    norm = dnn.layer_normalization_forward
    run(norm, s, made(norm, e, prop.forward_inference, x, y, 1e-3, flags.none),
        {arg.SRC: x, arg.DST: y})
    wide = x.astype(float)
    model.near(y, (wide - wide.mean(-1, keepdims=True))
               / np.sqrt(wide.var(-1, keepdims=True) + 1e-3))

    forward = made(dnn.softmax_forward, e, prop.forward_training, alg.softmax_accurate, x, x, 1)
    p, dx = np.exp(x) / np.exp(x).sum(1, keepdims=True), turned(np.zeros_like(x))
    back = dnn.softmax_backward
    run(back, s, made(back, e, alg.softmax_accurate, dx, g, p, 1, forward),
        {arg.DST: p, arg.DIFF_DST: g, arg.DIFF_SRC: dx})
    model.near(dx, p * (g - (p * g).sum(1, keepdims=True)))

    w = model.numbers(rng, x.shape)
    dx, dw = np.zeros_like(x), turned(np.zeros_like(w))
    forward, back = made(dnn.prelu_forward, e, prop.forward_training, x, w, x), dnn.prelu_backward
    run(back, s, made(back, e, x, w, dx, dw, g, forward),
        {arg.SRC: x, arg.WEIGHTS: w, arg.DIFF_SRC: dx, arg.DIFF_WEIGHTS: dw, arg.DIFF_DST: g})
    model.near(dx, np.where(x > 0, g, g * w))
    model.near(dw, np.where(x > 0, 0, x * g))

    a, b = rng.integers(0, 9, (2, 5, 3, 2)).astype(np.uint8)
    c = turned(np.zeros_like(a))
    run(dnn.binary, s, made(dnn.binary, e, alg.binary_mul, a, b, c),
        {arg.SRC_0: a, arg.SRC_1: b, arg.DST: c})
    assert (c == a * b).all()


@pytest.mark.row("L-12")
def test_windows_of_even_sizes_reach_as_far_on_both_sides(queue: sycl.queue) -> None:
    x = np.arange(1, 9, dtype=np.float32).reshape(1, 8, 1)
    right = {n: [v / (1 + sum(u * u for u in range(max(v - r, 1), min(v + r, 8) + 1)) / n) ** 0.5
                 for v in range(1, 9)] for n, r in ((2, 0), (4, 1), (5, 2))}
    for who in model.providers(queue):
        with dnn.using(who):
            e = dnn.engine(queue)
            for size, expected in right.items():
                y = np.zeros_like(x)
                try:
                    pd = made(dnn.lrn_forward, e, prop.forward_inference, alg.lrn_across_channels,
                              x, y, size, 1.0, 0.5, 1.0)
                except dnn.error:
                    assert who == "onednn"  # which has some sizes only
                    continue
                run(dnn.lrn_forward, dnn.stream(e), pd, {arg.SRC: x, arg.DST: y})
                model.near(y.ravel(), expected)


LIMITS = {"relu": (0, [np.nan, np.inf, 0, 100, 0]), "gelu_erf": (0, [np.nan, np.inf, 0, 100, 0]),
          "gelu_tanh": (0, [np.nan, np.inf, 0, 100, 0]), "elu": (1, [np.nan, np.inf, -1, 100, -1])}
SLOPES = {"gelu_erf": [1, 0, 1, 0], "gelu_tanh": [1, 0, 1, 0], "mish": [1, 0, 1, 0]}


@pytest.mark.row("L-13")
def test_functions_end_at_their_limits_by_our_kernels(queue: sycl.queue) -> None:
    x = np.array([np.nan, np.inf, -np.inf, 100, -1e30], np.float32)
    e = dnn.engine(queue)
    s = dnn.stream(e)
    with dnn.using("kernels"):
        for name, (alpha, right) in LIMITS.items():
            y, kind = np.zeros_like(x), getattr(alg, f"eltwise_{name}")
            run(dnn.eltwise_forward, s, made(dnn.eltwise_forward, e, prop.forward_inference, kind,
                                             x, y, alpha, 0.0), {arg.SRC: x, arg.DST: y})
            assert np.array_equal(y, np.float32(right), equal_nan=True), (name, y)
        for name, right in SLOPES.items():
            at = np.array([1e30, -1e30, 100, -100], np.float32)
            g, y, kind = np.ones_like(at), np.zeros_like(at), getattr(alg, f"eltwise_{name}")
            forward = made(dnn.eltwise_forward, e, prop.forward_training, kind, at, y, 0.0, 0.0)
            run(dnn.eltwise_backward, s, made(dnn.eltwise_backward, e, kind, y, g, at, 0.0, 0.0,
                                              forward),
                {arg.SRC: at, arg.DIFF_DST: g, arg.DIFF_SRC: y})
            assert np.allclose(y, right, atol=1e-6), (name, y)


@pytest.mark.row("L-12", "L-13")
def test_long_sums_do_not_lose_small_summands(queue: sycl.queue) -> None:
    x = np.ones((1, 1, 1024), np.float32)
    x[0, 0, 0] = 1 << 24                            # to which adding 1 changes nothing
    y, e = np.zeros((1, 1, 1), np.float32), dnn.engine(queue)
    with dnn.using("kernels"):
        s = dnn.stream(e)
        run(dnn.reduction, s, made(dnn.reduction, e, alg.reduction_sum, x, y, 0.0, 0.0),
            {arg.SRC: x, arg.DST: y})
        assert abs(float(y[0, 0, 0]) - x.sum(dtype=float)) < 80
        mean, variance = np.zeros(1, np.float32), np.zeros(1, np.float32)
        norm, out = dnn.batch_normalization_forward, np.zeros_like(x)
        run(norm, s, made(norm, e, prop.forward_training, x, out, 1e-3, flags.none),
            {arg.SRC: x, arg.DST: out, arg.MEAN: mean, arg.VARIANCE: variance})
        assert abs(float(mean[0]) - x.mean(dtype=float)) < 0.1
