"""The value of a reducer is read."""

import numpy as np

import unisycl as sycl

ROWS = ("D-45",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


out = sycl.malloc_shared(1, np.int32, sycl.queue())


def kernel(i, total):
    total += i
    a[i] = total
    total *= 2
    x = total[0]


def launch(queue):
    queue.parallel_for(8, sycl.reduction(out, sycl.plus), kernel)
