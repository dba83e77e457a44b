"""Arrays of sizes that do not exist or do not match."""

import numpy as np

import unisycl as sycl

ROWS = ("D-9",)
a = np.zeros(8, sycl.mfloat4)
v = np.zeros(8, sycl.float4)


def kernel(i):
    none = sycl.marray(np.float32, 0)(1)
    short = sycl.mfloat4(1, 2, 3)
    mixed = a[i] + sycl.mfloat3(1)
    other = a[i] + v[i]
    x = a[i].x
    w = a[i] % 2
    y = sycl.cross(v[i], v[i].xyz)
    z = sycl.cross(v[i].xy, v[i].xy)


def launch(queue):
    queue.parallel_for(8, kernel)
