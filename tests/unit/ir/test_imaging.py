"""The arithmetic of images on NumPy arrays against the reference in NumPy."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.conformance.image import reference
from unisycl.base.dtypes import FLOAT16, FLOAT32, INT32, UINT32, DType
from unisycl.base.image_formats import (
    PixelFormat,
    addressing_mode,
    color_dtypes,
    coordinate_normalization_mode,
    filtering_mode,
    find_format,
    image_channel_order,
    image_channel_type,
    image_sampler,
)
from unisycl.ir import imaging
from unisycl.lang.memory.image_arithmetic import Numbers

A = Numbers()
FORMATS = [f for o in image_channel_order for t in image_channel_type
           if (f := find_format((o, t))) is not None]
UNNORMALIZED = ("clamp_to_edge", "clamp", "none")


@pytest.fixture(autouse=True)
def silent() -> Iterator[None]:
    """The caller of ``Numbers`` silences NumPy's warnings."""
    with np.errstate(all="ignore"):
        yield


def pixels(form: PixelFormat, shape: tuple[int, ...], seed: int = 0) -> Any:
    """Return random stored numbers (*shape, count), the extreme ones among them."""
    dtype, count = reference.stored_dtype(form.order.name, form.type.name)
    rng = np.random.default_rng(seed)
    if dtype.kind == "f":
        return rng.normal(0, 3, (*shape, count)).astype(dtype)
    limits = np.iinfo(dtype)
    out = rng.integers(limits.min, limits.max, (*shape, count), endpoint=True, dtype=dtype)
    out.reshape(-1)[-1], out.reshape(-1)[0] = limits.min, limits.max
    return out


def words_of(form: PixelFormat, stored: Any) -> Any:
    """Return stored numbers as the words (*shape, words), uint32."""
    flat = np.ascontiguousarray(stored).view(form.word.numpy)
    return flat.reshape(*stored.shape[:-1], form.words).astype(np.uint32)


def fetch_of(form: PixelFormat, stored: Any) -> Any:
    words = words_of(form, stored)

    def fetch(at: Any) -> Any:
        found = words[tuple(at[::-1])]
        return [found[..., k] for k in range(form.words)]
    return fetch


def sampler_of(mode: str, normalized: bool, linear: bool) -> image_sampler:
    coordinate = coordinate_normalization_mode
    return image_sampler(addressing_mode[mode],
                         coordinate.normalized if normalized else coordinate.unnormalized,
                         filtering_mode.linear if linear else filtering_mode.nearest)


def broadcast(values: list[Any], shape: tuple[int, ...]) -> Any:
    return np.stack([np.broadcast_to(v, shape) for v in values], axis=-1)


@pytest.mark.parametrize("form", FORMATS, ids=str)
def test_a_pixel_is_read_as_the_reference_says(form: PixelFormat) -> None:
    stored = pixels(form, (500,))
    words = words_of(form, stored)
    result = color_dtypes(form)[0]
    parts = [words[:, k] for k in range(form.words)]
    ours = broadcast(imaging.read(A, form, parts, result), (500,))
    expected = reference.decode(stored, form.order.name, form.type.name)
    if form.order.name.startswith("s"):
        np.testing.assert_allclose(ours, expected, rtol=4e-7)
    else:
        np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize("form", FORMATS, ids=str)
def test_a_pixel_is_written_as_the_reference_says(form: PixelFormat) -> None:
    kind = color_dtypes(form)[0]
    rng = np.random.default_rng(1)
    if kind is FLOAT32:
        color = rng.uniform(-1.5, 1.5, (400, 4)).astype("f4")
        color[:4] = [[0, -0.0, 1, -1], [np.inf, -np.inf, 3e38, 1e-40], [0.5, 0.25, 1e-3, 2.5 / 255],
                     [0.5 / 255, 1.5 / 255, 0.003, 0.0031309]]
        if form.channels[0].coding != "float":
            color[4] = np.nan
    else:
        limits = np.iinfo(kind.numpy)
        color = rng.integers(limits.min, limits.max, (400, 4), dtype=kind.numpy)
        color[::2] >>= 16
        color[:3] = [[0, limits.max, limits.min, 1], [127, 128, 255, 256],
                     [32767, 32768, 65535, 65536]]
    ours = imaging.encode(A, form, [color[:, k] for k in range(4)], kind)
    got = np.stack([np.broadcast_to(w, (400,)) for w in ours], axis=-1).astype(form.word.numpy)
    expected = reference.encode(color, form.order.name, form.type.name)
    ours_stored = np.ascontiguousarray(got).view(expected.dtype).reshape(expected.shape)
    if form.order.name.startswith("s"):  # 0.6 is what the rule allows
        assert np.abs(ours_stored.astype(int) - expected).max() <= 1
        assert (ours_stored != expected).mean() < 0.01
    else:
        np.testing.assert_array_equal(ours_stored, expected)


def coordinates(dims: int, sizes: tuple[int, ...], normalized: bool) -> Any:
    """Return float32 coordinates: inside, at every seam, outside and far away."""
    rng = np.random.default_rng(dims)
    size = np.array(sizes, "f4")
    inside = rng.uniform(-1.2, 2.2, (300, dims)).astype("f4") * size
    grid = np.array(list(itertools.product(
        (-1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5), repeat=dims)), "f4")
    ends = size - grid
    far = np.array([[1e10] * dims, [-1e10] * dims, [1e30] * dims, [1e-30] * dims], "f4")
    out = np.concatenate([inside, grid, ends])
    return np.concatenate([(out / size).astype("f4") if normalized else out, far])


@pytest.mark.row("B-38")
@pytest.mark.parametrize("sizes", [(7,), (5, 4), (3, 4, 2), (1, 1)])
@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize(("mode", "normalized"), [
    *((m.name, True) for m in addressing_mode), *((m, False) for m in UNNORMALIZED)])
def test_every_sampler_reads_as_the_reference_says(
        mode: str, normalized: bool, linear: bool, sizes: tuple[int, ...]) -> None:
    for spec in (("rgba", "fp32"), ("rg", "unorm_int8"), ("rgx", "snorm_int16"), ("a", "fp16")):
        form = find_format((image_channel_order[spec[0]], image_channel_type[spec[1]]))
        assert form is not None
        stored = pixels(form, sizes[::-1])
        coords = coordinates(len(sizes), sizes, normalized)
        ours = imaging.sample(
            A, form, sampler_of(mode, normalized, linear), list(coords.T),
            [np.float32(n) for n in sizes], fetch_of(form, stored), FLOAT32)
        expected, slack = reference.sample(
            reference.decode(stored, *spec), spec[0], mode, normalized, linear, coords)
        assert np.all(np.abs(broadcast(ours, coords.shape[:1]) - expected) <= slack)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("mode", [m.name for m in addressing_mode])
def test_no_coordinate_leaves_the_image(value: float, linear: bool, mode: str) -> None:
    seen: list[Any] = []

    def fetch(at: Any) -> Any:
        seen.extend(at)
        return [np.uint32(0)]
    form = find_format((image_channel_order.rgba, image_channel_type.unorm_int8))
    assert form is not None
    imaging.sample(A, form, sampler_of(mode, True, linear), [np.float32(value)] * 2,
                   [np.float32(3)] * 2, fetch, FLOAT32)
    assert seen
    assert all(0 <= i < 3 for i in seen)


@pytest.mark.parametrize("kind", [INT32, UINT32])
def test_integers_outside_are_zero_with_a_solid_alpha_where_there_is_none(kind: DType) -> None:
    name = "signed_int16" if kind is INT32 else "unsigned_int16"
    for order, alpha in (("rgba", 0), ("rg", 1), ("rgx", 0)):
        form = find_format((image_channel_order[order], image_channel_type[name]))
        assert form is not None
        stored = pixels(form, (4,)) | 1
        got = imaging.sample(A, form, sampler_of("clamp", False, False), [np.float32(-2)],
                             [np.float32(4)], fetch_of(form, stored), kind)
        assert [int(x) for x in got] == [0, 0, 0, alpha]


def test_half_colours_are_float_colours_rounded() -> None:
    form = find_format((image_channel_order.rgba, image_channel_type.unorm_int16))
    assert form is not None
    words = words_of(form, pixels(form, (100,)))
    parts = [words[:, k] for k in range(form.words)]
    wide, half = (imaging.read(A, form, parts, t) for t in (FLOAT32, FLOAT16))
    for x, y in zip(wide, half, strict=True):
        np.testing.assert_array_equal(x.astype("f2"), y)
