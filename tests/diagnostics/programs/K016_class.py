"""A class inside a kernel."""

import numpy as np

import unisycl as sycl

ROWS = ("D-58",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    class Point:
        x = 1
    a[i] = Point.x


def launch(queue):
    queue.parallel_for(8, kernel)
