"""Strings are put together and taken apart."""

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


MODE = "fast"


def kernel(i):
    x = "a" + "b"
    y = MODE[i]
    z = str(i)
    w = "%d" % i


def launch(queue):
    queue.parallel_for(8, kernel)
