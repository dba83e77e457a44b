"""A helper is called with too few and too many arguments."""

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def helper(x, y=2, *, z=3):
    return x + y + z


def kernel(i):
    a[i] = helper()
    a[i] = helper(1, 2, 3)
    a[i] = helper(1, w=3)


def launch(queue):
    queue.parallel_for(8, kernel)
