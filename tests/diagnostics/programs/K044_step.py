"""A range whose step is not known."""

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    for j in range(0, 10, n[i]):
        a[i] += j
    for j in range(0, 10, 0):
        a[i] += j


def launch(queue):
    queue.parallel_for(8, kernel)
