"""A function whose results are of different kinds."""

import numpy as np

import unisycl as sycl

ROWS = ("D-62",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def helper(x):
    if x > 0:
        return 1, 2
    return 3


def kernel(i):
    a[i] = helper(n[i])[0]


def launch(queue):
    queue.parallel_for(8, kernel)
