"""Images made of PyOpenCL's (SYCL 2020 §4.5.1.2, App. C.7.1)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl

OPENCL = sycl.backend.opencl
pytestmark = pytest.mark.row("I-2")
SMOOTH = sycl.image_sampler(sycl.addressing_mode.clamp_to_edge,
                            sycl.coordinate_normalization_mode.unnormalized,
                            sycl.filtering_mode.linear)


PLACES = {1: lambda i: i[0], 2: lambda i: sycl.int2(i[0], i[1]),
          3: lambda i: sycl.int4(i[0], i[1], i[2], 0)}


def native_image(cl: Any, queue: sycl.queue, pixels: Any, order: str = "RGBA",
                 kind: str = "FLOAT") -> Any:
    """Return PyOpenCL's image with pixels; skip where the device has none of the format."""
    device, context = (sycl.get_native(OPENCL, x) for x in (
        queue.get_device(), queue.get_context()))
    if not device.image_support:
        pytest.skip("refused: the device has no native images")
    form = cl.ImageFormat(getattr(cl.channel_order, order), getattr(cl.channel_type, kind))
    extent = pixels.shape[:pixels.ndim - (len(order) > 1)][::-1]
    types = (cl.mem_object_type.IMAGE1D, cl.mem_object_type.IMAGE2D, cl.mem_object_type.IMAGE3D)
    if form not in cl.get_supported_image_formats(context, cl.mem_flags.READ_WRITE,
                                                  types[len(extent) - 1]):
        pytest.skip(f"refused: the device has no native images of {order} {kind}")
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    return cl.create_image(context, flags, form, extent, hostbuf=np.ascontiguousarray(pixels))


def pixels_of(cl: Any, queue: sycl.queue, image: Any, like: Any) -> Any:
    own = cl.CommandQueue(sycl.get_native(OPENCL, queue.get_context()))
    out = np.zeros_like(like)
    region = (image.width, max(1, image.height), max(1, image.depth))
    cl._cl._enqueue_read_image(own, image, (0, 0, 0), region, out)
    return out


@pytest.mark.parametrize("shape", [(7,), (5, 7), (3, 5, 7)], ids=len)
def test_what_kernels_write_is_in_the_native_image_at_the_end(
        cl: Any, queue: sycl.queue, shape: tuple[int, ...]) -> None:
    pixels = np.arange(np.prod(shape) * 4, dtype=np.float32).reshape(*shape, 4)
    native = native_image(cl, queue, pixels)

    seen = np.zeros(shape[::-1], sycl.float4.dtype)

    def read(i: Any, image: Any, seen: Any) -> None:
        seen[i] = image.read(place(i)) + 1

    def write(i: Any, image: Any, seen: Any) -> None:
        image.write(place(i), seen[i])

    def group(h: sycl.handler, kernel: Any, mode: Any) -> None:
        accessor = sycl.unsampled_image_accessor(image, h, sycl.float4, mode)
        h.parallel_for(sycl.range(*shape[::-1]), kernel, accessor, seen)
    place = PLACES[len(shape)]
    with sycl.make_unsampled_image(OPENCL, native, queue.get_context()) as image:
        assert tuple(image.get_range()) == shape[::-1]
        queue.submit(lambda h: group(h, read, sycl.read_only)).wait()
        queue.submit(lambda h: group(h, write, sycl.write_only))
    found = np.ascontiguousarray(seen.T).view(np.float32).reshape(pixels.shape)
    np.testing.assert_array_equal(found, pixels + 1)
    np.testing.assert_array_equal(pixels_of(cl, queue, native, pixels), pixels + 1)


def test_a_native_image_is_sampled(cl: Any, queue: sycl.queue) -> None:
    pixels = np.arange(6 * 4 * 4, dtype=np.uint8).reshape(4, 6, 4) * 2
    native = native_image(cl, queue, pixels, kind="UNORM_INT8")
    out = np.zeros((5, 4), np.float32)

    def kernel(i: Any, image: Any, out: Any) -> None:
        colour = image.read(sycl.float2(i[0] + 1, 2.5))
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = colour.r, colour.g, colour.b, colour.a
    image = sycl.make_sampled_image(OPENCL, native, queue.get_context(), SMOOTH)
    queue.submit(lambda h: h.parallel_for(5, kernel, sycl.sampled_image_accessor(
        image, h, sycl.float4), out)).wait()
    row = pixels[2].astype(np.float64) / 255
    np.testing.assert_allclose(out, (row[:-1] + row[1:]) / 2, atol=2e-3)


def test_it_waits_for_the_event_that_is_given(cl: Any, queue: sycl.queue) -> None:
    pixels = np.ones((4, 4), np.float32)
    native = native_image(cl, queue, pixels, "R")
    context = queue.get_context()
    own = cl.CommandQueue(sycl.get_native(OPENCL, context))
    filled = cl.enqueue_fill_image(own, native, np.array([5, 0, 0, 0], np.float32), (0, 0, 0),
                                   (4, 4, 1))
    own.flush()
    with sycl.make_unsampled_image(OPENCL, native, context,
                                   sycl.make_event(OPENCL, filled, context)) as image:
        found = image.get_host_access(sycl.float4, sycl.read_only)
        assert found.read(sycl.int2(3, 3)).r == 5
        del found


def test_other_objects_are_refused(cl: Any, queue: sycl.queue) -> None:
    context = queue.get_context()
    theirs = sycl.get_native(OPENCL, context)
    memory = cl.Buffer(theirs, cl.mem_flags.READ_WRITE, 64)
    with pytest.raises(sycl.exception, match="BUFFER; images are made of") as caught:
        sycl.make_unsampled_image(OPENCL, memory, context)
    assert caught.value.code() == sycl.errc.feature_not_supported
    for wrong, text in ((np.zeros(4), "by buffer or unsampled_image themselves"),
                        (None, "got NoneType"), (3, "got int"),
                        (cl.CommandQueue(theirs), "belongs to no device"),
                        (theirs, "belongs to no device")):
        with pytest.raises(sycl.exception, match=text) as caught:
            sycl.make_unsampled_image(OPENCL, wrong, context)
        assert caught.value.code() == sycl.errc.invalid
    native = native_image(cl, queue, np.zeros((2, 2, 4), np.float32))
    with pytest.raises(sycl.exception, match="sampler"):
        sycl.make_sampled_image(OPENCL, native, context, None)
