"""Group functions in a kernel over a plain range."""

import numpy as np

import unisycl as sycl

ROWS = ("D-37",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    sycl.group_barrier(i.get_group())
    x = i.get_local_id(0)
    sycl.group_barrier(i)


def launch(queue):
    queue.parallel_for(8, kernel)
