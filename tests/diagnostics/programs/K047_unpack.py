"""Too many names for the values."""

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    x, y = 1, 2, 3
    p, q = i.get_id()
    for u, v in (1, 2):
        pass


def launch(queue):
    queue.parallel_for(8, kernel)
