"""Coordinates of another type than the image takes, and of another number of dimensions."""

import numpy as np

import unisycl as sycl

ROWS = ("B-39", "D-60")
form = sycl.image_format.r8g8b8a8_unorm
smooth = sycl.image_sampler(sycl.addressing_mode.clamp,
                            sycl.coordinate_normalization_mode.normalized,
                            sycl.filtering_mode.linear)
sampled = sycl.sampled_image(np.zeros((4, 4, 4), np.uint8), form, smooth)
plain = sycl.unsampled_image(np.zeros((4, 4, 4), np.uint8), form)
wide = np.zeros(4)


def group(h):
    src = sycl.sampled_image_accessor(sampled, h)
    dst = sycl.unsampled_image_accessor(plain, h, sycl.write_only)

    def kernel(i):
        src.read(sycl.int2(i, i))
        src.read((wide[i], 0.5))
        dst.write((0.5, i), sycl.float4(1))
    h.parallel_for(4, kernel)


def launch(queue):
    queue.submit(group)
