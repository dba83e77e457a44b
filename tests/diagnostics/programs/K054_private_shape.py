"""Private arrays of shapes there are none of."""

import numpy as np

import unisycl as sycl

ROWS = ("D-58",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    w = sycl.private_array(np.float32, 0)
    v = sycl.private_array(np.float32, (1, 2, 3, 4))


def launch(queue):
    queue.parallel_for(8, kernel)
