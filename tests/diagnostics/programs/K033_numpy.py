"""NumPy functions without a meaning on a device."""

import numpy as np

import unisycl as sycl

ROWS = ("D-61",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    a[i] = np.linalg.svd(a)
    a[i] = np.cumsum(a)
    a[i] = np.random.rand()
    a[i] = np.dot(a, a)


def launch(queue):
    queue.parallel_for(8, kernel)
