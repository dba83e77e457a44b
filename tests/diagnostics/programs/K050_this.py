"""The work-item of an nd_range, asked for in a kernel over a plain range."""

import numpy as np

import unisycl as sycl

ROWS = ("D-54",)
x = np.zeros(8, np.int64)


def helper():
    return sycl.this_nd_item().get_global_id(0)


def kernel(i):
    x[i] = helper()
    s = sycl.this_sub_group()
    g = sycl.this_group(1)


def launch(queue):
    queue.parallel_for(8, kernel)
