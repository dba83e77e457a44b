"""Functions of elements, forward and backward."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.oneapi import dnn_model as model
from unisycl.oneapi import dnn
from unisycl.oneapi.dnn import arg, memory

data_type, tag, prop = memory.data_type, memory.format_tag, dnn.prop_kind
erf = np.vectorize(math.erf)


def logistic(v):
    return 1 / (1 + np.exp(-v))


FUNCTIONS = {
    "relu": (lambda v: np.where(v > 0, v, 0.25 * v), 0.25, 0),
    "tanh": (np.tanh, 0, 0), "elu": (lambda v: np.where(v > 0, v, 0.5 * np.expm1(v)), 0.5, 0),
    "square": (np.square, 0, 0), "abs": (np.abs, 0, 0),
    "sqrt": (lambda v: np.sqrt(np.abs(v)), 0, 0), "linear": (lambda v: 2 * v - 1, 2, -1),
    "soft_relu": (lambda v: np.log1p(np.exp(2 * v)) / 2, 2, 0),
    "hardsigmoid": (lambda v: np.clip(0.3 * v + 0.4, 0, 1), 0.3, 0.4),
    "logistic": (logistic, 0, 0), "exp": (np.exp, 0, 0),
    "gelu_tanh": (lambda v: 0.5 * v * (1 + np.tanh(np.sqrt(2 / np.pi) * (
        v + 0.044715 * v**3))), 0, 0),
    "swish": (lambda v: v * logistic(0.7 * v), 0.7, 0),
    "log": (lambda v: np.log(np.abs(v)), 0, 0),
    "clip": (lambda v: np.clip(v, -0.9, 1.1), -0.9, 1.1),
    "clip_v2": (lambda v: np.clip(v, -0.9, 1.1), -0.9, 1.1),
    "pow": (lambda v: 1.5 * np.abs(v)**2.5, 1.5, 2.5),
    "gelu_erf": (lambda v: 0.5 * v * (1 + erf(v / np.sqrt(2))), 0, 0),
    "round": (np.rint, 0, 0), "mish": (lambda v: v * np.tanh(np.log1p(np.exp(v))), 0, 0),
    "hardswish": (lambda v: v * np.clip(v / 6 + 0.5, 0, 1), 1 / 6, 0.5)}
OF_RESULT = ("relu", "tanh", "elu", "sqrt", "logistic", "exp", "clip_v2")
POSITIVE = ("sqrt", "log", "pow")


@pytest.mark.row("L-13")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_and_their_slopes(queue: sycl.queue, name: str) -> None:
    e = dnn.engine(queue)
    s = dnn.stream(e)
    f, alpha, beta = FUNCTIONS[name]
    x = np.float32([[-4.1, -1.7, -0.83, -0.31], [0.29, 0.77, 1.6, 3.9]])
    x = np.abs(x) if name in POSITIVE else x
    g = np.float32([[1, -2, 0.5, 3], [2, 1, -1, 0.25]])
    algs = [getattr(dnn.algorithm, f"eltwise_{name}")]
    if name in OF_RESULT:
        algs.append(getattr(dnn.algorithm, f"eltwise_{name}_use_dst_for_bwd"))
    for who in model.providers(queue):
        with dnn.using(who):
            for alg in algs:
                md = model.plain(x)
                pd = dnn.eltwise_forward.primitive_desc(
                    e, prop.forward_training, alg, md, md, alpha, beta)
                y = np.zeros_like(x)
                dnn.eltwise_forward(pd).execute(s, {arg.SRC: x, arg.DST: y}).wait()
                model.near(y, f(x.astype(float)))
                if name == "round":
                    continue
                back = dnn.eltwise_backward.primitive_desc(e, alg, md, md, md, alpha, beta, pd)
                data = {arg.DST: y} if len(algs) > 1 and alg is algs[1] else {arg.SRC: x}
                out = np.zeros_like(x)
                dnn.eltwise_backward(back).execute(
                    s, {**data, arg.DIFF_DST: g, arg.DIFF_SRC: out}).wait()
                model.near(out, g * model.slope(f, x.astype(float)), scale=4)


@pytest.mark.row("L-13")
def test_functions_of_other_types_and_layouts(queue: sycl.queue) -> None:
    e = dnn.engine(queue)
    s = dnn.stream(e)
    rng = np.random.default_rng(1)
    for kind in (np.float16, ml_dtypes.bfloat16, np.int8, np.uint8, np.int32):
        x = model.numbers(rng, (3, 5), kind)
        y = np.zeros_like(x)
        md = model.plain(x)
        pd = dnn.eltwise_forward.primitive_desc(
            e, prop.forward_inference, dnn.algorithm.eltwise_relu, md, md, 0.0, 0.0)
        dnn.eltwise_forward(pd).execute(s, {arg.SRC: x, arg.DST: y}).wait()
        assert np.array_equal(y, np.maximum(x, kind(0)))
    x = model.numbers(rng, (2, 5, 3, 4))
    for how in (tag.nhwc, tag.nChw8c):
        for who in model.providers(queue):
            with dnn.using(who):
                md = memory.desc(x.shape, data_type.f32, how)
                a, y = memory(md, e), np.zeros_like(x)
                dnn.reorder(memory(x, e), a).execute(s, memory(x, e), a)
                dnn.eltwise_forward(e, prop.forward_inference, dnn.algorithm.eltwise_exp,
                                    md).execute(s, {arg.SRC: a, arg.DST: a})
                dnn.reorder(a, memory(y, e)).execute(s, a, memory(y, e)).wait()
                s.wait()
                model.near(y, np.exp(x.astype(float)))


@pytest.mark.part("L-13")
def test_logsoftmax_of_before_3_0(queue: sycl.queue) -> None:
    e, arg = dnn.engine(queue), dnn.arg
    x = np.random.default_rng(4).standard_normal((3, 5)).astype(np.float32)
    md = dnn.memory.desc(x.shape, dnn.memory.data_type.f32, dnn.memory.format_tag.ab)
    pd = dnn.logsoftmax_forward.primitive_desc(
        dnn.logsoftmax_forward.desc(dnn.prop_kind.forward_training, md, 1), e)
    back = dnn.logsoftmax_backward.primitive_desc(dnn.logsoftmax_backward.desc(md, md, 1), e, pd)
    src, dst, slope, found = (dnn.memory(v, e) for v in (
        x, np.zeros_like(x), np.ones_like(x), np.zeros_like(x)))
    s = dnn.stream(e)
    dnn.logsoftmax_forward(pd).execute(s, {arg.SRC: src, arg.DST: dst})
    dnn.logsoftmax_backward(back).execute(s, {arg.DST: dst, arg.DIFF_DST: slope,
                                              arg.DIFF_SRC: found})
    s.wait()
    want = x - np.log(np.exp(x.astype(float)).sum(1, keepdims=True))
    assert np.allclose(dst.map_data().reshape(x.shape), want, atol=1e-5)
    assert np.allclose(found.map_data().reshape(x.shape), 1 - 5 * np.exp(want), atol=1e-4)
