"""A functor changes its attributes."""

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


class Kernel:
    def __init__(self):
        self.count = 0

    def __call__(self, i):
        self.count = i
        self.count += 1
        a[i] = self.count


def launch(queue):
    queue.parallel_for(8, Kernel())
