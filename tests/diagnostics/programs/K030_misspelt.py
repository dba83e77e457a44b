"""A name that is misspelt."""

import numpy as np

import unisycl as sycl

ROWS = ("D-62",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    total = 1
    a[i] = totl * i


def launch(queue):
    queue.parallel_for(8, kernel)
