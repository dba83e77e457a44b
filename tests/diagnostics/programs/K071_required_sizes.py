"""Two functions of one kernel require work-groups of different sizes."""

import numpy as np

import unisycl as sycl

ROWS = ("C-29",)
a = np.zeros(8, np.float32)


@sycl.kernel(reqd_work_group_size=4)
def helper(x):
    return x + 1


@sycl.kernel(reqd_work_group_size=8)
def kernel(it):
    a[it.get_global_id(0)] = helper(1)


def launch(queue):
    queue.parallel_for(sycl.nd_range(8, 8), kernel)
