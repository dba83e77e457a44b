"""An attribute an index object does not have."""

import numpy as np

import unisycl as sycl

ROWS = ("D-62",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(it):
    a[it.get_globl_id(0)] = it.get_group_id(0)


def launch(queue):
    queue.parallel_for(sycl.nd_range(8, 4), kernel)
