"""Operators on types that have none."""

import numpy as np

import unisycl as sycl

ROWS = ("D-62",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    x = a[i] << 2
    y = np.bool_(True) - np.bool_(False)
    z = ~a[i]
    w = (1, 2) * 1.5
    v = n[i] ** -1
    u = -np.bool_(True)
    s = a[i] @ a[i]


def launch(queue):
    queue.parallel_for(8, kernel)
