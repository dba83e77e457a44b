"""A name that does not exist."""

import numpy as np

import unisycl as sycl

ROWS = ("D-62",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    a[i] = zzzqqq


def launch(queue):
    queue.parallel_for(8, kernel)
