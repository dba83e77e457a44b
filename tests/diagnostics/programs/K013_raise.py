"""An exception is raised."""

import numpy as np

import unisycl as sycl

ROWS = ("D-56",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    if a[i] < 0:
        raise ValueError('negative')


def launch(queue):
    queue.parallel_for(8, kernel)
