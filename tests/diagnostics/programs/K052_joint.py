"""Algorithms over memory with an operator of one's own, a wrong type, and no memory at all."""

import numpy as np

import unisycl as sycl

ROWS = ("D-41", "D-42")
x = np.zeros(64, np.float32)


def kernel(it):
    g, i = it.get_group(), it.get_global_id(0)
    x[i] = sycl.joint_reduce(g, x, lambda a, b: a + b)
    x[i] = sycl.joint_reduce(g, x[1:9], 0, sycl.bit_or)
    x[i] = sycl.joint_reduce(g, i, sycl.plus)
    sycl.joint_exclusive_scan(g, x, x, sycl.logical_and)
    sycl.joint_inclusive_scan(g, x, 5, sycl.plus)
    x[i] = sycl.joint_any_of(x, x, lambda v: v > 0)


def launch(queue):
    queue.parallel_for(sycl.nd_range(64, 64), kernel)
