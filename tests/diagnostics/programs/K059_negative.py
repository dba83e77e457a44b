"""A negative index."""

import numpy as np

import unisycl as sycl

ROWS = ("D-62",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    a[i] = a[-1]
    a[-2] = 1


def launch(queue):
    queue.parallel_for(8, kernel)
