"""Too many and too few indices."""

import numpy as np

import unisycl as sycl

ROWS = ("D-62",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


m = np.zeros((4, 4))
deep = np.zeros((2, 3, 4))


def kernel(i):
    m[i] += 1
    x = m[0, 0, 0]
    a[0, 1] = 2
    y = a[i][0]
    m[0] = (1,)
    deep[0] = 1, 2, 3


def launch(queue):
    queue.parallel_for(8, kernel)
