"""Reductions of several variables, used as one or read; a variable that is not there."""

import numpy as np

import unisycl as sycl

ROWS = ("D-44", "D-45")
cells = np.zeros(4, np.int32)
one = np.zeros(1, np.int32)


def kernel(i, r, s):
    r += i
    r.combine(i)
    x = r[1]
    y = x + 1
    r[4] += 1
    r[0.5] += 1
    r[i] -= 1
    r[0] = 5
    s[0] += 1
    s[0][0] += 1


def launch(queue):
    queue.parallel_for(8, sycl.reduction(cells, sycl.plus), sycl.reduction(one, sycl.plus), kernel)
