"""Coordinates with more or fewer components than the image has dimensions."""

import numpy as np

import unisycl as sycl

ROWS = ("B-39", "D-60")
plain = sycl.unsampled_image(np.zeros((4, 4, 4), np.uint8), sycl.image_format.r8g8b8a8_unorm)
deep = sycl.unsampled_image(sycl.image_format.r8g8b8a8_unorm, (4, 4, 4))


def group(h):
    flat = sycl.unsampled_image_accessor(plain, h, sycl.read_only)
    deep_one = sycl.unsampled_image_accessor(deep, h, sycl.write_only)

    def kernel(i):
        flat.read(i)
        flat.read((i, i, i))
        deep_one.write(sycl.int2(i, i), sycl.float4(1))
    h.parallel_for(4, kernel)


def launch(queue):
    queue.submit(group)
