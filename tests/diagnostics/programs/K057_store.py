"""Literals that do not fit in the memory they are stored in."""

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
a = np.zeros(8, np.uint8)
pair = np.zeros(8, [("x", np.int16), ("y", np.uint32)])


def kernel(i):
    a[i] = 300
    a[i] = -1
    a[i] = 255
    a[i] = np.int64(300)
    a[i] = i * 300
    pair[i].x = 40000
    pair[i]["y"] = -1
    a[i], pair[i].x = 5, 1 << 15


def launch(queue):
    queue.parallel_for(8, kernel)
