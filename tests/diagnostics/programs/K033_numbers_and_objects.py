"""Things that are no functions."""

import numpy as np

import unisycl as sycl

ROWS = ("D-57",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


class Box:
    pass


box = Box()


def kernel(i):
    x = a[i](3)
    y = box(3)
    pair = (1, 2)
    z = pair(0)


def launch(queue):
    queue.parallel_for(8, kernel)
