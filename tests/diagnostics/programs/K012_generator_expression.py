"""A generator expression."""

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    a[i] = sum(x for x in (1, 2, 3))


def launch(queue):
    queue.parallel_for(8, kernel)
