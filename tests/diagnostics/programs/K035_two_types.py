"""A variable of two kinds."""

import numpy as np

import unisycl as sycl

ROWS = ("D-62",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    x = 1
    if n[i] > 0:
        x = (1, 2)
    a[i] = x


def launch(queue):
    queue.parallel_for(8, kernel)
