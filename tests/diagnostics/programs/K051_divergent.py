"""A barrier that part of the group reaches."""

import numpy as np

import unisycl as sycl

ROWS = ("D-37",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(it):
    if it.get_local_id(0) < 2:
        sycl.group_barrier(it.get_group())
    a[it.get_global_id(0)] = 1


def launch(queue):
    queue.parallel_for(sycl.nd_range(8, 4), kernel)
