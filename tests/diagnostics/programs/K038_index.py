"""Indices that are no integers."""

import numpy as np

import unisycl as sycl

ROWS = ("D-62",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(it):
    x = a[1.5]
    y = a[it]
    z = a[a[0]]
    pair = (1, 2)
    w = pair[0.5]
    v = a['x']


def launch(queue):
    queue.parallel_for(sycl.nd_range(8, 4), kernel)
