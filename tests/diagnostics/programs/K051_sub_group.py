"""Group functions under conditions on ids in sub-groups."""

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
        x = sycl.reduce_over_group(g, x, sycl.plus())
    if sg.get_group_id()[0] * 8 < 8:  # right where sub-groups are of 64
        x += sycl.reduce_over_group(g, x, sycl.plus())
    a[it.get_global_id(0)] = x


def launch(queue):
    queue.parallel_for(sycl.nd_range(64, 64), kernel)
