"""Kernels and helpers use features that they do not list."""

import numpy as np

import unisycl as sycl

ROWS = ("C-31",)
a = np.zeros(8, np.float32)
d = np.zeros(8, np.float64)


@sycl.device_has(sycl.aspect.fp16)
def helper(x):
    return np.float64(x)


@sycl.device_has(sycl.aspect.fp64)
def wide(x):
    return x


@sycl.kernel(device_has=sycl.aspect.fp16)
def kernel(i):
    a[i] = np.float16(a[i]) + 1
    d[i] = 1
    a[i] = helper(1.0)
    a[i] = wide(1.0)


def launch(queue):
    queue.parallel_for(8, kernel)
