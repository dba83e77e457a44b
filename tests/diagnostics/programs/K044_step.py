"""A range whose step is 0."""

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
ZERO = 0
a = np.zeros(8, np.float32)


def kernel(i):
    for j in range(0, 10, ZERO):
        a[i] += j
    for j in range(0, 10, 0):
        a[i] += j


def launch(queue):
    queue.parallel_for(8, kernel)
