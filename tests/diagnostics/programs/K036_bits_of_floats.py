"""A built-in function on types it does not take."""

import numpy as np

import unisycl as sycl

ROWS = ("D-27",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    x = sycl.popcount(a[i])
    y = sycl.clz(1.5)
    z = sycl.abs(np.bool_(True))


def launch(queue):
    queue.parallel_for(8, kernel)
