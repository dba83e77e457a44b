"""Slices of what is no memory, or a pointer with a step."""

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
a = np.zeros(8, np.float32)
b = np.zeros((4, 4), np.float32)


def kernel(i):
    p = sycl.global_ptr(a)
    a[i] = p[1:7:2][0]
    b[i, sycl.id(1, 2)[0:1]] = 1


def launch(queue):
    queue.parallel_for(8, kernel)
