"""cuDNN behind oneDNN's primitives: what is asked of it, by a stand-in on the processor."""

from __future__ import annotations

import contextlib
import sys
import types

import ml_dtypes
import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.oneapi import cuda_stand_ins, test_dnn_layers, test_dnn_products
from tests.conformance.oneapi import dnn_model as model
from unisycl.oneapi import dnn
from unisycl.oneapi.dnn import arg, memory, primitives
from unisycl.oneapi.dnn.providers import cudnn
from unisycl.oneapi.frame import providers
from unisycl.oneapi.frame import table as frame_table

KERNELS = frame_table.Row("dnn", "kernels", "unisycl.oneapi.dnn.providers.kernels", kernels=True)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> cuda_stand_ins.Dnn:
    """Have a stand-in be asked first, then our kernels."""
    found, module = cuda_stand_ins.Dnn(), types.ModuleType("stand_in")
    module.load = lambda name: cudnn.CuDnn(found)
    monkeypatch.setitem(sys.modules, "stand_in", module)
    row = frame_table.Row("dnn", "cudnn", "stand_in", sample="convolution_forward")
    monkeypatch.setattr(providers, "ROWS", (row, KERNELS))
    monkeypatch.setattr(providers, "_KNOWN", {})
    monkeypatch.setattr(providers, "LOADED", providers._Loaded())
    monkeypatch.setattr(primitives, "_CACHE", primitives._Remembered())
    monkeypatch.setattr(cudnn.CuDnn, "serves", lambda self, device: True)
    monkeypatch.setattr(dnn, "using", lambda name: contextlib.nullcontext())
    monkeypatch.setattr(model, "providers", lambda queue: ["in their order"])
    return found


@pytest.mark.row("L-10")
def test_its_convolutions_are_ours(library: cuda_stand_ins.Dnn) -> None:
    queue = sycl.queue(sycl.cpu_selector_v)
    test_dnn_products.test_convolutions_and_their_gradients(queue, "1d")
    test_dnn_products.test_deconvolutions_are_convolutions_transposed(queue, "groups")
    for operation in (10, 11, 12):
        assert sum(c.startswith(f"{operation} ") for c in library.calls) >= 2
    # what was asked to be direct is not computed by winograd's way
    assert {c.split(" ", 1)[1].split(" and ")[0] for c in library.calls} == {
        "with [5]", "with []"}
    assert not any("[5]" in c for c in library.calls if c.startswith("12"))


@pytest.mark.row("L-13")
def test_what_is_behind_a_convolution_is_part_of_its_graph(library: cuda_stand_ins.Dnn) -> None:
    queue = sycl.queue(sycl.cpu_selector_v)
    e, s = dnn.engine(queue), dnn.stream(queue)
    rng, short = np.random.default_rng(4), np.dtype(ml_dtypes.bfloat16)
    x, w, b = (model.numbers(rng, n, short) for n in ((2, 3, 5, 5), (4, 3, 3, 3), (4,)))
    plain = model.convolution(x, w, (1, 1), (0, 0), (1, 1), (1, 1)) + b.astype("d")[:, None, None]
    leak = np.where(plain > 0, plain, 0.25 * plain)
    for extra, behind in ((0.0, 3), (1.0, 4), (0.5, 0)):  # our kernels do what is behind the last
        ops, attr, y = dnn.post_ops(), dnn.primitive_attr(), np.ones((2, 4, 5, 5), short)
        ops.append_eltwise(dnn.algorithm.eltwise_relu, 0.25, 0.0)
        ops.append_eltwise(dnn.algorithm.eltwise_tanh, 0.0, 0.0)
        if extra:
            ops.append_sum(extra)
        attr.set_post_ops(ops)
        given = [memory(v, e) for v in (x, w, b, y)]
        dnn.convolution_forward(
            e, dnn.prop_kind.forward_inference, dnn.algorithm.convolution_direct,
            *(m.get_desc() for m in given), (1, 1), (1, 1), (1, 1), attr).execute(s, dict(zip(
                (arg.SRC, arg.WEIGHTS, arg.BIAS, arg.DST), given, strict=True)))
        s.wait()
        model.near(y, np.tanh(leak) + extra, short)
        assert library.calls[-1] == "10 with []" + f" and {behind}" * bool(behind)


@pytest.mark.part("L-11")
def test_its_pooling_is_ours(library: cuda_stand_ins.Dnn) -> None:
    queue = sycl.queue(sycl.cpu_selector_v)
    problems = (((2, 3, 8), (3,), (2,), (1,), (0,)),  # more padding behind than is reached is none
                ((2, 2, 6, 7), (3, 2), (2, 1), (1, 1), (0, 1)),
                ((1, 2, 4, 4, 5), (2, 2, 3), (2, 1, 2), (0, 1, 1), (1, 1, 1)))
    for k, name in enumerate(("max", "avg_include_padding", "avg_exclude_padding")):
        for case, (shape, *how) in enumerate(problems):
            one_pooling(queue, name, shape, how, last=bool((case + k) % 2))
            assert library.calls == [f"pool {k}"] * 2
            library.calls.clear()
    # paddings that differ, padding of a whole window, gaps, and what trains
    ask, none = dnn.pooling_forward.primitive_desc, (0,)
    tag, e = memory.format_tag.abc, dnn.engine(queue)
    md = [memory.desc((1, 1, n), np.float32, tag) for n in (9, 4, 8, 3)]
    infer, how = dnn.prop_kind.forward_inference, dnn.algorithm.pooling_max
    for pd in (ask(e, infer, how, md[0], md[1], (2,), (3,), none, (1,), (0,)),
               ask(e, infer, how, md[2], md[0], (1,), (1,), none, (1,), none),
               ask(e, infer, how, md[0], md[3], (2,), (3,), (1,), none, none),
               ask(e, dnn.prop_kind.forward_training, how, md[0], md[1], (2,), (3,), none, none,
                   none)):
        assert pd.impl_info_str() == "unisycl's kernels"


def one_pooling(queue: sycl.queue, name: str, shape: tuple[int, ...], how: tuple,
                *, last: bool, kind: object = np.float32) -> dnn.pooling_forward.primitive_desc:
    """Run a pooling whose result lies as its source does, channels innermost if ``last``."""
    e, rng = dnn.engine(queue), np.random.default_rng(4)
    kernel, steps, left, right = how
    none = (0,) * len(kernel)
    x = model.numbers(rng, shape, kind)
    right_one = test_dnn_layers.pooled(name, x, (kernel, steps, none, left, right))
    letters = "abcde"[:x.ndim]
    lying = getattr(memory.format_tag, f"a{letters[2:]}b" if last else letters)
    given = memory(memory.desc(shape, kind, lying), e)
    md = memory.desc(right_one.shape, kind, memory.format_tag.any)
    pd = dnn.pooling_forward.primitive_desc(
        e, dnn.prop_kind.forward_inference, getattr(dnn.algorithm, f"pooling_{name}"),
        given.get_desc(), md, steps, kernel, none, left, right)
    assert pd.dst_desc() == memory.desc(right_one.shape, kind, lying)
    plain, y = memory(x, e), memory(np.zeros(right_one.shape, kind), e)
    s, out = dnn.stream(e), memory(pd.dst_desc(), e)
    dnn.reorder(plain, given).execute(s, plain, given)
    for _ in range(2):
        dnn.pooling_forward(pd).execute(s, {arg.SRC: given, arg.DST: out})
    dnn.reorder(out, y).execute(s, out, y)
    s.wait()
    model.near(np.asarray(y.map_data()), right_one, np.dtype(kind))
    return pd


@pytest.mark.row("L-13")
def test_its_products_and_what_lies_badly(library: cuda_stand_ins.Dnn) -> None:
    queue = sycl.queue(sycl.cpu_selector_v)
    e, rng = dnn.engine(queue), np.random.default_rng(4)
    s, tag = dnn.stream(e), memory.format_tag
    # a product of halves, and a function behind it
    short = np.dtype(ml_dtypes.bfloat16)
    a, b = model.numbers(rng, (5, 6), short), model.numbers(rng, (6, 7), short)
    c, attr, ops = np.zeros((5, 7), short), dnn.primitive_attr(), dnn.post_ops()
    ops.append_eltwise(dnn.algorithm.eltwise_relu, 0.0, 0.0)
    attr.set_post_ops(ops)
    md = [memory(x, e) for x in (a, b, c)]
    dnn.matmul(e, *(m.get_desc() for m in md), attr).execute(
        s, dict(zip((arg.SRC, arg.WEIGHTS, arg.DST), md, strict=True)))
    s.wait()
    model.near(c, np.maximum(a.astype("d") @ b.astype("d"), 0), short)
    assert library.calls[-1] == "19 with [5] and 1"
    # its products of float32 are short of digits
    md = [memory(np.zeros(n, np.float32), e).get_desc() for n in ((5, 6), (6, 7), (5, 7))]
    assert "kernels" in dnn.matmul.primitive_desc(e, *md).impl_info_str()
    attr.set_fpmath_mode(dnn.fpmath_mode.any)
    assert "cudnn" in dnn.matmul.primitive_desc(e, *md, attr).impl_info_str()
    # inner products are convolutions whose windows are the tensor
    x, w = model.numbers(rng, (3, 4, 2, 5)), model.numbers(rng, (6, 4, 2, 5))
    bias, y = model.numbers(rng, (6,)), np.zeros((3, 6), np.float32)
    given = [memory(v, e) for v in (x, w, bias, y)]
    dnn.inner_product_forward(e, dnn.prop_kind.forward_inference, *(
        m.get_desc() for m in given)).execute(s, dict(zip(
            (arg.SRC, arg.WEIGHTS, arg.BIAS, arg.DST), given, strict=True)))
    s.wait()
    model.near(y, np.einsum("nchw,ochw->no", x, w) + bias)
    assert library.calls[-1] == "10 with [5] and 1"
    # a part of memory that begins anywhere is copied, there and back
    usm = sycl.malloc_shared(3 + x.size + 300, np.float32, queue)
    usm[:] = 7
    usm[3:3 + x.size] = x.ravel()
    whole = memory.desc((3, 4, 2, 5), np.float32, tag.abcd)
    kernel = model.numbers(rng, (4, 4, 1, 1))
    out = usm.pointer_to(3 + x.size + 2)
    md = [memory(whole, e, usm.pointer_to(3)), memory(kernel, e), memory(whole, e, out)]
    dnn.convolution_forward(
        e, dnn.prop_kind.forward_inference, dnn.algorithm.convolution_auto, *(
            m.get_desc() for m in md), (1, 1), (0, 0), (0, 0)).execute(s, dict(zip(
                (arg.SRC, arg.WEIGHTS, arg.DST), md, strict=True)))
    s.wait()
    found = np.asarray(usm)[3 + x.size + 2:][:x.size].reshape(x.shape)
    model.near(found, np.einsum("nchw,oc->nohw", x, kernel[:, :, 0, 0]))
    assert (np.asarray(usm)[[0, 2, 3 + x.size, -1]] == 7).all()
    assert "[5]" in library.calls[-1]
    sycl.free(usm, queue)
