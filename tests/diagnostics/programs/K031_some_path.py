"""Variables that get a value on some paths only."""

import numpy as np

import unisycl as sycl

ROWS = ("D-62",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    if i > 3:
        x = 7.0
    a[i] = x
    if n[i] == 0:
        y = 1
    elif n[i] == 1:
        y = 2
    a[i] = y


def launch(queue):
    queue.parallel_for(8, kernel)
