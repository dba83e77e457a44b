"""Python functions that a kernel cannot call."""

import numpy as np

import unisycl as sycl

ROWS = ("D-60", "D-61")
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    x = input("x")
    f = open("x")
    y = map(abs, (1, 2))
    z = id(i)
    w = hash(i)


def launch(queue):
    queue.parallel_for(8, kernel)
