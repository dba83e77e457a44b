"""Writing what is no colour of the image's accessor, and using accessors for what they lack."""

import numpy as np

import unisycl as sycl

ROWS = ("B-39", "D-60")
plain = sycl.unsampled_image(np.zeros((4, 4, 4), np.uint8), sycl.image_format.r8g8b8a8_unorm)
other = sycl.unsampled_image(np.zeros((4, 4, 4), np.uint8), sycl.image_format.r8g8b8a8_uint)


def group(h):
    dst = sycl.unsampled_image_accessor(plain, h, sycl.write_only)
    src = sycl.unsampled_image_accessor(other, h, sycl.read_only)

    def kernel(i):
        at = sycl.int2(i, 0)
        dst.write(at, 0.5)
        dst.write(at, src.read(at))
        dst.write(at, sycl.float3(1))
        dst.read(at)
        src.write(at, sycl.uint4(1))
        src.sample(at)
        src.read()
        x = src.read(at) + dst
    h.parallel_for(4, kernel)


def launch(queue):
    queue.submit(group)
