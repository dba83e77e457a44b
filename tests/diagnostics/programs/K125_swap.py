"""Records that are to change places, but have names and no copies."""

import numpy as np

import unisycl as sycl

ROWS = ("D-10",)
a = np.zeros(8, [("key", "i4"), ("value", "f4")])


def kernel(i):
    t = a[i]
    a[i] = a[7 - i]
    a[7 - i] = t

    a[i], a[i + 1] = a[i + 1], a[i]


def launch(queue):
    queue.parallel_for(1, kernel)
