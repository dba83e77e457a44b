"""Ballots and sorts over what is no sub-group, no group, and no number."""

import numpy as np

import unisycl as sycl

ROWS = ("M-5", "M-6")
x = np.zeros(8, np.float32)


def kernel(it):
    g = it.get_group()
    m = sycl.ext.oneapi.group_ballot(g, True)
    k = sycl.ext.oneapi.experimental.sort_over_group(5, x[0])
    s = sycl.ext.oneapi.experimental.sort_over_group(g, g)
    sycl.ext.oneapi.experimental.joint_sort(g, 3)
    sycl.shift_group_left(g, 1)


def launch(queue):
    queue.parallel_for(sycl.nd_range(8, 8), kernel)
