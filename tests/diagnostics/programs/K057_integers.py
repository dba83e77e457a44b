"""Python integers that do not fit."""

import numpy as np

import unisycl as sycl

ROWS = ("D-1",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


b = np.zeros(8, np.uint8)


def kernel(i):
    x = b[i] + 300
    y = np.uint8(-1)
    z = n[i] & 0xFFFFFFFF
    v = n[i] + (1 << 70)


def launch(queue):
    queue.parallel_for(8, kernel)
