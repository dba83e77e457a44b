"""A loop with an else branch."""

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    for j in range(4):
        if a[j] > 1:
            break
    else:
        a[i] = 1


def launch(queue):
    queue.parallel_for(8, kernel)
