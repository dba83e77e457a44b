"""A vec where a number is needed."""

import numpy as np

import unisycl as sycl

ROWS = ("D-5",)
a = np.zeros(8, sycl.float4)
f = np.zeros(8, np.float32)


def kernel(i):
    if a[i] == a[i]:
        f[i] = 1
    f[i] = a[i]
    x = np.float32(a[i])
    y = a[i] > 0 and a[i] < 1
    while a[i]:
        pass


def launch(queue):
    queue.parallel_for(8, kernel)
