"""Samplers that an image cannot be read through, and an array of images read as one."""

import numpy as np

import unisycl as sycl

ROWS = ("B-38", "B-40", "D-60")
kind = sycl.coordinate_normalization_mode
turning = sycl.image_sampler(sycl.addressing_mode.repeat, kind.unnormalized,
                             sycl.filtering_mode.nearest)
smooth = sycl.image_sampler(sycl.addressing_mode.clamp, kind.normalized,
                            sycl.filtering_mode.linear)
whole = sycl.unsampled_image(np.zeros((4, 4, 4), np.uint8), sycl.image_format.r8g8b8a8_uint)
several = sycl.unsampled_image(sycl.image_format.r8g8b8a8_unorm, (4, 4, 4))


def group(h):
    src = sycl.unsampled_image_accessor(whole, h, sycl.read_only)
    rows = sycl.unsampled_image_accessor(several, h, sycl.read_only, array=True)

    def kernel(i):
        src(turning)[0.5, 0.5]
        src(smooth)[0.5, 0.5]
        src(3)
        src(smooth, turning)
        rows.read((i, i))
        rows[0.5]
        src[i, i] = sycl.uint4(1)
    h.parallel_for(4, kernel)


def launch(queue):
    queue.submit(group)
