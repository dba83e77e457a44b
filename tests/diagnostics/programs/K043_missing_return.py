"""Functions that return a vector, which may not be None, on some paths only."""

import numpy as np

import unisycl as sycl

ROWS = ("D-62",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def sign(x):
    if x > 0:
        return sycl.float2(1, 1)
    elif x < 0:
        return sycl.float2(-1, -1)


def early(x):
    if x > 3:
        return
    return sycl.float2(x, x)


def kernel(i):
    a[i] = sign(n[i]).x
    a[i] += early(n[i]).y


def launch(queue):
    queue.parallel_for(8, kernel)
