"""The other primitives of oneDNN, forward and backward, against NumPy and finite differences."""

from __future__ import annotations

import itertools

import ml_dtypes
import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.oneapi import dnn_model as model
from tests.sampling import by_turns
from unisycl.oneapi import dnn
from unisycl.oneapi.dnn import arg, memory

data_type, tag, prop, alg = memory.data_type, memory.format_tag, dnn.prop_kind, dnn.algorithm
flags = dnn.normalization_flags


def made(kind, e, *arguments):
    """Return a primitive's descriptor; arrays stand for their descriptors."""
    return kind.primitive_desc(e, *(model.plain(a) if isinstance(a, np.ndarray) else a
                                    for a in arguments))


def run(pd, kind, s, given):
    """Execute, with the descriptors' own memory for what is missing; return that."""
    e, extra = s.get_engine(), {}
    if not pd.workspace_desc().is_zero() and arg.WORKSPACE not in given:
        extra[arg.WORKSPACE] = memory(pd.workspace_desc(), e)
    kind(pd).execute(s, {**given, **extra}).wait()
    return extra


def each(queue):
    """Yield each provider's name, an engine and its stream, and random numbers."""
    for who in model.providers(queue):
        e = dnn.engine(queue)
        with dnn.using(who):
            yield who, e, dnn.stream(e), np.random.default_rng(4)


def descent(f, x, g, step=1e-4):
    """Return the gradient of sum(g f(x)) by central differences."""
    found = np.zeros(x.shape)
    for at in np.ndindex(x.shape):
        d = np.zeros(x.shape)
        d[at] = step
        found[at] = ((f(x + d) - f(x - d)) * g).sum() / (2 * step)
    return found


# ---------------------------------------------------------------------------- inner product
@pytest.mark.row("L-13")
def test_inner_products_and_their_gradients(queue: sycl.queue) -> None:
    for _, e, s, rng in each(queue):
        x, w, b = (model.numbers(rng, n) for n in ((5, 3, 2, 2), (7, 3, 2, 2), (7,)))
        y, g = np.zeros((5, 7), np.float32), model.numbers(rng, (5, 7))
        pd = made(dnn.inner_product_forward, e, prop.forward_training, x, w, b, y)
        run(pd, dnn.inner_product_forward, s, {arg.SRC: x, arg.WEIGHTS: w, arg.BIAS: b,
                                               arg.DST: y})
        flat_x, flat_w = x.reshape(5, -1).astype(float), w.reshape(7, -1).astype(float)
        model.near(y, flat_x @ flat_w.T + b)
        dx, dw, db = (np.zeros_like(v) for v in (x, w, b))
        run(made(dnn.inner_product_backward_data, e, dx, w, g, pd),
            dnn.inner_product_backward_data, s,
            {arg.DIFF_SRC: dx, arg.WEIGHTS: w, arg.DIFF_DST: g})
        run(made(dnn.inner_product_backward_weights, e, x, dw, db, g, pd),
            dnn.inner_product_backward_weights, s,
            {arg.SRC: x, arg.DIFF_WEIGHTS: dw, arg.DIFF_BIAS: db, arg.DIFF_DST: g})
        model.near(dx, (g @ flat_w).reshape(x.shape))
        model.near(dw, (g.T.astype(float) @ flat_x).reshape(w.shape))
        model.near(db, g.sum(0, dtype=float))


# ---------------------------------------------------------------------------- pooling
POOLS = {"1d": ((2, 3, 9), (3,), (2,), (0,), (1,), (-1,)),
         "2d": ((1, 2, 6, 7), (3, 2), (2, 1), (0, 0), (1, 0), (1, 1)),
         "dilated": ((1, 2, 8, 7), (2, 3), (1, 2), (1, 0), (1, 1), (0, 1)),
         "3d": ((1, 2, 4, 4, 5), (2, 2, 3), (2, 1, 2), (0, 0, 0), (0, 1, 1), (0, 0, 1))}


def windows(x, kernel, strides, dilates, left, right):
    """Return the elements of each window along a new last dimension; NaN outside."""
    pads = [(0, 0), (0, 0), *((a, b + 99) for a, b in zip(left, right, strict=True))]
    wide = np.pad(x.astype(float), pads, constant_values=np.nan)
    counts = [model.result_size(n, k, t, d, a, b) for n, k, t, d, a, b in zip(
        x.shape[2:], kernel, strides, dilates, left, right, strict=True)]
    return np.stack([wide[(slice(None), slice(None), *(
        slice(f * (d + 1), f * (d + 1) + (c - 1) * t + 1, t)
        for f, d, t, c in zip(at, dilates, strides, counts, strict=True)))]
        for at in np.ndindex(*kernel)], -1)


def pooled(name, x, how):
    parts = windows(x, *how)
    if name == "max":
        return np.nanmax(parts, -1)
    return np.nansum(parts, -1) / (parts.shape[-1] if "include" in name
                                   else (~np.isnan(parts)).sum(-1))


@pytest.mark.row("L-11")
@pytest.mark.parametrize("case", POOLS)
@pytest.mark.parametrize("name", ["max", "avg_include_padding", "avg_exclude_padding"])
def test_pooling_and_its_gradient(queue: sycl.queue, case: str, name: str) -> None:
    shape, kernel, strides, dilates, left, right = POOLS[case]
    how = kernel, strides, dilates, left, right
    for _, e, s, rng in each(queue):
        x = rng.permutation(np.arange(np.prod(shape), dtype=np.float32)).reshape(shape) / 16
        expected = pooled(name, x, how)
        y, g = np.zeros(expected.shape, np.float32), model.numbers(rng, expected.shape)
        a = getattr(alg, f"pooling_{name}")
        rest = strides, kernel, dilates, left, right
        for kind in (prop.forward_inference, prop.forward_training):
            pd = made(dnn.pooling_forward, e, kind, a, x, y, *rest)
            more = run(pd, dnn.pooling_forward, s, {arg.SRC: x, arg.DST: y})
            model.near(y, expected)
        dx = np.zeros_like(x)
        back = made(dnn.pooling_backward, e, a, dx, g, *rest, pd)
        run(back, dnn.pooling_backward, s, {arg.DIFF_DST: g, arg.DIFF_SRC: dx, **more})
        model.near(dx, descent(lambda v: pooled(name, v, how), x.astype(float), g), scale=4)


@pytest.mark.row("L-11")
def test_pooling_of_other_types(queue: sycl.queue) -> None:
    e = dnn.engine(queue)
    s, rng = dnn.stream(e), np.random.default_rng(2)
    how = (2, 2), (2, 2), (0, 0), (0, 0), (0, 0)
    for kind in (np.int8, np.uint8, np.int32, np.float16, ml_dtypes.bfloat16):
        x = model.numbers(rng, (1, 2, 4, 6), kind)
        for name in ("max", "avg_exclude_padding"):
            right = pooled(name, x, how)
            y = np.zeros(right.shape, kind)
            pd = made(dnn.pooling_forward, e, prop.forward_inference,
                      getattr(alg, f"pooling_{name}"), x, y, (2, 2), (2, 2), (0, 0), (0, 0),
                      (0, 0))
            run(pd, dnn.pooling_forward, s, {arg.SRC: x, arg.DST: y})
            model.near(y, np.rint(right) if x.dtype.kind in "iu" else right, kind)


# ---------------------------------------------------------------------------- resampling
def resampled(linear, x, sizes):
    """Return a tensor of other sizes in space, dimension by dimension."""
    for k, n in enumerate(sizes, 2):
        at = (np.arange(n) + 0.5) * x.shape[k] / n - 0.5
        if linear:
            at = np.clip(at, 0, x.shape[k] - 1)
            low = np.minimum(np.floor(at).astype(int), max(x.shape[k] - 2, 0))
            part = (at - low).reshape(-1, *[1] * (x.ndim - k - 1))
            high = np.minimum(low + 1, x.shape[k] - 1)
            x = x.take(low, k) * (1 - part) + x.take(high, k) * part
        else:
            x = x.take(np.clip(np.floor(at + 0.5).astype(int), 0, x.shape[k] - 1), k)
    return x


@pytest.mark.row("L-11")
@pytest.mark.parametrize("linear", [False, True])
def test_resampling_and_its_gradient(queue: sycl.queue, linear: bool) -> None:
    for _, e, s, rng in each(queue):
        for shape, sizes in (((2, 2, 5), (8,)), ((1, 2, 4, 5), (7, 3)), ((1, 2, 3, 3), (6, 9)),
                             ((1, 1, 3, 2, 4), (4, 5, 2))):
            x = model.numbers(rng, shape)
            y, g = np.zeros((*shape[:2], *sizes), np.float32), model.numbers(
                rng, (*shape[:2], *sizes))
            a = alg.resampling_linear if linear else alg.resampling_nearest
            pd = made(dnn.resampling_forward, e, prop.forward_training, a, x, y)
            run(pd, dnn.resampling_forward, s, {arg.SRC: x, arg.DST: y})
            model.near(y, resampled(linear, x.astype(float), sizes))
            dx = np.zeros_like(x)
            run(made(dnn.resampling_backward, e, a, dx, g, pd), dnn.resampling_backward, s,
                {arg.DIFF_DST: g, arg.DIFF_SRC: dx})
            model.near(dx, model.transposed(lambda v, sizes=sizes: resampled(linear, v, sizes),
                                            shape)(g), scale=4)


# ---------------------------------------------------------------------------- normalisation
def normalised(kind, x, scale, shift, groups=2, given=None):
    """Return a normalised tensor with its statistics."""
    if kind == "layer":
        axes, seen = (x.ndim - 1,), x
    elif kind == "batch":
        axes, seen = tuple(k for k in range(x.ndim) if k != 1), x
    else:
        seen = x.reshape(x.shape[0], groups, -1)
        axes = (2,)
    mean, variance = given or (seen.mean(axes, keepdims=True), seen.var(axes, keepdims=True))
    found = ((seen - mean) / np.sqrt(variance + 1e-3)).reshape(x.shape)
    form = (-1,) if kind == "layer" else (-1, *[1] * (x.ndim - 2))
    return found * scale.reshape(form) + shift.reshape(form), mean, variance


@pytest.mark.row("L-12")
@pytest.mark.parametrize("kind", ["batch", "layer", "group"])
def test_normalisations_and_their_gradients(queue: sycl.queue, kind: str) -> None:
    fwd, bwd = (getattr(dnn, f"{kind}_normalization_{w}") for w in ("forward", "backward"))
    more = (2,) if kind == "group" else ()
    for who, e, s, rng in each(queue):
        if kind == "group" and who == "onednn":
            continue  # this version does not have it; the kernels do
        x = model.numbers(rng, (2, 3, 4) if kind == "layer" else (2, 4, 3, 2)) * 3 + 1
        channels = x.shape[-1 if kind == "layer" else 1]
        scale, shift, g = (model.numbers(rng, n) for n in (channels, channels, x.shape))
        right, mean, variance = normalised(kind, x.astype(float), scale, shift)
        stats = {arg.MEAN: np.zeros(mean.size, np.float32).reshape(
            {"batch": (-1,), "layer": x.shape[:-1], "group": (2, 2)}[kind])}
        stats[arg.VARIANCE] = np.zeros_like(stats[arg.MEAN])
        both = flags.use_scale | flags.use_shift
        y, dx, dscale, dshift = (np.zeros_like(v) for v in (x, x, scale, shift))
        pd = made(fwd, e, prop.forward_training, x, y, *more, 1e-3, both)
        affine = {arg.SCALE: scale, arg.SHIFT: shift}
        run(pd, fwd, s, {arg.SRC: x, arg.DST: y, **affine, **stats})
        model.near(y, right, scale=4)
        model.near(stats[arg.MEAN].ravel(), mean.ravel())
        model.near(stats[arg.VARIANCE].ravel(), variance.ravel())
        back = made(bwd, e, prop.backward, dx, g, x, *more, 1e-3, both, pd)
        run(back, bwd, s, {arg.SRC: x, arg.DIFF_DST: g, arg.DIFF_SRC: dx, arg.SCALE: scale,
                           arg.DIFF_SCALE: dscale, arg.DIFF_SHIFT: dshift, **stats})
        model.near(dx, descent(lambda v, a=scale, b=shift: normalised(kind, v, a, b)[0],
                               x.astype(float), g), scale=20)
        model.near(dscale, descent(lambda v, x=x, b=shift: normalised(
            kind, x.astype(float), v, b)[0], scale.astype(float), g), scale=20)
        over = tuple(range(x.ndim - 1)) if kind == "layer" else (0, 2, 3)
        model.near(dshift, g.sum(over, dtype=float), scale=4)
        run(made(fwd, e, prop.forward_inference, x, y, *more, 1e-3, flags.none), fwd, s,
            {arg.SRC: x, arg.DST: y})
        one, none = np.ones(channels), np.zeros(channels)
        model.near(y, normalised(kind, x.astype(float), one, none)[0], scale=4)
        use = made(fwd, e, prop.forward_inference, x, y, *more, 1e-3,
                   flags.use_global_stats | both)
        run(use, fwd, s, {arg.SRC: x, arg.DST: y, **affine, arg.MEAN: stats[arg.MEAN] + 1,
                          arg.VARIANCE: stats[arg.VARIANCE] * 2})
        model.near(y, normalised(kind, x.astype(float), scale, shift,
                                 given=(mean + 1, variance * 2))[0], scale=4)


@pytest.mark.row("L-12")
def test_batch_normalisation_with_given_statistics_and_fused_functions(queue: sycl.queue) -> None:
    fwd, bwd = dnn.batch_normalization_forward, dnn.batch_normalization_backward
    for _, e, s, rng in each(queue):
        x, g = model.numbers(rng, (2, 3, 4, 4)), model.numbers(rng, (2, 3, 4, 4))
        mean, variance = np.float32([0.1, -0.2, 0]), np.float32([1, 2, 0.5])
        y, dx = np.zeros_like(x), np.zeros_like(x)
        fl = flags.use_global_stats
        pd = made(fwd, e, prop.forward_training, x, y, 1e-3, fl)
        stats = {arg.MEAN: mean, arg.VARIANCE: variance}
        run(pd, fwd, s, {arg.SRC: x, arg.DST: y, **stats})
        back = made(bwd, e, prop.backward_data, dx, g, x, 1e-3, fl, pd)
        run(back, bwd, s, {arg.SRC: x, arg.DIFF_DST: g, arg.DIFF_SRC: dx, **stats})
        model.near(dx, g / np.sqrt(variance.astype(float) + 1e-3)[:, None, None])
        stats = {arg.MEAN: np.zeros(3, np.float32), arg.VARIANCE: np.zeros(3, np.float32)}
        pd = made(fwd, e, prop.forward_training, x, y, 1e-3, flags.fuse_norm_relu)
        more = run(pd, fwd, s, {arg.SRC: x, arg.DST: y, **stats})
        one, none = np.ones(3), np.zeros(3)

        def fused(v, one=one, none=none):
            return np.maximum(normalised("batch", v, one, none)[0], 0)

        model.near(y, fused(x.astype(float)), scale=4)
        back = made(bwd, e, prop.backward_data, dx, g, x, 1e-3, flags.fuse_norm_relu, pd)
        run(back, bwd, s, {arg.SRC: x, arg.DIFF_DST: g, arg.DIFF_SRC: dx, **stats, **more})
        model.near(dx, descent(fused, x.astype(float), g), scale=20)


@pytest.mark.row("L-12")
@pytest.mark.parametrize("way", ["across_channels", "within_channel"])
def test_local_response_normalisation_and_its_gradient(queue: sycl.queue, way: str) -> None:
    a = getattr(alg, f"lrn_{way}")

    def local(v):
        squares, total = np.pad(v * v, 2), np.zeros(v.shape)
        if way == "across_channels":
            for k in range(5):
                total += squares[2:-2, k:k + v.shape[1], 2:-2, 2:-2]
        else:
            for i, j in np.ndindex(5, 5):
                total += squares[2:-2, 2:-2, i:i + v.shape[2], j:j + v.shape[3]]
        return v * (2 + 0.3 * total / (5 if way == "across_channels" else 25)) ** -0.75

    for who, e, s, rng in each(queue):
        x, g = model.numbers(rng, (2, 6, 4, 3)) * 3, model.numbers(rng, (2, 6, 4, 3))
        y, dx = np.zeros_like(x), np.zeros_like(x)
        pd = made(dnn.lrn_forward, e, prop.forward_training, a, x, y, 5, 0.3, 0.75, 2.0)
        more = run(pd, dnn.lrn_forward, s, {arg.SRC: x, arg.DST: y})
        model.near(y, local(x.astype(float)))
        back = made(dnn.lrn_backward, e, a, dx, g, x, 5, 0.3, 0.75, 2.0, pd)
        run(back, dnn.lrn_backward, s, {arg.SRC: x, arg.DIFF_DST: g, arg.DIFF_SRC: dx, **more})
        model.near(dx, descent(local, x.astype(float), g), scale=8)
        assert who in dnn.available()


# ---------------------------------------------------------------------------- the rest
@pytest.mark.row("L-13")
def test_softmax_and_its_gradient(queue: sycl.queue) -> None:
    def right(v, axis, log):
        v = v - v.max(axis, keepdims=True)
        found = v - np.log(np.exp(v).sum(axis, keepdims=True))
        return found if log else np.exp(found)

    for _, e, s, rng in each(queue):
        for (shape, axis), log in by_turns(queue.get_device(), itertools.product(
                (((4, 7), 1), ((2, 5, 3), 1), ((3, 2, 2, 3), 0)), (False, True))):
            a = alg.softmax_log if log else alg.softmax_accurate
            x, g = model.numbers(rng, shape) * 4, model.numbers(rng, shape)
            y, dx = np.zeros_like(x), np.zeros_like(x)
            pd = made(dnn.softmax_forward, e, prop.forward_training, a, x, y, axis)
            run(pd, dnn.softmax_forward, s, {arg.SRC: x, arg.DST: y})
            model.near(y, right(x.astype(float), axis, log))
            back = made(dnn.softmax_backward, e, a, dx, g, y, axis, pd)
            run(back, dnn.softmax_backward, s,
                {arg.DST: y, arg.DIFF_DST: g, arg.DIFF_SRC: dx})
            model.near(dx, descent(lambda v, axis=axis, log=log: right(v, axis, log),
                                   x.astype(float), g), scale=4)


@pytest.mark.row("L-13")
def test_two_tensors_are_combined(queue: sycl.queue) -> None:
    names = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
             "max": np.maximum, "min": np.minimum, "ge": np.greater_equal, "gt": np.greater,
             "le": np.less_equal, "lt": np.less, "eq": np.equal, "ne": np.not_equal}
    for _, e, s, rng in each(queue):
        x = np.rint(model.numbers(rng, (2, 3, 4)) * 4)
        for shape in ((1, 3, 1), (2, 3, 4), (1, 1, 1), (2, 1, 4)):
            for name, f in (by_turns(queue.get_device(), names.items()) if shape == (1, 3, 1)
                            else [("sub", np.subtract)]):
                z = np.rint(model.numbers(rng, shape) * 2) + 0.5 * (name == "div")
                y = np.zeros(x.shape, np.float32)
                run(made(dnn.binary, e, getattr(alg, f"binary_{name}"), x, z.astype("f"), y),
                    dnn.binary, s, {arg.SRC_0: x, arg.SRC_1: z.astype("f"), arg.DST: y})
                model.near(y, f(x.astype(float), z))


@pytest.mark.row("L-13")
def test_tensors_are_added_and_put_behind_one_another(queue: sycl.queue) -> None:
    for _, e, s, rng in each(queue):
        parts = [model.numbers(rng, (2, n, 3)) for n in (1, 4, 2)]
        y = np.zeros((2, 7, 3), np.float32)
        mds = [model.plain(p) for p in parts]
        run(dnn.concat.primitive_desc(e, model.plain(y), 1, mds), dnn.concat, s, {
            arg.DST: y, **{arg.MULTIPLE_SRC + k: p for k, p in enumerate(parts)}})
        assert np.array_equal(y, np.concatenate(parts, 1))
        old = dnn.concat.primitive_desc(1, mds, e)
        assert old.dst_desc().get_dims() == (2, 7, 3)
        parts = [model.numbers(rng, (3, 5)) for _ in range(3)]
        y = np.zeros((3, 5), np.float32)
        mds = [model.plain(p) for p in parts]
        run(dnn.sum.primitive_desc(e, model.plain(y), [1.0, -2.0, 0.5], mds), dnn.sum, s, {
            arg.DST: y, **{arg.MULTIPLE_SRC + k: p for k, p in enumerate(parts)}})
        model.near(y, parts[0] - 2.0 * parts[1] + 0.5 * parts[2])


@pytest.mark.row("L-13")
def test_dimensions_are_reduced(queue: sycl.queue) -> None:
    p, eps = 3.0, 0.25
    names = {"max": np.max, "min": np.min, "sum": np.sum, "mul": np.prod, "mean": np.mean,
             "norm_lp_max": lambda v, axis, keepdims: np.maximum(
                 (np.abs(v)**p).sum(axis, keepdims=keepdims), eps)**(1 / p),
             "norm_lp_sum": lambda v, axis, keepdims: (
                 (np.abs(v)**p).sum(axis, keepdims=keepdims) + eps)**(1 / p),
             "norm_lp_power_p_max": lambda v, axis, keepdims: np.maximum(
                 (np.abs(v)**p).sum(axis, keepdims=keepdims), eps),
             "norm_lp_power_p_sum": lambda v, axis, keepdims: (
                 np.abs(v)**p).sum(axis, keepdims=keepdims) + eps}
    for _, e, s, rng in each(queue):
        x = model.numbers(rng, (3, 4, 5))
        for axes in ((0,), (1, 2), (0, 2), (0, 1, 2)):
            for name, f in names.items() if axes == (1, 2) else [("sum", np.sum)]:
                right = f(x.astype(float), axis=axes, keepdims=True)
                y = np.zeros(right.shape, np.float32)
                run(made(dnn.reduction, e, getattr(alg, f"reduction_{name}"), x, y, p, eps),
                    dnn.reduction, s, {arg.SRC: x, arg.DST: y})
                model.near(y, right)


@pytest.mark.row("L-13")
def test_axes_are_shuffled_and_back(queue: sycl.queue) -> None:
    for _, e, s, rng in each(queue):
        x = model.numbers(rng, (2, 12, 3, 2))
        for axis, group in ((1, 3), (1, 4), (0, 2)):
            n = x.shape[axis]
            seen = np.moveaxis(x, axis, 0)
            right = np.moveaxis(seen.reshape(n // group, group, *seen.shape[1:]).swapaxes(
                0, 1).reshape(seen.shape), 0, axis)
            y, dx = np.zeros_like(x), np.zeros_like(x)
            pd = made(dnn.shuffle_forward, e, prop.forward_training, x, y, axis, group)
            run(pd, dnn.shuffle_forward, s, {arg.SRC: x, arg.DST: y})
            assert np.array_equal(y, right)
            back = made(dnn.shuffle_backward, e, dx, y, axis, group, pd)
            run(back, dnn.shuffle_backward, s, {arg.DIFF_DST: y, arg.DIFF_SRC: dx})
            assert np.array_equal(dx, x)


@pytest.mark.row("L-13")
def test_what_is_negative_is_multiplied_by_weights(queue: sycl.queue) -> None:
    for _, e, s, rng in each(queue):
        for shape in ((1, 3, 1, 1), (2, 3, 4, 2), (1, 1, 1, 1)):
            x, g = model.numbers(rng, (2, 3, 4, 2)), model.numbers(rng, (2, 3, 4, 2))
            w = model.numbers(rng, shape)
            y, dx, dw = np.zeros_like(x), np.zeros_like(x), np.zeros_like(w)
            pd = made(dnn.prelu_forward, e, prop.forward_training, x, w, y)
            run(pd, dnn.prelu_forward, s, {arg.SRC: x, arg.WEIGHTS: w, arg.DST: y})
            model.near(y, np.where(x > 0, x, x * w))
            back = made(dnn.prelu_backward, e, x, w, dx, dw, g, pd)
            run(back, dnn.prelu_backward, s, {
                arg.SRC: x, arg.WEIGHTS: w, arg.DIFF_DST: g, arg.DIFF_SRC: dx,
                arg.DIFF_WEIGHTS: dw})
            model.near(dx, np.where(x > 0, g, g * w))
            over = tuple(k for k, n in enumerate(shape) if n == 1)
            model.near(dw, (np.where(x > 0, 0, x) * g.astype(float)).sum(over, keepdims=True))


@pytest.mark.row("L-13")
def test_layers_refuse_what_does_not_fit(queue: sycl.queue) -> None:
    e = dnn.engine(queue)
    x, y = np.zeros((2, 4, 6), np.float32), np.zeros((2, 4, 5), np.float32)
    for kind, arguments, text in (
            (dnn.pooling_forward, (prop.forward, alg.pooling_max, x, y, (1,), (3,), (0,), (0,),
                                   (0,)), "it is 4"),
            (dnn.softmax_forward, (prop.forward, alg.softmax_log, x, x, 3), "axis is 3"),
            (dnn.shuffle_forward, (prop.forward, x, x, 1, 3), "no 3 groups"),
            (dnn.group_normalization_forward, (prop.forward, x, x, 3, 1e-5, flags.none),
             "no 3 groups"),
            (dnn.binary, (alg.binary_add, x, y, x), "do not give dst"),
            (dnn.reduction, (alg.reduction_sum, x, y), "with 1 for what is reduced"),
            (dnn.inner_product_forward, (prop.forward, x, y, x), "do not give dst"),
            (dnn.lrn_forward, (prop.forward, alg.lrn_within_channel, x, x, 0, 1.0, 1.0, 1.0),
             "local_size is 0"),
            (dnn.concat, (1, [model.plain(x), model.plain(y)]), "source 1 has sizes")):
        with pytest.raises(dnn.error, match=text):
            made(kind, e, *arguments)
