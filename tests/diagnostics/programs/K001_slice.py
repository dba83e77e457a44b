"""A slice of memory."""

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    b = a[1:3]
    a[i] = b[0]


def launch(queue):
    queue.parallel_for(8, kernel)
