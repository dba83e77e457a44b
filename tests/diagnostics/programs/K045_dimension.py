"""A dimension there is none of."""

import numpy as np

import unisycl as sycl

ROWS = ("D-15",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(it):
    a[it.get_global_id(1)] = it.get_local_range(2)
    a[0] = it.get_global_id()[3]
    a[0] = a.get_range(1)


def launch(queue):
    queue.parallel_for(sycl.nd_range(8, 4), kernel)
