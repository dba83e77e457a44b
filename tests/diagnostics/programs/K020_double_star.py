"""A keyword dictionary at a call."""

import numpy as np

import unisycl as sycl

ROWS = ("D-57",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)




def helper(x, y):
    return x + y


def kernel(i):
    a[i] = helper(**i)


def launch(queue):
    queue.parallel_for(8, kernel)
