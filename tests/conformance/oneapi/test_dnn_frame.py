"""oneDNN's engines, streams, descriptors, memory, reorders, attributes, errors and caches."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.oneapi import dnn_model as model
from unisycl.ext.oneapi import experimental
from unisycl.oneapi import dnn
from unisycl.oneapi.dnn import arg, memory

data_type, tag = memory.data_type, memory.format_tag
TYPES = (np.float32, np.float16, ml_dtypes.bfloat16, np.int32, np.int8, np.uint8)

pytestmark = pytest.mark.row("L-9")


def test_engines_are_devices_and_streams_are_queues(queue: sycl.queue) -> None:
    device = queue.get_device()
    e = dnn.engine(queue)
    assert e == dnn.engine(device) == dnn.sycl_interop.make_engine(device, queue.get_context())
    assert e.get_kind() in (dnn.engine.kind.cpu, dnn.engine.kind.gpu)
    assert dnn.engine.get_count(dnn.engine.kind.cpu) >= 1
    assert dnn.engine(dnn.engine.kind.cpu, 0).get_device().is_cpu()
    s = dnn.stream(e)
    assert s.get_engine() == e
    assert s.get_queue().is_in_order()
    assert not dnn.stream(e, dnn.stream.flags.out_of_order).get_queue().is_in_order()
    other = dnn.sycl_interop.make_stream(e, queue)
    assert dnn.sycl_interop.get_queue(other) == queue
    count = dnn.engine.get_count(dnn.engine.kind.gpu)
    with pytest.raises(dnn.error, match=rf"no gpu device {count}") as found:
        dnn.engine(dnn.engine.kind.gpu, count)
    assert found.value.status is dnn.status.invalid_arguments


def test_tags_are_read_by_their_letters() -> None:
    md = memory.desc((2, 20, 5, 6), data_type.f32, tag.nChw16c)
    assert md == memory.desc((2, 20, 5, 6), np.float32, tag.aBcd16b)
    assert md.get_padded_dims() == (2, 32, 5, 6)
    assert (md.get_inner_blks(), md.get_inner_idxs()) == ((16,), (1,))
    assert md.get_size() == 2 * 32 * 5 * 6 * 4
    assert memory.desc((3, 4, 5), data_type.s8, tag.ntc).get_strides() == (5, 15, 1)
    assert memory.desc((6, 4, 3, 3), data_type.f32, tag.hwio).get_strides() == (1, 6, 72, 24)
    assert memory.desc((2, 8, 4, 3, 3), np.float16, tag.goihw).get_size() == 2 * 8 * 4 * 9 * 2
    with pytest.raises(AttributeError, match="no tag 'nqhw'"):
        tag.nqhw  # noqa: B018
    with pytest.raises(dnn.error, match="is for 4 dimensions, dims has 3"):
        memory.desc((2, 3, 4), data_type.f32, tag.nchw)


def test_descriptors_are_cut_turned_and_reshaped() -> None:
    x = np.arange(2 * 16 * 4 * 5, dtype=np.float32).reshape(2, 16, 4, 5)
    md = memory.desc(x.shape, data_type.f32, tag.nchw)
    part = md.submemory_desc((1, 8, 2, 5), (1, 8, 1, 0))
    e = dnn.engine()
    assert np.array_equal(memory(part, e, x).map_data(), x[1:, 8:, 1:3])
    turned = md.permute_axes((0, 3, 1, 2))
    assert np.array_equal(memory(turned, e, x).map_data(), x.transpose(0, 2, 3, 1))
    assert np.array_equal(memory(md.reshape((2, 16, 20)), e, x).map_data(), x.reshape(2, 16, 20))
    assert md.reshape((2, 1, 16, 4, 5)).get_ndims() == 5
    with pytest.raises(dnn.error, match="other numbers of elements"):
        md.reshape((2, 3))
    with pytest.raises(dnn.error, match="where blocks do"):
        memory.desc(x.shape, data_type.f32, tag.nChw8c).submemory_desc((2, 4, 4, 5), (0, 4, 0, 0))


@pytest.mark.parametrize("shape", [(5,), (3, 7), (2, 11, 3, 4), (2, 3, 4, 2, 5)])
def test_reorders_move_every_element(queue: sycl.queue, shape: tuple[int, ...]) -> None:
    e, s = dnn.engine(queue), dnn.stream(queue)
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    names = model.layouts(shape)
    for who in model.providers(queue):
        with dnn.using(who):
            for first, second in zip(names, names[1:] + names[:1], strict=True):
                a = memory(memory.desc(shape, data_type.f32, first), e)
                b = memory(memory.desc(shape, data_type.f32, second), e)
                there = dnn.reorder(memory(x, e), a).execute(s, memory(x, e), a)
                dnn.reorder(a, b).execute(s, a, b, depends_on=there).wait()
                assert np.array_equal(model.blocked(x, first), np.ravel(a.get_data_handle()[:]))
                assert np.array_equal(model.blocked(x, second), np.ravel(b.get_data_handle()[:]))


def test_reorders_convert_round_and_keep_within_types(queue: sycl.queue) -> None:
    e, s = dnn.engine(queue), dnn.stream(queue)
    x = np.array([-300, -129, -1.5, -0.5, 0.5, 1.5, 2.5, 127, 200, 300.25], np.float32)
    for who in model.providers(queue):
        with dnn.using(who):
            for kind in TYPES:
                out = np.zeros(x.size, kind)
                dnn.reorder(memory(x, e), memory(out, e)).execute(
                    s, memory(x, e), memory(out, e)).wait()
                if np.dtype(kind).kind in "iu":
                    info = np.iinfo(kind)
                    right = np.clip(np.rint(x), info.min, info.max).astype(kind)
                else:
                    right = x.astype(kind)
                assert np.array_equal(out, right), (who, kind)
                back = np.zeros(x.size, np.float32)
                dnn.reorder(memory(out, e), memory(back, e)).execute(
                    s, memory(out, e), memory(back, e)).wait()
                assert np.array_equal(back, right.astype(np.float32)), (who, kind)


def test_scales_zero_points_and_sums_of_reorders(queue: sycl.queue) -> None:
    e, s = dnn.engine(queue), dnn.stream(queue)
    x = np.arange(-6, 6, dtype=np.float32).reshape(3, 4)
    scales, zero = np.float32([0.5, 2, 4]), np.int32([3])
    attr = dnn.primitive_attr()
    attr.set_scales_mask(arg.DST, 0b01)
    attr.set_zero_points_mask(arg.DST, 0)
    out = np.zeros((3, 4), np.int8)
    right = np.clip(np.rint(x / scales[:, None] + 3), -128, 127)
    for who in model.providers(queue):
        with dnn.using(who):
            pd = dnn.reorder.primitive_desc(e, model.plain(x), e, model.plain(out), attr)
            dnn.reorder(pd).execute(s, {
                arg.FROM: x, arg.TO: out, arg.ATTR_SCALES | arg.DST: scales,
                arg.ATTR_ZERO_POINTS | arg.DST: zero}).wait()
            assert np.array_equal(out, right), who
            ops = dnn.post_ops()
            ops.append_sum(0.5)
            more = dnn.primitive_attr()
            more.set_post_ops(ops)
            y = np.ones((3, 4), np.float32)
            pd = dnn.reorder.primitive_desc(e, model.plain(x), e, model.plain(y), more)
            dnn.reorder(pd).execute(s, {arg.FROM: x, arg.TO: y}).wait()
            assert np.array_equal(y, x + 0.5), who


def test_what_is_open_is_settled_by_the_primitive(queue: sycl.queue) -> None:
    e = dnn.engine(queue)
    mds = [memory.desc(d, data_type.f32, tag.any) for d in ((2, 16, 6, 6), (32, 16, 3, 3),
                                                            (2, 32, 6, 6))]
    for who in model.providers(queue):
        with dnn.using(who):
            pd = dnn.convolution_forward.primitive_desc(
                e, dnn.prop_kind.forward_inference, dnn.algorithm.convolution_auto, *mds,
                (1, 1), (1, 1), (1, 1))
            for md in (pd.src_desc(), pd.weights_desc(), pd.dst_desc()):
                assert md.get_format_kind() is memory.format_kind.blocked
                assert memory(md, e).get_desc() == md
            assert who == "kernels" or pd.impl_info_str().startswith(who)


def test_the_tutorials_convolution_runs(queue: sycl.queue) -> None:
    """The program of the tutorial, in the form of before 3.0, with open memory."""
    e = dnn.engine(queue)
    s = dnn.stream(e)
    n, c, h, w, k, r = 2, 3, 8, 8, 4, 3
    conv_src_mem = memory(((n, c, h, w), data_type.f32, tag.any), e)
    conv_weights_mem = memory(((k, c, r, r), data_type.f32, tag.any), e)
    conv_dst_mem = memory(((n, k, h - 2, w - 2), data_type.f32, tag.any), e)
    rng = np.random.default_rng(1)
    x, f = model.numbers(rng, (n, c, h, w)), model.numbers(rng, (k, c, r, r))
    conv_src_mem.map_data()[:] = x
    conv_weights_mem.map_data()[:] = f
    mds = [memory.desc(d, data_type.f32, tag.any)
           for d in ((n, c, h, w), (k, c, r, r), (n, k, h - 2, w - 2))]
    conv_desc = dnn.convolution_forward.desc(
        dnn.prop_kind.forward, dnn.algorithm.convolution_direct, *mds, (1, 1), (0, 0), (0, 0))
    conv_pd = dnn.convolution_forward.primitive_desc(conv_desc, e)
    conv = dnn.convolution_forward(conv_pd)
    conv.execute(s, {dnn.DNNL_ARG_SRC: conv_src_mem, dnn.DNNL_ARG_WEIGHTS: conv_weights_mem,
                     dnn.DNNL_ARG_DST: conv_dst_mem})
    s.wait()
    model.near(conv_dst_mem.map_data(), model.convolution(x, f, (1, 1), (0, 0), (0, 0), (0, 0)))


def _relu(e, shape):
    md = memory.desc(shape, data_type.f32, "ab")
    return dnn.eltwise_forward(e, dnn.prop_kind.forward_inference, dnn.algorithm.eltwise_relu, md)


def test_executions_are_commands_of_the_queue(device: sycl.device) -> None:
    queue = sycl.queue(device)
    e = dnn.engine(queue)
    for who in model.providers(queue):
        with dnn.using(who):
            relu = _relu(e, (2, 50))
            a = sycl.malloc_shared(100, np.float32, queue)
            a[:] = -1
            gate = sycl.ext.unisycl.user_event()
            first = queue.parallel_for(100, lambda i: None, depends_on=[gate])
            change = queue.fill(a, np.float32(3), depends_on=[first])
            last = relu.execute(queue, {arg.SRC: a, arg.DST: a}, depends_on=change)
            gate.set()
            last.wait()
            assert (a[:] == 3).all()
            a[:] = -2
            graph = experimental.command_graph(queue)
            with graph.record(queue):
                relu.execute(queue, {arg.SRC: a, arg.DST: a})
            ready = graph.finalize()
            assert (a[:] == -2).all()
            queue.ext_oneapi_graph(ready).wait()
            assert (a[:] == 0).all()
            x = np.full((2, 50), -5, np.float32)
            x[1] = 4
            with sycl.buffer(x) as held:
                relu.execute(queue, {arg.SRC: held, arg.DST: held})
            assert np.array_equal(x.sum(1), [0, 200])
            d = sycl.malloc_device(100, np.float32, queue)
            queue.fill(d, np.float32(-1)).wait()
            relu.execute(queue, {arg.SRC: d, arg.DST: a}).wait()
            assert (a[:] == 0).all()
            for held in (a, d):
                sycl.free(held, queue)


def test_wrong_calls_say_what_is_wrong_and_change_nothing(queue: sycl.queue) -> None:
    e, s = dnn.engine(queue), dnn.stream(queue)
    relu = _relu(e, (2, 3))
    x, y = np.ones((2, 3), np.float32), np.full((2, 3), 7, np.float32)
    wide = np.ones(9, np.float32)
    for given, text in (
            ({arg.SRC: x}, "needs arg.DST"),
            ({arg.SRC: x, arg.DST: y, arg.BIAS: x}, "takes no arg.BIAS"),
            ({arg.SRC: x.astype(np.float64), arg.DST: y}, "float64; float32 is needed"),
            ({arg.SRC: x[:1], arg.DST: y}, r"shape \(1, 3\)"),
            ({arg.SRC: np.asfortranarray(x), arg.DST: y}, "arg.SRC has shape"),
            ({arg.SRC: wide[:6], arg.DST: wide[1:7]}, "overlap"),
            ({arg.SRC: [1, 2], arg.DST: y}, "must be a memory")):
        with pytest.raises(dnn.error, match=text) as found:
            relu.execute(s, given)
        assert found.value.code() is sycl.errc.invalid
    y.flags.writeable = False
    with pytest.raises(dnn.error, match="cannot be written"):
        relu.execute(s, {arg.SRC: x, arg.DST: y})
    assert (y == 7).all()
    assert (wide == 1).all()
    other = memory(memory.desc((2, 3), data_type.f32, "ba"), e)
    with pytest.raises(dnn.error, match="reorder it to the descriptor"):
        relu.execute(s, {arg.SRC: other, arg.DST: np.zeros((2, 3), np.float32)})
    md = model.plain(x)
    for arguments, text in (
            ((e, md, md), "prop is missing"),
            ((dnn.prop_kind.forward_training, dnn.algorithm.eltwise_relu, md), "engine is needed"),
            ((e, dnn.prop_kind.backward, dnn.algorithm.eltwise_relu, md), "prop_kind is"),
            ((e, dnn.prop_kind.forward, dnn.algorithm.pooling_max, md), "is none of it"),
            ((e, dnn.prop_kind.forward, dnn.algorithm.eltwise_relu, md, md, md), "3 arguments")):
        with pytest.raises(dnn.error, match=text):
            dnn.eltwise_forward.primitive_desc(*arguments)
    with pytest.raises(dnn.error, match=r"it is 4"):
        dnn.convolution_forward.primitive_desc(
            e, dnn.prop_kind.forward, dnn.algorithm.convolution_direct,
            *(memory.desc(d, data_type.f32, tag.nchw) for d in (
                (1, 1, 6, 6), (1, 1, 3, 3), (1, 1, 5, 4))), (1, 1), (0, 0), (0, 0))
    with pytest.raises(dnn.error, match="is not dst"):
        dnn.matmul.primitive_desc(e, md, md, md)


def test_primitives_are_remembered(queue: sycl.queue) -> None:
    e = dnn.engine(queue)
    first, second = (_relu(e, (4, 4)).get_primitive_desc() for _ in range(2))
    assert first.implementation is second.implementation
    capacity = dnn.get_primitive_cache_capacity()
    dnn.set_primitive_cache_capacity(0)
    try:
        assert _relu(e, (4, 4)).get_primitive_desc().implementation is not first.implementation
    finally:
        dnn.set_primitive_cache_capacity(capacity)
    with pytest.raises(dnn.error, match="from 0 on"):
        dnn.set_primitive_cache_capacity(-1)


def test_descriptors_say_who_computes_and_go_on(queue: sycl.queue) -> None:
    e = dnn.engine(queue)
    pd = _relu(e, (2, 2)).get_primitive_desc()
    assert pd.query("alg") is dnn.algorithm.eltwise_relu
    assert pd.exec_arg_desc(arg.SRC) == pd.src_desc()
    names = [pd.impl_info_str()]
    while pd.next_impl():
        names.append(pd.impl_info_str())
    served = len(dnn.available()) - ("cudnn" in dnn.available())  # it computes products only
    assert len(names) == len(set(names)) == served
    assert dnn.provider_of(queue, "matmul").name in dnn.available()


def test_scratchpads_of_the_program(queue: sycl.queue) -> None:
    e, s = dnn.engine(queue), dnn.stream(queue)
    attr = dnn.primitive_attr()
    attr.set_scratchpad_mode(dnn.scratchpad_mode.user)
    attr.set_fpmath_mode(dnn.fpmath_mode.bf16)
    assert attr.get_fpmath_mode() is dnn.fpmath_mode.bf16
    rng = np.random.default_rng(2)
    a, b = model.numbers(rng, (33, 40)), model.numbers(rng, (40, 17))
    c = np.zeros((33, 17), np.float32)
    for who in model.providers(queue):
        with dnn.using(who):
            pd = dnn.matmul.primitive_desc(e, *map(model.plain, (a, b, c)), attr)
            given = {arg.SRC: a, arg.WEIGHTS: b, arg.DST: c}
            if not pd.scratchpad_desc().is_zero():
                given[arg.SCRATCHPAD] = memory(pd.scratchpad_desc(), e)
            dnn.matmul(pd).execute(s, given).wait()
            model.near(c, a.astype(float) @ b, np.float16, 10)


def test_sums_over_no_elements_are_written(queue: sycl.queue) -> None:
    e = dnn.engine(queue)
    given = [memory(memory.desc(d, np.float32, tag.ab), e) for d in ((4, 0), (0, 3))]
    target = memory(memory.desc((4, 3), np.float32, tag.ab), e)
    target.map_data()[:] = 7
    product = dnn.matmul(e, *(m.get_desc() for m in (*given, target)))
    product.execute(queue, dict(zip((arg.SRC, arg.WEIGHTS, arg.DST), (*given, target),
                                    strict=True))).wait()
    assert (target.map_data() == 0).all()


def test_elements_that_share_a_place_are_read_and_not_written(queue: sycl.queue) -> None:
    e = dnn.engine(queue)
    x = memory(memory.desc((3, 4), np.float32, tag.ab), e)
    x.map_data()[:] = 1
    for strides in ((0, 1), (1, 1), (4, 0), (2, 1)):
        shared = memory(memory.desc((3, 4), np.float32, strides), e)
        dnn.reorder(shared, x).execute(queue, shared, x).wait()
        with pytest.raises(dnn.error, match="lie in one place"):
            dnn.reorder(x, shared).execute(queue, x, shared)
    for strides in ((1, 3), (9, 2), (1, 6), (2, 7)):
        apart = memory(memory.desc((3, 4), np.float32, strides), e)
        dnn.reorder(x, apart).execute(queue, x, apart).wait()
        assert (apart.map_data() == x.map_data()).all()
    with pytest.raises(dnn.error, match="no room") as found:
        memory(memory.desc((2 ** 40, 2 ** 40), np.float32, tag.ab), e)
    assert found.value.status is dnn.status.out_of_memory


@pytest.mark.part("L-9")
def test_descriptors_of_primitives_say_what_they_were_made_of(queue: sycl.queue) -> None:
    e, tag, f32 = dnn.engine(queue), dnn.memory.format_tag, dnn.memory.data_type.f32
    x = dnn.memory.desc((3, 2, 4), f32, tag.tnc)
    w = dnn.memory.desc((1, 1, 4, 4, 4), f32, tag.ldigo)
    b, none = dnn.memory.desc((1, 1, 4, 4), f32, tag.ldgo), dnn.memory.desc()
    pd = dnn.lstm_forward.primitive_desc(
        e, dnn.prop_kind.forward_inference, dnn.rnn_direction.unidirectional_left2right, x, none,
        none, w, w, b, x, none, none)
    assert pd.src_layer_desc() == pd.dst_layer_desc() == x
    assert pd.weights_layer_desc() == pd.weights_iter_desc() == w
    assert pd.src_iter_c_desc().is_zero()
    assert pd.get_direction() is dnn.rnn_direction.unidirectional_left2right
    y = dnn.memory.desc((1, 2, 4, 4), f32, tag.abcd)
    pool = dnn.pooling_forward.primitive_desc(
        e, dnn.prop_kind.forward_inference, dnn.algorithm.pooling_max, y,
        dnn.memory.desc((1, 2, 2, 2), f32, tag.abcd), (2, 2), (2, 2), (0, 0), (0, 0), (0, 0))
    assert pool.get_algorithm() is dnn.algorithm.pooling_max
    assert (list(pool.get_strides()), list(pool.get_kernel())) == ([2, 2], [2, 2])
    assert pool.get_prop_kind() is dnn.prop_kind.forward_inference
    for name in ("get_axis", "get_src", "weights_desc_", "source_desc"):
        with pytest.raises(AttributeError, match=f"has no '{name}'"):
            getattr(pool, name)
