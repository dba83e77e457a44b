"""A global that can change."""

import numpy as np

import unisycl as sycl

ROWS = ("D-59",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


WEIGHTS = [1, 2]
TABLE = {'x': 1}


def kernel(i):
    a[i] = WEIGHTS[0]
    a[i] += TABLE['x']


def launch(queue):
    queue.parallel_for(8, kernel)
