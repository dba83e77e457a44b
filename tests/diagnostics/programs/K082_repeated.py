"""A swizzle with an element in it twice, as a target."""

import numpy as np

import unisycl as sycl

ROWS = ("D-7",)
a = np.zeros(8, sycl.float4)


def kernel(i):
    v = sycl.float4(1)
    v.xx = a[i].xy
    a[i].xyx = 0
    v.xy.yy = v.lo


def launch(queue):
    queue.parallel_for(8, kernel)
