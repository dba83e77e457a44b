"""A function with star arguments."""

import numpy as np

import unisycl as sycl

ROWS = ("D-57",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def helper(x, **rest):
    return x


def kernel(i):
    a[i] = helper(1, 2)


def launch(queue):
    queue.parallel_for(8, kernel)
