"""SYCL 1.2's forms: subscripts, samplers in kernels, arrays of images (S12 §3.6.4.5)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.image import pictures, reference
from unisycl.testing import refused

RGBA32F = sycl.image_format.r32g32b32a32_sfloat


@pytest.mark.row("B-39")
def test_subscripts_read_and_write_pixels(device: sycl.device, queue: sycl.queue) -> None:
    pixels = pictures.stored("rgba", "fp32", (3, 5))
    target = np.zeros_like(pixels)
    with refused(device, sycl.aspect.image), sycl.unsampled_image(pixels, RGBA32F) as source, \
            sycl.unsampled_image(target, RGBA32F) as image:
        @queue.submit
        def group(h: sycl.handler) -> None:
            src = sycl.unsampled_image_accessor(source, h, sycl.read_only)
            dst = sycl.unsampled_image_accessor(image, h, sycl.write_only)

            @h.parallel_for(image.get_range())
            def kernel(it: sycl.item) -> None:
                x, y = it
                if x == 0:
                    dst[it] = src[it]
                elif x == 1:
                    dst[it.get_id()] = src[sycl.int2(x, y)]
                elif x == 2:
                    dst[x][y] = src[x][y]
                else:
                    dst[x, y] = src[x, y] * 1
    np.testing.assert_array_equal(target, pixels)


@pytest.mark.row("B-39", "B-38")
@pytest.mark.parametrize("linear", [False, True], ids=["nearest", "linear"])
def test_a_sampler_is_given_in_the_kernel(
        device: sycl.device, queue: sycl.queue, linear: bool) -> None:
    pixels, out = pictures.stored("rgba", "fp32", (3, 5)), np.zeros((40, 4), "f4")
    at = np.random.default_rng(2).uniform(-1, 2, (40, 2)).astype("f4")
    modes = pictures.sampler("mirrored_repeat", normalized=True, linear=linear)
    with refused(device, sycl.aspect.image), sycl.unsampled_image(pixels, RGBA32F) as source:
        @queue.submit
        def group(h: sycl.handler) -> None:
            src = sycl.unsampled_image_accessor(source, h, sycl.read_only)

            @h.parallel_for(40)
            def kernel(i: sycl.item) -> None:
                v = src(modes)[sycl.float2(at[i, 0], at[i, 1])]
                for k in range(4):
                    out[i, k] = v[k]
        queue.wait()
        with source.get_host_access(sycl.read_only) as here:
            assert list(here(modes)[at[0, 0], at[0, 1]]) == out[0].tolist()
    expected, slack = reference.sample(pixels, "rgba", "mirrored_repeat", True, linear, at)
    assert np.all(np.abs(out - expected) <= slack)


@pytest.mark.row("B-39")
def test_another_sampler_is_another_kernel(device: sycl.device, queue: sycl.queue) -> None:
    pixels, out = pictures.stored("rgba", "fp32", (5,)), np.zeros(1, "f4")
    with refused(device, sycl.aspect.image), sycl.unsampled_image(pixels, RGBA32F) as source:
        def sampled(modes: sycl.image_sampler) -> float:
            def group(h: sycl.handler) -> None:
                src = sycl.unsampled_image_accessor(source, h, sycl.read_only)

                def kernel() -> None:
                    out[0] = src(modes)[np.float32(-0.5)].x
                h.single_task(kernel)
            queue.submit(group).wait()
            return float(out[0])
        edge = sampled(pictures.sampler("clamp_to_edge", normalized=False, linear=False))
        border = sampled(pictures.sampler("clamp", normalized=False, linear=False))
    assert (edge, border) == (pixels[0, 0], 0)


@pytest.mark.row("B-40")
def test_slices_of_an_array_are_independent(device: sycl.device, queue: sycl.queue) -> None:
    pixels = pictures.stored("rgba", "fp32", (3, 4, 5))
    target = np.zeros_like(pixels)
    with refused(device, sycl.aspect.image), sycl.unsampled_image(pixels, RGBA32F) as source, \
            sycl.unsampled_image(target, RGBA32F) as image:
        @queue.submit
        def group(h: sycl.handler) -> None:
            src = sycl.unsampled_image_accessor(source, h, sycl.read_only, array=True)
            dst = sycl.unsampled_image_accessor(image, h, sycl.write_only, array=True)

            @h.parallel_for((4, 5))
            def kernel(it: sycl.item) -> None:
                y, x = it
                first, last = src[0], dst[2]
                last[x, y] = first[x, y]
                dst[0].write(sycl.int2(x, y), src[x % 3].read((x, y)))
                if x < dst[1].size() - 18:
                    dst[1][x][y] = src[2][x][y]
    np.testing.assert_array_equal(target[2], pixels[0])
    np.testing.assert_array_equal(target[1, :, :2], pixels[2, :, :2])
    assert not target[1, :, 2:].any()
    for x in range(5):
        np.testing.assert_array_equal(target[0, :, x], pixels[x % 3, :, x])


@pytest.mark.row("B-40")
def test_arrays_of_lines_and_samples_of_slices(device: sycl.device, queue: sycl.queue) -> None:
    pixels, out = pictures.stored("rgba", "fp32", (3, 5)), np.zeros((3, 5), "f4")
    modes = pictures.sampler("clamp_to_edge", normalized=False, linear=True)
    with refused(device, sycl.aspect.image), sycl.unsampled_image(pixels, RGBA32F) as source:
        @queue.submit
        def group(h: sycl.handler) -> None:
            src = sycl.unsampled_image_accessor(source, h, sycl.read_only, array=True)

            @h.parallel_for((3, 5))
            def kernel(it: sycl.item) -> None:
                out[it] = src[it[0]](modes)[it[1] + np.float32(1.0)].y
        queue.wait()
    y = pixels[..., 1]
    following = np.concatenate([y[:, 1:], y[:, -1:]], axis=1)
    np.testing.assert_allclose(out, (y + following) / 2, rtol=1e-5, atol=1e-6)


@pytest.mark.row("B-40")
def test_an_array_needs_an_image_to_be_selected(device: sycl.device, queue: sycl.queue) -> None:
    image = sycl.unsampled_image(RGBA32F, (5, 4, 3))

    def group(h: sycl.handler) -> None:
        src = sycl.unsampled_image_accessor(image, h, sycl.read_only, array=True)
        h.parallel_for(1, lambda i: src.read((i, 0, 0)))
    with refused(device, sycl.aspect.image), pytest.raises(sycl.exception, match="K113"):
        queue.submit(group)
    line = sycl.unsampled_image(RGBA32F, 5)
    with refused(device, sycl.aspect.image), pytest.raises(
            sycl.exception, match="no array of images"):
        queue.submit(lambda h: sycl.unsampled_image_accessor(line, h, sycl.read_only, array=True))


@pytest.mark.row("B-39", "B-40")
def test_the_host_has_the_older_forms_too(queue: sycl.queue) -> None:
    pixels = np.zeros((2, 3, 4), "f4")
    with sycl.unsampled_image(pixels, RGBA32F) as image:
        with image.get_host_access() as here:
            here[1, 0] = sycl.float4(1, 2, 3, 4)
            here[2][1] = here[1, 0] * 2
            assert here[1][0].z == 3
            modes = pictures.sampler("clamp", normalized=False, linear=False)
            assert list(here(modes)[9.0, 9.0]) == [0] * 4
            for wrong, text in (((1, 2, 3), "2 dimension"), ((0.5, 1), "addressed by integers")):
                with pytest.raises(sycl.exception, match=text):
                    here[wrong]
            with pytest.raises(sycl.exception, match="called with an image_sampler"):
                here(3)
            with pytest.raises(sycl.exception, match="cannot be written"):
                here(modes)[0.5, 0.5] = sycl.float4(0)

        @queue.submit
        def group(h: sycl.handler) -> None:
            rows = sycl.unsampled_image_accessor(image, h, sycl.write_only_host_task, array=True)

            def task() -> Any:
                rows[1][0] = sycl.float4(7)
                for wrong, text in ((2, "does not exist"), (0.5, "counted by integers")):
                    with pytest.raises(sycl.exception, match=text):
                        rows[wrong]
                with pytest.raises(sycl.exception, match="select one first"):
                    rows.write((0, 0), sycl.float4(0))
            h.host_task(task)
        queue.wait_and_throw()
    assert pixels[0, 1].tolist() == [1, 2, 3, 4]
    assert pixels[1, 2].tolist() == [2, 4, 6, 8]
    assert pixels[1, 0].tolist() == [7] * 4
