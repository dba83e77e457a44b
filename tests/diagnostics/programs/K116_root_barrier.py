"""A barrier over all work-groups in a kernel whose work-groups need not run together."""

import numpy as np

import unisycl as sycl

ROWS = ("H-22",)
a = np.zeros(8, np.float32)


def kernel(it):
    a[it.get_global_id(0)] = 1
    sycl.group_barrier(it.ext_oneapi_get_root_group())


def launch(queue):
    queue.parallel_for(sycl.nd_range(8, 4), kernel)
