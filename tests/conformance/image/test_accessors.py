"""Accessors of images in kernels, in host tasks and on the host (SYCL 2020 §4.7.6.13, .14)."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.image import pictures
from unisycl.testing import refused

RGBA8, RGBA32F = sycl.image_format.r8g8b8a8_unorm, sycl.image_format.r32g32b32a32_sfloat


def blank(width: int = 5, height: int = 3) -> sycl.unsampled_image:
    return sycl.unsampled_image(np.zeros((height, width, 4), "f4"), RGBA32F)


# ---- kernels
@pytest.mark.row("B-39")
@pytest.mark.parametrize("shape", [(70,), (5, 37), (2, 3, 19)], ids=["1d", "2d", "3d"])
@pytest.mark.parametrize("name", ["r8g8b8a8_uint", "r16g16b16a16_sint", "r32g32b32a32_sfloat"])
def test_every_pixel_is_read_and_written(
        device: sycl.device, queue: sycl.queue, shape: tuple[int, ...], name: str) -> None:
    form = sycl.image_format[name]
    color = {"uint": sycl.uint4, "sint": sycl.int4, "sfloat": sycl.float4}[name.split("_")[1]]
    pixels = pictures.stored("rgba", pictures.channel_type(form), shape)
    target = np.zeros_like(pixels)
    with refused(device, sycl.aspect.image), sycl.unsampled_image(
            pixels, form) as source, sycl.unsampled_image(target, form) as copied:
        pictures.copy(queue, source, copied, color)
    np.testing.assert_array_equal(target, pixels)


@pytest.mark.row("B-39")
def test_a_blur_through_images_is_one_through_buffers(
        device: sycl.device, queue: sycl.queue) -> None:
    pixels = np.random.default_rng(0).random((9, 21, 4), "f4")
    images, buffers = np.zeros_like(pixels), np.zeros_like(pixels)
    edge = pictures.sampler("clamp_to_edge", normalized=False, linear=False)
    with refused(device, sycl.aspect.image), sycl.sampled_image(pixels, RGBA32F, edge) as source, \
            sycl.unsampled_image(images, RGBA32F) as target:
        @queue.submit
        def through_images(h: sycl.handler) -> None:
            src = sycl.sampled_image_accessor(source, h)
            dst = sycl.unsampled_image_accessor(target, h, sycl.write_only)

            @h.parallel_for((9, 21))
            def kernel(it: sycl.item) -> None:
                y, x = it
                total = sycl.float4(0)
                for dy in range(-1, 2):
                    for dx in range(-1, 2):
                        total += src.read(sycl.float2(x + dx + 0.5, y + dy + 0.5))
                dst.write(sycl.int2(x, y), total * np.float32(1 / 9))
    with sycl.buffer(pixels) as a, sycl.buffer(buffers) as b:
        @queue.submit
        def through_buffers(h: sycl.handler) -> None:
            src, dst = sycl.accessor(a, h, sycl.read_only), sycl.accessor(b, h, sycl.write_only)

            @h.parallel_for((9, 21, 4))
            def kernel(it: sycl.item) -> None:
                y, x, c = it
                total = np.float32(0)
                for dy in range(-1, 2):
                    for dx in range(-1, 2):
                        total += src[max(0, min(y + dy, 8)), max(0, min(x + dx, 20)), c]
                dst[y, x, c] = total * np.float32(1 / 9)
    np.testing.assert_allclose(images, buffers, rtol=1e-6)
    assert images.all()


@pytest.mark.row("B-39")
def test_reads_and_writes_in_branches_and_loops(device: sycl.device, queue: sycl.queue) -> None:
    pixels = pictures.stored("rgba", "unorm_int16", (4, 33))
    target = np.zeros((4, 33, 4), "f4")
    smooth = pictures.sampler("clamp", normalized=False, linear=True)
    with refused(device, sycl.aspect.image), sycl.sampled_image(
            pixels, sycl.image_format.r16g16b16a16_unorm, smooth) as source, \
            sycl.unsampled_image(target, RGBA32F) as image:
        @queue.submit
        def group(h: sycl.handler) -> None:
            src = sycl.sampled_image_accessor(source, h)
            dst = sycl.unsampled_image_accessor(image, h, sycl.write_only)

            @h.parallel_for((4, 33))
            def kernel(it: sycl.item) -> None:
                y, x = it
                total = sycl.float4(0)
                k = 0
                while k < x % 5:
                    total += src.read(sycl.float2(x + np.float32(0.25) * k, y + 0.5))
                    k += 1
                if (x + y) % 3 == 0:
                    dst.write(sycl.int2(x, y), total)
    expected = np.zeros_like(target)
    with sycl.sampled_image(pixels, sycl.image_format.r16g16b16a16_unorm, smooth) as source, \
            source.get_host_access() as here:
        for y in range(4):
            for x in range(33):
                if (x + y) % 3 == 0:
                    total = sycl.float4(0)
                    for k in range(x % 5):
                        total += here.read((np.float32(x + 0.25 * k), y + 0.5))
                    expected[y, x] = list(total)
    np.testing.assert_array_equal(target, expected)


@pytest.mark.row("B-39")
def test_one_item_may_read_and_write_anywhere(device: sycl.device, queue: sycl.queue) -> None:
    pixels = np.zeros((3, 5, 4), "f4")
    with refused(device, sycl.aspect.image), sycl.unsampled_image(pixels, RGBA32F) as image:
        @queue.submit
        def group(h: sycl.handler) -> None:
            dst = sycl.unsampled_image_accessor(image, h, sycl.write_only)

            @h.single_task
            def kernel() -> None:
                width, height = dst.get_range()
                for k in range(dst.size()):
                    dst.write((k % width, k // width), sycl.float4(k, height, 1, 0))
    assert pixels[..., 0].tolist() == np.arange(15).reshape(3, 5).tolist()
    assert pixels[2, 4].tolist() == [14, 3, 1, 0]


@pytest.mark.row("B-39")
def test_work_groups_and_helpers_use_images(device: sycl.device, queue: sycl.queue) -> None:
    pixels, out = np.random.default_rng(1).random((8, 16, 4), "f4"), np.zeros((8, 16, 4), "f4")
    with refused(device, sycl.aspect.image), sycl.unsampled_image(pixels, RGBA32F) as source, \
            sycl.unsampled_image(out, RGBA32F) as target:
        @queue.submit
        def group(h: sycl.handler) -> None:
            src = sycl.unsampled_image_accessor(source, h, sycl.read_only)
            dst = sycl.unsampled_image_accessor(target, h, sycl.write_only)
            tile = sycl.local_accessor(np.float32, (4, 8), h)

            def red(image: Any, x: int, y: int) -> Any:
                return image.read(sycl.int2(x, y)).x

            @h.parallel_for(sycl.nd_range((8, 16), (4, 8)))
            def kernel(it: sycl.nd_item) -> None:
                y, x = it.get_global_id(0), it.get_global_id(1)
                j, i = it.get_local_id(0), it.get_local_id(1)
                tile[j, i] = red(src, x, y)
                sycl.group_barrier(it.get_group())
                dst.write(sycl.int2(x, y), sycl.float4(tile[j, 7 - i]))
    expected = pixels[..., 0].reshape(8, 2, 8)[:, :, ::-1].reshape(8, 16)
    np.testing.assert_array_equal(out, np.repeat(expected[..., None], 4, axis=-1))


@pytest.mark.row("B-39", "C-13")
def test_accessors_may_be_arguments_and_members(device: sycl.device, queue: sycl.queue) -> None:
    pixels = np.arange(8, dtype="f4").reshape(2, 1, 4)
    out = np.zeros(2, "f4")

    class Summed:
        def __init__(self, image: Any) -> None:
            self.image = image

        def __call__(self, i: sycl.item, scale: float) -> None:
            v = self.image.read(sycl.int2(0, i))
            out[i] = (v.x + v.y + v.z + v.w) * scale

    with refused(device, sycl.aspect.image), sycl.unsampled_image(pixels, RGBA32F) as image:
        queue.submit(lambda h: h.parallel_for(2, Summed(
            sycl.unsampled_image_accessor(image, h, sycl.read_only)), 2.0))
        queue.wait()
    assert out.tolist() == [12, 44]


@pytest.mark.row("B-39", "E-1")
def test_commands_on_one_image_are_ordered(device: sycl.device, queue: sycl.queue) -> None:
    pixels = np.zeros((16, 16, 4), "f4")

    def add(image: sycl.unsampled_image, value: float, factor: float) -> None:
        def group(h: sycl.handler) -> None:
            src = sycl.unsampled_image_accessor(image, h, sycl.read_only)
            dst = sycl.unsampled_image_accessor(image, h, sycl.write_only)

            @h.parallel_for((16, 16))
            def kernel(it: sycl.item) -> None:
                at = sycl.int2(it[1], it[0])
                dst.write(at, src.read(at) * np.float32(factor) + np.float32(value))
        queue.submit(group)
    with refused(device, sycl.aspect.image), sycl.unsampled_image(pixels, RGBA32F) as image:
        for k in range(4):
            add(image, float(k), 2.0)
    assert np.unique(pixels).tolist() == [((0 * 2 + 1) * 2 + 2) * 2 + 3]


# ---- what is refused
@pytest.mark.row("B-39", "F-15")
def test_a_device_without_images_refuses_the_accessor(masked: sycl.queue) -> None:
    image = blank()
    with pytest.raises(sycl.exception, match=r"does not have aspect\.image") as caught:
        masked.submit(lambda h: sycl.unsampled_image_accessor(image, h, sycl.read_only))
    assert caught.value.code() == sycl.errc.feature_not_supported
    # In a host task no device is involved.
    masked.submit(lambda h: sycl.unsampled_image_accessor(image, h, sycl.read_only_host_task))


@pytest.mark.row("B-39")
@pytest.mark.parametrize("mode", [(), (sycl.read_write,), (sycl.access_mode.read_write,)])
def test_a_command_reads_or_writes(device: sycl.device, queue: sycl.queue, mode: Any) -> None:
    image = blank()
    with pytest.raises(sycl.exception, match="read_only or write_only") as caught:
        queue.submit(lambda h: sycl.unsampled_image_accessor(image, h, *mode))
    assert caught.value.code() == sycl.errc.invalid


@pytest.mark.row("B-39")
def test_arguments_that_mean_nothing_are_refused(device: sycl.device, queue: sycl.queue) -> None:
    image = blank()
    for wrong, text in (((sycl.read_only, 3), "did not expect 3"),
                        ((sycl.read_only, sycl.no_init), "contradict"),
                        ((sycl.read_only, sycl.int2), "not as int2")):
        with pytest.raises(sycl.exception, match=text):
            queue.submit(lambda h, wrong=wrong: sycl.unsampled_image_accessor(image, h, *wrong))
    with pytest.raises(sycl.exception, match="the handler is missing"):
        sycl.unsampled_image_accessor(image, sycl.read_only)
    frozen = np.zeros((3, 5, 4), "f4")
    frozen.flags.writeable = False
    const = sycl.unsampled_image(frozen, RGBA32F)
    with pytest.raises(sycl.exception, match="read-only array"):
        queue.submit(lambda h: sycl.unsampled_image_accessor(const, h, sycl.write_only))
    with pytest.raises(sycl.exception, match="read-only array"):
        const.get_host_access(sycl.read_write)
    with const.get_host_access() as here:
        assert here.mode is sycl.access_mode.read


@pytest.mark.row("B-39")
def test_an_accessor_works_in_its_own_command_only(device: sycl.device, queue: sycl.queue) -> None:
    image, kept = blank(), []

    def kernel(i: sycl.item) -> None:
        kept[0].write((i, 0), sycl.float4(1))

    def reading(acc: Any) -> Any:
        def kernel(i: sycl.item) -> None:
            acc.read((i, 0))
        return kernel

    def group(h: sycl.handler) -> None:
        kept.append(sycl.unsampled_image_accessor(image, h, sycl.read_only))
    with refused(device, sycl.aspect.image):
        queue.submit(group)
        with pytest.raises(sycl.exception, match="outside its command group"):
            queue.submit(lambda h: h.parallel_for(1, reading(kept[0])))
        with pytest.raises(sycl.exception, match="shortcut of the queue"):
            queue.parallel_for(1, reading(kept[0]))
        with pytest.raises(sycl.exception, match="only inside the command"):
            kept[0].read((0, 0))


@pytest.mark.row("B-39", "C-13")
def test_images_themselves_are_no_kernel_arguments(device: sycl.device, queue: sycl.queue) -> None:
    image = blank()
    sampled = sycl.sampled_image(np.zeros((2, 2, 4), "u1"), RGBA8, pictures.sampler(
        "clamp", normalized=False, linear=False))

    for thing in (image, sampled):
        def kernel(i: sycl.item, thing: Any = thing) -> None:
            thing.read(i)
        with pytest.raises(sycl.exception, match="make an accessor of it"):
            queue.parallel_for(1, lambda i, it: it.read(i), thing)
    host = image.get_host_access()
    with pytest.raises(sycl.exception, match="unsampled_image_accessor inside the command group"):
        queue.parallel_for(1, lambda i, it: it.read(i), host)


@pytest.mark.row("B-39", "A-11")
def test_an_image_beyond_the_limits_of_the_device_is_refused(
        device: sycl.device, queue: sycl.queue) -> None:
    most = device.get_info(sycl.info.device.image2d_max_width)
    image = sycl.unsampled_image(sycl.image_format.r8g8b8a8_unorm, most + 1)
    with refused(device, sycl.aspect.image), pytest.raises(
            sycl.exception, match="exceeds") as caught:
        queue.submit(lambda h: sycl.unsampled_image_accessor(image, h, sycl.read_only))
    assert caught.value.code() == sycl.errc.invalid


@pytest.mark.part("B-39", "D-60")
def test_the_host_device_traps_pixels_outside(device: sycl.device) -> None:
    if not device.has(sycl.aspect.host_debuggable):
        pytest.skip("only the host device checks every coordinate")
    queue = sycl.queue(device)
    image = blank()

    def group(h: sycl.handler) -> None:
        dst = sycl.unsampled_image_accessor(image, h, sycl.write_only)
        h.parallel_for(7, lambda i: dst.write((i, 0), sycl.float4(1)))
    queue.submit(group)
    with pytest.raises(sycl.exception, match="x = 5 is outside the image 'dst'"):
        queue.wait_and_throw()
    exact = pictures.sampler("none", normalized=True, linear=False)
    sampled = sycl.sampled_image(np.zeros((2, 2, 4), "u1"), RGBA8, exact)
    with sampled.get_host_access() as here:
        for wrong, text in (((1.0, 0.5), "outside it"), ((np.nan, 0.5), "not finite")):
            with pytest.raises(sycl.exception, match=text):
                here.read(wrong)


# ---- host tasks
@pytest.mark.row("B-39", "B-34")
def test_host_tasks_read_and_write(queue: sycl.queue) -> None:
    pixels = np.zeros((3, 5, 4), "f4")
    with sycl.unsampled_image(pixels, RGBA32F) as image:
        @queue.submit
        def fill(h: sycl.handler) -> None:
            dst = sycl.unsampled_image_accessor(image, h, sycl.write_only,
                                                sycl.image_target.host_task)
            h.host_task(lambda: dst.write((1, 2), sycl.float4(1, 2, 3, 4)))

        @queue.submit
        def double(h: sycl.handler) -> None:
            src = sycl.unsampled_image_accessor(image, h, sycl.read_only_host_task)
            dst = sycl.unsampled_image_accessor(image, h, sycl.write_only_host_task)
            h.host_task(lambda: dst.write((0, 0), src.read((1, 2)) * 2))
    assert pixels[2, 1].tolist() == [1, 2, 3, 4]
    assert pixels[0, 0].tolist() == [2, 4, 6, 8]


@pytest.mark.row("B-39", "B-34")
def test_targets_are_kept_apart(device: sycl.device, queue: sycl.queue) -> None:
    image = blank()

    def in_kernel(h: sycl.handler) -> None:
        src = sycl.unsampled_image_accessor(image, h, sycl.read_only_host_task)
        h.parallel_for(1, lambda i: src.read((i, 0)))
    with pytest.raises(sycl.exception, match="is for host tasks"):
        queue.submit(in_kernel)
    if not device.has(sycl.aspect.image):
        return

    def in_task(h: sycl.handler) -> None:
        src = sycl.unsampled_image_accessor(image, h, sycl.read_only)
        h.host_task(lambda: src.read((0, 0)))
    own = sycl.queue(device)
    own.submit(in_task)
    with pytest.raises(sycl.exception, match="image_target.host_task"):
        own.wait_and_throw()


@pytest.mark.row("B-39")
@pytest.mark.row("I-1")
def test_host_tasks_get_the_pixels_of_the_backend(
        device: sycl.device, queue: sycl.queue) -> None:
    pixels = np.zeros((3, 5, 4), "u1")
    own, seen = device.get_backend(), []
    with refused(device, sycl.aspect.image), sycl.unsampled_image(pixels, RGBA8) as image:
        @queue.submit
        def group(h: sycl.handler) -> None:
            dst = sycl.unsampled_image_accessor(image, h, sycl.write_only)

            def task(handle: sycl.interop_handle) -> None:
                seen.append(handle.get_native_mem(dst))
            h.host_task(task)
        queue.wait()
        assert len(sycl.get_native(own, image)) <= 1
        if own in (sycl.backend.cpu, sycl.backend.host):
            assert seen[0].shape == (3, 5)
            seen[0].view("u4")[1, 2] = 0x04030201
            assert pixels[1, 2].tolist() == [1, 2, 3, 4]


# ---- the host
@pytest.mark.row("B-41")
def test_the_host_sees_what_kernels_wrote_and_they_what_it_wrote(
        device: sycl.device, queue: sycl.queue) -> None:
    image = blank()
    with image.get_host_access(sycl.write_only) as here:
        here.write((4, 2), sycl.float4(1, 2, 3, 4))
    copied = blank()
    with refused(device, sycl.aspect.image):
        pictures.copy(queue, image, copied, sycl.float4)
    with sycl.host_unsampled_image_accessor(copied, sycl.read_only) as here:
        assert list(here.read(sycl.int2(4, 2))) == [1, 2, 3, 4]
        assert here.size() == 15
        assert here.value_type is sycl.float4
        with pytest.raises(sycl.exception, match="read-only here"):
            here.write((0, 0), sycl.float4(0))


@pytest.mark.row("B-41", "E-8")
def test_commands_wait_for_the_host_to_close(device: sycl.device, queue: sycl.queue) -> None:
    image, copied = blank(), blank()
    with refused(device, sycl.aspect.image), image.get_host_access() as here:
        pictures.copy(queue, image, copied, sycl.float4)
        here.write((0, 0), sycl.float4(5))
    with copied.get_host_access() as here:
        assert list(here.read((0, 0))) == [5] * 4
    with pytest.raises(sycl.exception, match="is closed"):
        here.read((0, 0))
    assert not here.is_open()


@pytest.mark.row("B-41")
def test_a_forgotten_host_accessor_lets_go(device: sycl.device, queue: sycl.queue) -> None:
    image, copied = blank(), blank()
    image.get_host_access().write((0, 0), sycl.float4(3))
    gc.collect()
    with refused(device, sycl.aspect.image):
        pictures.copy(queue, image, copied, sycl.float4)
        queue.wait()
    image.close()
    copied.close()


@pytest.mark.row("B-41")
def test_the_host_samples(queue: sycl.queue) -> None:
    smooth = pictures.sampler("repeat", normalized=True, linear=True)
    with sycl.sampled_image(np.array([[0, 0, 0, 0], [4, 8, 12, 16]], "f4"), RGBA32F,
                            smooth) as image, image.get_host_access(sycl.half4) as here:
        assert list(here.read(0.5)) == [2, 4, 6, 8]
        assert here.read(np.float32(0.25)).dtype == sycl.half4.dtype
        for wrong, text in ((1, "float32 coordinates"), ((0.5, 0.5), r"1 dimension\(s\)"),
                            (np.float64(0.5), "convert it first")):
            with pytest.raises(sycl.exception, match=text):
                here.read(wrong)


@pytest.mark.row("E-27")
def test_one_image_is_read_and_written_where_a_device_can(
        device: sycl.device, queue: sycl.queue) -> None:
    pixels = np.arange(3 * 5 * 4, dtype=np.float32).reshape(3, 5, 4)
    expected = 2 * pixels
    form = sycl.image_format.r32g32b32a32_sfloat
    with refused(device, sycl.aspect.image), sycl.unsampled_image(pixels, form) as image:
        @queue.submit
        def group(h: sycl.handler) -> None:
            old = sycl.unsampled_image_accessor(image, h, sycl.read_only)
            new = sycl.unsampled_image_accessor(image, h, sycl.write_only)

            @h.parallel_for((3, 5))
            def kernel(it: sycl.item) -> None:
                at = sycl.int2(it[1], it[0])  # its own pixel, so nothing is between the two
                new.write(at, 2 * old.read(at))
    np.testing.assert_array_equal(pixels, expected)


@pytest.mark.row("E-27")
def test_a_device_that_cannot_refuses_reading_and_writing_one_image(
        device: sycl.device, queue: sycl.queue, monkeypatch: pytest.MonkeyPatch) -> None:
    pixels = np.zeros((3, 5, 4), np.float32)
    monkeypatch.setitem(device.state.info.details, "image_read_write", False)
    form = sycl.image_format.r32g32b32a32_sfloat
    with refused(device, sycl.aspect.image), sycl.unsampled_image(pixels, form) as image, \
            sycl.unsampled_image(np.zeros_like(pixels), form) as other:
        def both(h: sycl.handler) -> None:
            sycl.unsampled_image_accessor(image, h, sycl.read_only)
            sycl.unsampled_image_accessor(image, h, sycl.read_only)
            sycl.unsampled_image_accessor(other, h, sycl.write_only)
            sycl.unsampled_image_accessor(image, h, sycl.write_only)
        with pytest.raises(sycl.exception, match="read one image and write another") as caught:
            queue.submit(both)
        assert sycl.errc.feature_not_supported == caught.value.code()
