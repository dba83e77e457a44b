"""Stars at a call that takes more or fewer, before what is no tuple."""

import numpy as np

import unisycl as sycl

ROWS = ("D-57",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def helper(x, y=0):
    return x + y


def kernel(i):
    a[i] = helper(*n)
    a[i] = helper(*n[i])


def launch(queue):
    queue.parallel_for(8, kernel)
