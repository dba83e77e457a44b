"""A name that is a number on one path and a vec on another."""

import numpy as np

import unisycl as sycl

ROWS = ("D-5",)
a = np.zeros(8, np.int32)


def kernel(i):
    x = 1
    if a[i] > 0:
        x = sycl.float4(0)
    a[i] = x
    y = sycl.float4(0)
    if a[i] > 1:
        y = sycl.int4(0)
    z = sycl.float4(0)
    for k in range(3):
        z = z.lo
    a[i] = x.x + y.x


def launch(queue):
    queue.parallel_for(8, kernel)
