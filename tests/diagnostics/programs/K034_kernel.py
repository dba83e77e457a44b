"""A kernel takes more arguments than the launch passes."""

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i, x, y):
    a[i] = x + y


def launch(queue):
    queue.parallel_for(8, kernel, 1.0)
