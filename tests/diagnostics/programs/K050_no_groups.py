"""A barrier in a single task and a plain range."""

import numpy as np

import unisycl as sycl

ROWS = ("D-37",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


ITEM = None


def kernel(i):
    a[i] = sycl.reduce_over_group(ITEM.get_group(), 1, sycl.plus)


def launch(queue):
    queue.parallel_for(8, kernel)
