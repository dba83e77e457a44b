"""Functions that call each other."""

import numpy as np

import unisycl as sycl

ROWS = ("D-55",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def even(x):
    return True if x == 0 else odd(x - 1)


def odd(x):
    return False if x == 0 else even(x - 1)


def kernel(i):
    a[i] = even(i)


def launch(queue):
    queue.parallel_for(8, kernel)
