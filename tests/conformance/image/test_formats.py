"""Every format: what a pixel reads as, and what a colour is stored as (SYCL 2020 §4.7.3.1)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.image import pictures, reference
from unisycl.testing import refused

COLORS = {"f4": "float4", "f2": "half4", "i4": "int4", "u4": "uint4"}
PAIRS = (("r", "unorm_int8"), ("rg", "snorm_int16"), ("rgx", "fp32"), ("ra", "fp16"),
         ("argb", "signed_int8"), ("abgr", "unsigned_int8"), ("luminance", "unorm_int16"),
         ("intensity", "snorm_int8"), ("rgbx", "unorm_short_565"), ("rgb", "unorm_short_555"),
         ("rgb", "unorm_int_101010"), ("a", "unorm_int8"), ("rgba", "snorm_int8"))


def pair(order: str, type: str) -> tuple[sycl.image_channel_order, sycl.image_channel_type]:
    return sycl.image_channel_order[order], sycl.image_channel_type[type]


def read_all(queue: sycl.queue, image: sycl.unsampled_image, kind: str) -> Any:
    """Return the colours of a 1-D image."""
    out = np.zeros((image.size(), 4), kind)
    color = getattr(sycl, COLORS[kind])

    def group(h: sycl.handler) -> None:
        img = sycl.unsampled_image_accessor(image, h, color, sycl.read_only)

        def kernel(i: sycl.item) -> None:
            v = img.read(i)
            for k in range(4):
                out[i, k] = v[k]
        h.parallel_for(image.size(), kernel)
    queue.submit(group).wait()
    return out


def write_all(queue: sycl.queue, image: sycl.unsampled_image, colors: Any, kind: str) -> None:
    """Store colours in a 1-D image."""
    color = getattr(sycl, COLORS[kind])

    def group(h: sycl.handler) -> None:
        img = sycl.unsampled_image_accessor(image, h, color, sycl.write_only)

        def kernel(i: sycl.item) -> None:
            img.write(i, color(colors[i, 0], colors[i, 1], colors[i, 2], colors[i, 3]))
        h.parallel_for(image.size(), kernel)
    queue.submit(group).wait()


def some_colors(order: str, type: str, kind: str) -> Any:
    rng = np.random.default_rng(7)
    if kind in ("f4", "f2"):
        out = rng.uniform(-1.3, 1.3, (40, 4)).astype(kind)
        out[:3] = [[0, 1, -1, 0.5], [np.inf, -np.inf, 2, -2], [0.5 / 255, 1.5 / 255, 0.003, 1e-4]]
        if "norm" in type:
            out[3] = np.nan
        return out
    limits = np.iinfo(kind)
    out = rng.integers(limits.min, limits.max, (40, 4), dtype=kind)
    out[::2] >>= 18
    out[1] = [127, 128, 255, 256]
    out[3] = [32767, 32768, 65535, 65536]
    return out


@pytest.mark.row("B-37", "B-39")
@pytest.mark.parametrize("form", pictures.NAMED, ids=lambda f: f.name)
def test_a_named_format_is_read_and_written(
        device: sycl.device, queue: sycl.queue, form: sycl.image_format) -> None:
    order, type = pictures.ORDERS[form], pictures.channel_type(form)
    check(device, queue, form, order, type)


@pytest.mark.row("B-37")
@pytest.mark.parametrize(("order", "type"), PAIRS)
def test_a_channel_order_and_type_is_read_and_written(
        device: sycl.device, queue: sycl.queue, order: str, type: str) -> None:
    check(device, queue, pair(order, type), order, type)


def check(device: sycl.device, queue: sycl.queue, form: Any, order: str, type: str) -> None:
    pixels = pictures.stored(order, type, (50,))
    expected = reference.decode(pixels, order, type)
    with refused(device, sycl.aspect.image), sycl.unsampled_image(
            pixels.copy(), form, 50) as image:
        np.testing.assert_array_equal(read_all(queue, image, expected.dtype.str[1:]), expected)
    colors = some_colors(order, type, expected.dtype.str[1:])
    target = np.zeros((len(colors), *pixels.shape[1:]), pixels.dtype)
    with sycl.unsampled_image(target, form, len(colors)) as image:
        write_all(queue, image, colors, expected.dtype.str[1:])
    np.testing.assert_array_equal(target, reference.encode(colors, order, type))


@pytest.mark.row("B-37")
def test_the_acceptance_check_of_unorm(device: sycl.device, queue: sycl.queue) -> None:
    target = np.zeros((1, 4), "u1")
    with refused(device, sycl.aspect.image), sycl.unsampled_image(
            target, sycl.image_format.r8g8b8a8_unorm) as image:
        write_all(queue, image, np.array([[1, 0.5, 0, 1]], "f4"), "f4")
    assert target.tolist() == [[255, 128, 0, 255]]


@pytest.mark.row("B-37")
@pytest.mark.parametrize("name", ["r8g8b8a8_unorm", "r16g16b16a16_sfloat", "r16g16b16a16_unorm"])
def test_half_colours_are_rounded_float_colours(
        device: sycl.device, queue: sycl.queue, name: str) -> None:
    form = sycl.image_format[name]
    pixels = pictures.stored("rgba", pictures.channel_type(form), (30,))
    wide = reference.decode(pixels, "rgba", pictures.channel_type(form))
    with refused(device, sycl.aspect.image, sycl.aspect.fp16), sycl.unsampled_image(
            pixels, form) as image:
        np.testing.assert_array_equal(read_all(queue, image, "f2"), wide.astype("f2"))
    colors = some_colors("rgba", name, "f2")
    target = np.zeros((len(colors), 4), pixels.dtype)
    with sycl.unsampled_image(target, form) as image:
        write_all(queue, image, colors, "f2")
    np.testing.assert_array_equal(
        target, reference.encode(colors.astype("f4"), "rgba", pictures.channel_type(form)))


@pytest.mark.row("B-37")
def test_srgb_is_linear_in_kernels(device: sycl.device, queue: sycl.queue) -> None:
    pixels = np.repeat(np.arange(256, dtype="u1")[:, None], 4, axis=1)
    form = pair("srgba", "unorm_int8")
    with refused(device, sycl.aspect.image), sycl.unsampled_image(pixels, form) as image:
        got = read_all(queue, image, "f4")
    expected = reference.decode(pixels, "srgba", "unorm_int8")
    np.testing.assert_allclose(got, expected, rtol=1e-6)
    target = np.zeros_like(pixels)
    with sycl.unsampled_image(target, form) as image:
        write_all(queue, image, got, "f4")
    np.testing.assert_array_equal(target, pixels)


@pytest.mark.row("B-37", "F-15")
@pytest.mark.parametrize("form", [
    pair("rgb", "unorm_int8"), pair("bgra", "fp32"), "r8g8b8a8_unorm",
    (sycl.image_channel_order.rgba,)], ids=str)
def test_what_is_no_format_is_refused(device: sycl.device, form: Any) -> None:
    with pytest.raises(sycl.exception) as caught:
        sycl.unsampled_image(np.zeros((2, 2, 4), "u1"), form)
    assert caught.value.code() == sycl.errc.invalid


@pytest.mark.row("B-37", "B-39")
def test_a_colour_type_of_another_kind_is_refused(device: sycl.device, queue: sycl.queue) -> None:
    def group(h: sycl.handler) -> None:
        sycl.unsampled_image_accessor(image, h, sycl.int4, sycl.read_only)
    image = sycl.unsampled_image(sycl.image_format.r8g8b8a8_unorm, (2, 2))
    with refused(device, sycl.aspect.image), pytest.raises(
            sycl.exception, match="seen as float4 or half4, not as int4") as caught:
        queue.submit(group)
    assert caught.value.code() == sycl.errc.invalid
