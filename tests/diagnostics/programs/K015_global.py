"""A global is changed."""

import numpy as np

import unisycl as sycl

ROWS = ("D-59", "D-60")
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


count = 0


def kernel(i):
    global count
    count = i


def launch(queue):
    queue.parallel_for(8, kernel)
