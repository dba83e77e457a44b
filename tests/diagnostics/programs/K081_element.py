"""An element that a vec does not have."""

import numpy as np

import unisycl as sycl

ROWS = ("D-7",)
a = np.zeros(8, sycl.float4)


def kernel(i):
    v = a[i]
    x = v[4]
    v[7] = 1
    y = v.xyz[3]
    z = v.swizzle(0, 9)
    w = v.s7
    u = v.xyzz.foo


def launch(queue):
    queue.parallel_for(8, kernel)
