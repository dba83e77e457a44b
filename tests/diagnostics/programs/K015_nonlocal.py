"""A captured variable is changed."""

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def make():
    total = 0

    def kernel(i):
        nonlocal total
        total += 1
    return kernel


def launch(queue):
    queue.parallel_for(8, make())
