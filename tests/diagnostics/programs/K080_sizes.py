"""Vectors of sizes that do not exist or do not match."""

import numpy as np

import unisycl as sycl

ROWS = ("D-3", "D-5", "D-7")
a = np.zeros(8, sycl.float4)


def kernel(i):
    five = sycl.vec(np.float32, 5)(0)
    short = sycl.float4(1, 2, 3)
    long = sycl.float2(a[i].xyz)
    mixed = a[i] + a[i].xy
    v = sycl.float4(0)
    v.xy = a[i].xyz
    w = a[i].as_(sycl.int2)
    u = a[i].swizzle(0, 1, 2, 3, 0)
    m = sycl.fmax(a[i], a[i].lo)


def launch(queue):
    queue.parallel_for(8, kernel)
