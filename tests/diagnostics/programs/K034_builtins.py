"""Builtins are called with the wrong arguments."""

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    x = sycl.sin()
    y = min()
    z = abs(1, 2)
    w = np.float32(1, 2)
    v = sycl.clamp(1.0, 2.0)
    print(i, file=None)
    for j in range(1, 2, 3, 4):
        pass


def launch(queue):
    queue.parallel_for(8, kernel)
