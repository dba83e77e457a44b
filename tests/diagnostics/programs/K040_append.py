"""A list is appended to."""

import numpy as np

import unisycl as sycl

ROWS = ("D-58",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def make():
    results = []

    def kernel(i):
        results.append(i)
    return kernel


def launch(queue):
    queue.parallel_for(8, make())
