"""Products of oneDNN: matmul, convolutions and their transposes, forward and backward."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.oneapi import dnn_model as model
from unisycl.oneapi import dnn
from unisycl.oneapi.dnn import arg, memory

data_type, tag, prop = memory.data_type, memory.format_tag, dnn.prop_kind
FLOATS = (np.float32, ml_dtypes.bfloat16, np.float16)

CASES = {
    "1d": ((2, 3, 9), (4, 3, 3), (2,), (0,), (1,), (-1,), 1),
    "2d": ((2, 4, 6, 7), (6, 4, 3, 2), (1, 2), (0, 0), (1, 0), (0, 1), 1),
    "dilated": ((1, 3, 9, 8), (2, 3, 3, 3), (1, 1), (1, 2), (2, 0), (1, 2), 1),
    "groups": ((2, 6, 5, 5), (2, 2, 3, 3, 3), (2, 1), (0, 0), (1, 1), (1, 1), 2),
    "depthwise": ((1, 4, 5, 6), (4, 1, 1, 3, 3), (1, 1), (0, 0), (1, 1), (1, 1), 4),
    "3d": ((1, 2, 4, 5, 4), (3, 2, 2, 3, 2), (1, 2, 1), (0, 0, 0), (1, 1, 0), (0, 1, 1), 1)}


class Conv:
    """One case of a convolution: its tensors and what is right."""

    def __init__(self, name: str, kind=np.float32) -> None:
        rng = np.random.default_rng(7)
        shape, weights, *self.how, self.groups = CASES[name]
        self.x, self.w = model.numbers(rng, shape, kind), model.numbers(rng, weights, kind)
        self.y = self.apply(self.x)
        self.b = model.numbers(rng, (self.y.shape[1],))
        self.g = model.numbers(rng, self.y.shape, kind)

    def apply(self, x, w=None):
        return model.convolution(x, self.w if w is None else w, *self.how, self.groups)

    def windows(self):
        strides, dilates, left, right = self.how
        return strides, dilates, left, right


def run(kind, e, s, arguments, given, hint=None, attr=None):
    """Execute a primitive of which all layouts are open; return its descriptor."""
    more = [x for x in (attr, hint) if x is not None]
    pd = kind.primitive_desc(e, *arguments, *more)
    inside = {}
    for number, x in given.items():
        md = pd.exec_arg_desc(number) if number < 1000 else memory(x, e).get_desc()
        inside[number] = memory(md, e)
        if md.get_data_type() == memory(x, e).get_desc().get_data_type():
            dnn.reorder(memory(x, e), inside[number]).execute(s, memory(x, e), inside[number])
    kind(pd).execute(s, inside)
    for number, x in given.items():
        if number < 1000:
            dnn.reorder(inside[number], memory(x, e)).execute(s, inside[number], memory(x, e))
    s.wait()
    return pd


def opened(*arrays):
    return [memory.desc(x.shape, x.dtype, tag.any) for x in arrays]


@pytest.mark.row("L-10")
@pytest.mark.parametrize("name", CASES)
def test_convolutions_and_their_gradients(queue: sycl.queue, name: str) -> None:
    e = dnn.engine(queue)
    s = dnn.stream(e)
    c = Conv(name)
    back = model.transposed(c.apply, c.x.shape)(c.g)
    of_weights = model.transposed(lambda w: c.apply(c.x, w), c.w.shape)(c.g)
    for who in model.providers(queue):
        with dnn.using(who):
            y = np.zeros(c.y.shape, np.float32)
            for alg in (dnn.algorithm.convolution_direct, dnn.algorithm.convolution_auto):
                fwd = run(dnn.convolution_forward, e, s, (
                    prop.forward_training, alg, *opened(c.x, c.w, c.b, y), *c.windows()),
                    {arg.SRC: c.x, arg.WEIGHTS: c.w, arg.BIAS: c.b, arg.DST: y})
                model.near(y, c.y + c.b.reshape(-1, *[1] * (y.ndim - 2)))
            dx, dw, db = (np.zeros_like(v) for v in (c.x, c.w, c.b))
            run(dnn.convolution_backward_data, e, s, (
                dnn.algorithm.convolution_direct, *opened(dx, c.w, c.g), *c.windows()),
                {arg.DIFF_SRC: dx, arg.WEIGHTS: c.w, arg.DIFF_DST: c.g}, fwd)
            run(dnn.convolution_backward_weights, e, s, (
                dnn.algorithm.convolution_direct, *opened(c.x, dw, db, c.g), *c.windows()),
                {arg.SRC: c.x, arg.DIFF_WEIGHTS: dw, arg.DIFF_BIAS: db, arg.DIFF_DST: c.g}, fwd)
            model.near(dx, back)
            model.near(dw, of_weights)
            model.near(db, c.g.sum(tuple(k for k in range(c.g.ndim) if k != 1), dtype=float))


MANY = {"near": ((2, 9, 6, 7), (10, 9, 3, 3), (1, 1), (0, 0), (1, 1), (1, 1), 1),
        "steps": ((2, 8, 13, 12), (9, 8, 3, 2), (2, 1), (1, 0), (2, 0), (1, 1), 1),
        "groups": ((2, 16, 12), (2, 9, 8, 5), (1,), (1,), (3,), (5,), 2)}


@pytest.mark.row("L-10")
@pytest.mark.parametrize("name", MANY)
def test_many_channels_are_products_of_matrices(queue: sycl.queue, name: str) -> None:
    rng = np.random.default_rng(8)
    shape, weights, *how, groups = MANY[name]
    x, w = model.numbers(rng, shape), model.numbers(rng, weights)
    right = model.convolution(x, w, *how, groups)
    g, y = model.numbers(rng, right.shape), np.zeros(right.shape, np.float32)
    e, direct = dnn.engine(queue), dnn.algorithm.convolution_direct
    s, windows = dnn.stream(e), (how[0], how[1], how[2], how[3])
    with dnn.using("kernels"):
        fwd = run(dnn.convolution_forward, e, s, (
            prop.forward_training, direct, *opened(x, w, y), *windows),
            {arg.SRC: x, arg.WEIGHTS: w, arg.DST: y})
        model.near(y, right)
        dx, dw = np.zeros_like(x), np.zeros_like(w)
        run(dnn.convolution_backward_data, e, s, (direct, *opened(dx, w, g), *windows),
            {arg.DIFF_SRC: dx, arg.WEIGHTS: w, arg.DIFF_DST: g}, fwd)
        run(dnn.convolution_backward_weights, e, s, (direct, *opened(x, dw, g), *windows),
            {arg.SRC: x, arg.DIFF_WEIGHTS: dw, arg.DIFF_DST: g}, fwd)
    for changed in (x, w):                              # a gradient is what small changes make
        step = model.numbers(rng, changed.shape)
        moved = model.convolution(*((step, w) if changed is x else (x, step)), *how, groups)
        model.near(np.array([((dx if changed is x else dw) * step).sum(dtype=float)]),
                   np.array([(moved * g).sum()]), scale=4)


@pytest.mark.row("L-10")
@pytest.mark.parametrize("name", CASES)
def test_deconvolutions_are_convolutions_transposed(queue: sycl.queue, name: str) -> None:
    e = dnn.engine(queue)
    s = dnn.stream(e)
    c = Conv(name)
    grouped = c.w.ndim > c.x.ndim
    w = np.ascontiguousarray(c.w.swapaxes(grouped, grouped + 1))  # out and in change places
    right = model.transposed(c.apply, c.x.shape)(c.g)
    bias = np.linspace(-1, 1, right.shape[1]).astype(np.float32)
    to_weights = model.transposed(lambda v: c.apply(c.x, v), c.w.shape)(c.g)
    for who in model.providers(queue):
        with dnn.using(who):
            y = np.zeros(c.x.shape, np.float32)
            fwd = run(dnn.deconvolution_forward, e, s, (
                prop.forward_training, dnn.algorithm.deconvolution_direct,
                *opened(c.g, w, bias, y), *c.windows()),
                {arg.SRC: c.g, arg.WEIGHTS: w, arg.BIAS: bias, arg.DST: y})
            model.near(y, right + bias.reshape(-1, *[1] * (y.ndim - 2)))
            dx, dw, db = np.zeros_like(c.g), np.zeros_like(w), np.zeros_like(bias)
            run(dnn.deconvolution_backward_data, e, s, (
                dnn.algorithm.deconvolution_direct, *opened(dx, w, c.x), *c.windows()),
                {arg.DIFF_SRC: dx, arg.WEIGHTS: w, arg.DIFF_DST: c.x}, fwd)
            run(dnn.deconvolution_backward_weights, e, s, (
                dnn.algorithm.deconvolution_direct, *opened(c.g, dw, db, c.x), *c.windows()),
                {arg.SRC: c.g, arg.DIFF_WEIGHTS: dw, arg.DIFF_BIAS: db, arg.DIFF_DST: c.x}, fwd)
            model.near(dx, c.y)
            model.near(dw, to_weights.swapaxes(grouped, grouped + 1))
            model.near(db, c.x.sum(tuple(k for k in range(c.x.ndim) if k != 1), dtype=float))


@pytest.mark.row("L-10")
def test_convolutions_in_short_floats_and_whole_numbers(queue: sycl.queue) -> None:
    e = dnn.engine(queue)
    s = dnn.stream(e)
    for kind in FLOATS[1:]:
        c = Conv("2d", kind)
        y = np.zeros(c.y.shape, kind)
        run(dnn.convolution_forward, e, s, (
            prop.forward_inference, dnn.algorithm.convolution_direct, *opened(c.x, c.w, y),
            *c.windows()), {arg.SRC: c.x, arg.WEIGHTS: c.w, arg.DST: y})
        model.near(y, c.y, kind)
    rng = np.random.default_rng(3)
    c = Conv("2d")
    x, w = model.numbers(rng, c.x.shape, np.uint8), model.numbers(rng, c.w.shape, np.int8)
    sums = c.apply(x, w)
    of_x, of_w = np.float32([0.5]), (0.25 * np.arange(1, 7)).astype(np.float32)
    of_y = np.float32([2.0])
    right = np.maximum(sums * of_x * of_w[:, None, None] + c.b[:, None, None], 0) / of_y
    attr, ops = dnn.primitive_attr(), dnn.post_ops()
    ops.append_eltwise(dnn.algorithm.eltwise_relu, 0.0, 0.0)
    attr.set_post_ops(ops)
    attr.set_scales_mask(arg.SRC, 0)
    attr.set_scales_mask(arg.WEIGHTS, 1)
    attr.set_scales_mask(arg.DST, 0)
    attr.set_accumulation_mode(dnn.accumulation_mode.relaxed)
    for who in model.providers(queue):
        with dnn.using(who):
            for kind in (np.int8, np.float32):
                y = np.zeros(sums.shape, kind)
                run(dnn.convolution_forward, e, s, (
                    prop.forward_inference, dnn.algorithm.convolution_direct,
                    *opened(x, w, c.b, y), *c.windows()),
                    {arg.SRC: x, arg.WEIGHTS: w, arg.BIAS: c.b, arg.DST: y,
                     arg.ATTR_SCALES | arg.SRC: of_x, arg.ATTR_SCALES | arg.WEIGHTS: of_w,
                     arg.ATTR_SCALES | arg.DST: of_y}, attr=attr)
                if kind is np.int8:
                    assert np.abs(y - np.clip(right, -128, 127)).max() <= 0.51
                else:
                    model.near(y, right)


@pytest.mark.row("L-13")
def test_products_of_matrices(queue: sycl.queue) -> None:
    e = dnn.engine(queue)
    s = dnn.stream(e)
    rng = np.random.default_rng(5)
    for who in model.providers(queue):
        with dnn.using(who):
            for shapes in (((1, 1), (1, 1), (1, 1)), ((7, 40), (40, 70), (1, 70)),
                           ((2, 3, 5, 4), (1, 3, 4, 6), (1, 3, 1, 6)), ((0, 4), (4, 5), (1, 5))):
                a, b, bias = (model.numbers(rng, x) for x in shapes)
                y = np.zeros((a.astype(float) @ b).shape, np.float32)
                run(dnn.matmul, e, s, opened(a, b, bias, y),
                    {arg.SRC: a, arg.WEIGHTS: b, arg.BIAS: bias, arg.DST: y})
                model.near(y, a.astype(float) @ b + bias)
    for kind in FLOATS[1:]:
        a, b = model.numbers(rng, (9, 8), kind), model.numbers(rng, (8, 5), kind)
        y = np.zeros((9, 5), np.float32)
        run(dnn.matmul, e, s, opened(a, b, y), {arg.SRC: a, arg.WEIGHTS: b, arg.DST: y})
        model.near(y, a.astype(float) @ b.astype(float))


@pytest.mark.row("L-13")
def test_products_of_whole_numbers_with_zero_points(queue: sycl.queue) -> None:
    e = dnn.engine(queue)
    s = dnn.stream(e)
    rng = np.random.default_rng(6)
    a, b = model.numbers(rng, (6, 20), np.uint8), model.numbers(rng, (20, 8), np.int8)
    zero_a, zero_y = np.int32([3]), np.int32([-2])
    scale = (0.5 + np.arange(8)).astype(np.float32)
    sums = (a.astype(int) - 3) @ b.astype(int)
    attr = dnn.primitive_attr()
    attr.set_zero_points_mask(arg.SRC, 0)
    attr.set_zero_points_mask(arg.DST, 0)
    attr.set_scales_mask(arg.WEIGHTS, 0b10)
    short = dnn.primitive_attr()
    for x in (attr, short):
        x.set_accumulation_mode(dnn.accumulation_mode.relaxed)
    for who in model.providers(queue):
        with dnn.using(who):
            exact = np.zeros((6, 8), np.int32)
            run(dnn.matmul, e, s, opened(a, b, exact), {arg.SRC: a, arg.WEIGHTS: b,
                                                        arg.DST: exact}, attr=short)
            assert np.array_equal(exact, a.astype(int) @ b.astype(int))
            y = np.zeros((6, 8), np.float32)
            run(dnn.matmul, e, s, opened(a, b, y), {
                arg.SRC: a, arg.WEIGHTS: b, arg.DST: y, arg.ATTR_SCALES | arg.WEIGHTS: scale,
                arg.ATTR_ZERO_POINTS | arg.SRC: zero_a, arg.ATTR_ZERO_POINTS | arg.DST: zero_y},
                attr=attr)
            model.near(y, sums * scale - 2)


@pytest.mark.row("L-10", "L-13")
def test_sums_of_large_bytes_are_exact(queue: sycl.queue) -> None:
    """Two products of bytes need 17 bits, and many more than the digits of float32."""
    e = dnn.engine(queue)
    s = dnn.stream(e)
    rng = np.random.default_rng(9)
    b = rng.integers(100, 128, (620, 8)).astype(np.int8)
    for kind, least in ((np.uint8, 200), (np.int8, 100)):
        a = rng.integers(least, np.iinfo(kind).max + 1, (3, 620)).astype(kind)
        right = a.astype(int) @ b.astype(int)
        y = np.zeros(right.shape, np.int32)
        run(dnn.matmul, e, s, opened(a, b, y), {arg.SRC: a, arg.WEIGHTS: b, arg.DST: y})
        assert np.array_equal(y, right)
        turned = np.ascontiguousarray(b.T)
        run(dnn.inner_product_forward, e, s, (prop.forward_inference, *opened(a, turned, y)),
            {arg.SRC: a, arg.WEIGHTS: turned, arg.DST: y})
        assert np.array_equal(y, right)
        x, w = a[:2, :16 * 5].reshape(2, 16, 5, 1), b[:144].T.reshape(8, 16, 3, 3)
        x, w = np.ascontiguousarray(x.repeat(5, 3)), np.ascontiguousarray(w)
        z = np.zeros((2, 8, 3, 3), np.int32)
        run(dnn.convolution_forward, e, s, (
            prop.forward_inference, dnn.algorithm.convolution_auto, *opened(x, w, z), (1, 1),
            (0, 0), (0, 0)), {arg.SRC: x, arg.WEIGHTS: w, arg.DST: z})
        assert np.array_equal(z, model.convolution(x, w, (1, 1), (0, 0), (0, 0), (0, 0)))


@pytest.mark.row("L-13")
def test_slopes_by_several_dimensions_behind_any_primitive(queue: sycl.queue) -> None:
    e = dnn.engine(queue)
    s = dnn.stream(e)
    rng = np.random.default_rng(10)
    a, b, x = (model.numbers(rng, n) for n in ((2, 3, 4), (2, 4, 5), (2, 3, 5)))
    slopes = rng.random((1, 3, 5)).astype(np.float32)
    ops, attr = dnn.post_ops(), dnn.primitive_attr()
    ops.append_prelu(0b110)
    attr.set_post_ops(ops)
    number = arg.ATTR_MULTIPLE_POST_OP(0) | arg.WEIGHTS
    cases = [(dnn.matmul, (), (a, b), a.astype(float) @ b),
             (dnn.binary, (dnn.algorithm.binary_add,), (x, x), 2 * x),
             (dnn.eltwise_forward, (prop.forward_inference, dnn.algorithm.eltwise_linear), (x,),
              2 * x + 1)]
    numbers = {dnn.matmul: (arg.SRC, arg.WEIGHTS), dnn.binary: (arg.SRC_0, arg.SRC_1)}
    for kind, first, given, right in cases:
        y = np.zeros((2, 3, 5), np.float32)
        more = (2.0, 1.0) if kind is dnn.eltwise_forward else ()
        pd = kind.primitive_desc(e, *first, *map(model.plain, (*given, y)), *more, attr)
        kind(pd).execute(s, {**dict(zip(numbers.get(kind, (arg.SRC,)), given, strict=True)),
                             arg.DST: y, number: slopes}).wait()
        model.near(y, np.where(right > 0, right, right * slopes))


@pytest.mark.row("L-13")
def test_post_ops_in_their_order(queue: sycl.queue) -> None:
    e = dnn.engine(queue)
    s = dnn.stream(e)
    rng = np.random.default_rng(8)
    a, b, old = (model.numbers(rng, x) for x in ((5, 6), (6, 7), (5, 7)))
    other, slopes = model.numbers(rng, (1, 7)), np.full((1, 7), 0.25, np.float32)
    ops, attr = dnn.post_ops(), dnn.primitive_attr()
    ops.append_sum(0.5)
    ops.append_binary(dnn.algorithm.binary_mul, memory.desc((1, 7), np.float32, tag.ab))
    ops.append_prelu(0b10)
    ops.append_eltwise(dnn.algorithm.eltwise_linear, 2.0, 1.0)
    attr.set_post_ops(ops)
    assert ops.kind(1) == "binary"
    assert ops.get_params_eltwise(3) == (dnn.algorithm.eltwise_linear, 2.0, 1.0)
    right = (a.astype(float) @ b + 0.5 * old) * other
    right = 2 * np.where(right > 0, right, right * slopes) + 1
    for who in model.providers(queue):
        with dnn.using(who):
            y = old.copy()
            pd = dnn.matmul.primitive_desc(e, *map(model.plain, (a, b, y)), attr)
            binary, prelu = map(dnn.DNNL_ARG_ATTR_MULTIPLE_POST_OP, (1, 2))
            dnn.matmul(pd).execute(s, {
                arg.SRC: a, arg.WEIGHTS: b, arg.DST: y, binary | arg.SRC_1: other,
                prelu | arg.WEIGHTS: slopes}).wait()
            model.near(y, right)
