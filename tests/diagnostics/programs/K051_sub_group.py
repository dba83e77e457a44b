"""Group functions that part of the group, or of a sub-group, reaches."""

import numpy as np

import unisycl as sycl

ROWS = ("D-37",)
a = np.zeros(64, np.float32)


def kernel(it):
    sg, g = it.get_sub_group(), it.get_group()
    lane = sg.get_local_id()[0]
    if lane == 0:
        sycl.group_barrier(g)
    x = a[it.get_global_id(0)]
    if sg.leader():
        x = sycl.reduce_over_group(sg, x, sycl.plus())
    if it.get_local_id(0) < 8:  # right in sub-groups of 8
        x += sycl.reduce_over_group(sg, x, sycl.plus())
    a[it.get_global_id(0)] = x


def launch(queue):
    queue.parallel_for(sycl.nd_range(64, 64), kernel)
