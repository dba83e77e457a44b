"""Names that only ever stand for numbers below zero."""

import numpy as np

import unisycl as sycl

ROWS = ("D-62",)
a = np.zeros(8, np.float32)


def kernel(i):
    for k in range(-3, 0):
        a[k] = 1
    below = ~i
    a[below] = 2


def launch(queue):
    queue.parallel_for(8, kernel)
