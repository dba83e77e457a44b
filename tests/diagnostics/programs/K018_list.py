"""A list."""

import numpy as np

import unisycl as sycl

ROWS = ("D-58",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    values = [1, 2, 3]
    a[i] = values[0]


def launch(queue):
    queue.parallel_for(8, kernel)
