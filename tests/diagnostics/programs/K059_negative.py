"""A negative index that is not written in the brackets."""

import numpy as np

import unisycl as sycl

ROWS = ("D-62",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    last = -1
    a[i] = a[last]
    part = a[last:]
    a[0] = part[0]


def launch(queue):
    queue.parallel_for(8, kernel)
