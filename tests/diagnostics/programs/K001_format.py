"""Formats that are computed."""

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    print(f"{a[i]:.{n[i]}f}")
    print(f"{a[i]!r:5f}")


def launch(queue):
    queue.parallel_for(8, kernel)
