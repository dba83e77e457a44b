"""Every sampler against the rules of OpenCL C §8, written down in NumPy (SYCL 2020 §4.7.8)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.image import pictures, reference
from unisycl.testing import refused

MODES = [*((m.name, True) for m in sycl.addressing_mode if m.name != "none"),
         ("clamp_to_edge", False), ("clamp", False)]
PICTURES = (((7,), "r32g32b32a32_sfloat"), ((5, 4), "r8g8b8a8_unorm"),
            ((3, 4, 2), "r16g16b16a16_sfloat"))


@pytest.mark.row("B-36", "B-38", "B-39")
@pytest.mark.parametrize(("sizes", "name"), PICTURES, ids=["1d", "2d", "3d"])
@pytest.mark.parametrize("linear", [False, True], ids=["nearest", "linear"])
@pytest.mark.parametrize(("mode", "normalized"), MODES)
def test_reads_are_those_of_the_reference(
        device: sycl.device, queue: sycl.queue, mode: str, normalized: bool, linear: bool,
        sizes: tuple[int, ...], name: str) -> None:
    form = sycl.image_format[name]
    pixels = pictures.stored("rgba", pictures.channel_type(form), sizes[::-1])
    at = pictures.coordinates(sizes, normalized=normalized)
    modes = pictures.sampler(mode, normalized=normalized, linear=linear)
    with refused(device, sycl.aspect.image), sycl.sampled_image(pixels, form, modes) as image:
        got = pictures.sample(queue, image, at)
    expected, slack = reference.sample(
        reference.decode(pixels, "rgba", pictures.channel_type(form)), "rgba", mode, normalized,
        linear, at)
    assert np.all(np.abs(got - expected) <= slack)


@pytest.mark.row("B-38")
@pytest.mark.parametrize("linear", [False, True], ids=["nearest", "linear"])
def test_addressing_none_inside_the_image(
        device: sycl.device, queue: sycl.queue, linear: bool) -> None:
    pixels = pictures.stored("rgba", "fp32", (4, 5))
    rng = np.random.default_rng(3)
    at = (rng.uniform(0.5, 3.4, (40, 2))).astype("f4")
    modes = pictures.sampler("none", normalized=False, linear=linear)
    with refused(device, sycl.aspect.image), sycl.sampled_image(
            pixels, sycl.image_format.r32g32b32a32_sfloat, modes) as image:
        got = pictures.sample(queue, image, at)
    expected, slack = reference.sample(pixels, "rgba", "none", False, linear, at)
    assert np.all(np.abs(got - expected) <= slack)


@pytest.mark.row("B-38")
@pytest.mark.parametrize(("order", "alpha"), [("rgba", 0), ("rg", 1), ("rgx", 0), ("luminance", 1)])
@pytest.mark.parametrize("linear", [False, True], ids=["nearest", "linear"])
def test_the_border_has_the_colour_of_the_channel_order(
        device: sycl.device, queue: sycl.queue, order: str, alpha: int, linear: bool) -> None:
    pixels = pictures.stored(order, "unorm_int16", (4, 4)) | 1
    form = sycl.image_channel_order[order], sycl.image_channel_type.unorm_int16
    modes = pictures.sampler("clamp", normalized=False, linear=linear)
    at = np.array([[-9, 1], [1, 99], [-2, -2], [3.75, 1.25], [0.25, 0.25]], "f4")
    with refused(device, sycl.aspect.image), sycl.sampled_image(pixels, form, modes) as image:
        got = pictures.sample(queue, image, at)
    assert got[:3].tolist() == [[0, 0, 0, alpha]] * 3
    expected, slack = reference.sample(
        reference.decode(pixels, order, "unorm_int16"), order, "clamp", False, linear, at)
    assert np.all(np.abs(got - expected) <= slack)


@pytest.mark.row("B-38")
def test_integers_are_read_at_the_nearest_pixel(device: sycl.device, queue: sycl.queue) -> None:
    pixels = pictures.stored("rgba", "signed_int16", (3, 4))
    modes = pictures.sampler("clamp", normalized=True, linear=False)
    out = np.zeros((3, 4, 4), "i4")
    image = sycl.sampled_image(pixels, sycl.image_format.r16g16b16a16_sint, modes)

    def group(h: sycl.handler) -> None:
        img = sycl.sampled_image_accessor(image, h, sycl.int4)

        def kernel(it: sycl.item) -> None:
            v = img.read(sycl.float2((it[1] + 0.5) / 4, (it[0] + 0.5) / 3))
            for k in range(4):
                out[it[0], it[1], k] = v[k]
        h.parallel_for((3, 4), kernel)
    with refused(device, sycl.aspect.image):
        queue.submit(group).wait()
    np.testing.assert_array_equal(out, pixels)
    image.close()


@pytest.mark.row("B-38")
@pytest.mark.parametrize("mode", ["repeat", "mirrored_repeat"])
def test_repeating_needs_normalized_coordinates(device: sycl.device, mode: str) -> None:
    modes = pictures.sampler(mode, normalized=False, linear=False)
    with pytest.raises(sycl.exception, match="needs normalized coordinates") as caught:
        sycl.sampled_image(np.zeros((2, 2, 4), "u1"), sycl.image_format.r8g8b8a8_unorm, modes)
    assert caught.value.code() == sycl.errc.invalid


@pytest.mark.row("B-38")
def test_integers_cannot_be_averaged(device: sycl.device) -> None:
    modes = pictures.sampler("clamp", normalized=True, linear=True)
    with pytest.raises(sycl.exception, match="cannot average") as caught:
        sycl.sampled_image(np.zeros((2, 2, 4), "u1"), sycl.image_format.r8g8b8a8_uint, modes)
    assert caught.value.code() == sycl.errc.invalid


@pytest.mark.row("B-38", "B-39")
def test_devices_agree_to_the_last_bit(device: sycl.device, queue: sycl.queue) -> None:
    """Filtering is defined in fused multiplications, so it does not depend on the device."""
    pixels = pictures.stored("rgba", "fp32", (6, 7))
    at = pictures.coordinates((7, 6), normalized=True)
    modes = pictures.sampler("repeat", normalized=True, linear=True)
    form = sycl.image_format.r32g32b32a32_sfloat
    with refused(device, sycl.aspect.image), sycl.sampled_image(pixels, form, modes) as image:
        got = pictures.sample(queue, image, at)
        with image.get_host_access() as here:
            expected = np.array([list(here.read((x, y))) for x, y in at])
    np.testing.assert_array_equal(got, expected)
