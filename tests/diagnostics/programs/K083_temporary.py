"""Elements of what no name and no memory keeps."""

import numpy as np

import unisycl as sycl

ROWS = ("D-7",)
a = np.zeros(8, sycl.float4)


def twice(v):
    return v + v


def kernel(i):
    (a[i] + 1).x = 2
    twice(a[i]).lo.y = 3
    sycl.float4(0)[1] = 4


def launch(queue):
    queue.parallel_for(8, kernel)
