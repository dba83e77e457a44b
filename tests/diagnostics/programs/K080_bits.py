"""The same bytes as a type of another size."""

import numpy as np

import unisycl as sycl

ROWS = ("D-53",)
a = np.zeros(8, np.float32)


def kernel(i):
    x = sycl.bit_cast(np.int16, a[i])
    y = sycl.bit_cast(sycl.int2, sycl.float4(1))
    z = sycl.bit_cast(np.int32, 1.0)
    w = sycl.bit_cast(a[i], np.int32)


def launch(queue):
    queue.parallel_for(8, kernel)
