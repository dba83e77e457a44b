"""A captured record is changed."""

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


one = np.zeros(1, [("x", np.int32)])[0]


def kernel(i):
    one['x'] = 3


def launch(queue):
    queue.parallel_for(8, kernel)
