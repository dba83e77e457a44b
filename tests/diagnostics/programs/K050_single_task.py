"""A group function in a single task."""

import numpy as np

import unisycl as sycl

ROWS = ("D-37",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel():
    a[0] = sycl.reduce_over_group(a, 1, sycl.plus)


def launch(queue):
    queue.single_task(kernel)
