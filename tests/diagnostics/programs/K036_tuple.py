"""Elements of tuples and ids are assigned."""

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    t = (1, 2)
    t[0] = 3
    i[0] = 1


def launch(queue):
    queue.parallel_for(8, kernel)
