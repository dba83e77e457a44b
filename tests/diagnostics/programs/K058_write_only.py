"""A write-only accessor is read."""

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


buffer = sycl.buffer(np.zeros(8, np.int32))


def group(h):
    w = sycl.accessor(buffer, h, sycl.write_only)

    def kernel(i):
        a[i] = w[i]
        w[i] += 1
    h.parallel_for(8, kernel)


def launch(queue):
    queue.submit(group)
