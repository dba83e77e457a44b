"""All problems of a kernel are reported together, each at its line."""

import numpy as np

import unisycl as sycl

ROWS = ("D-62",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


fine = 3


def helper(x):
    return x + undefined_thing


def kernel(i):
    try:
        pass
    except ValueError:
        pass
    a[i] = helper(1)
    if unknown > 3:
        a[1.5] = 2
    for j in also_unknown:
        a[i] = [j]
    while not_known:
        del j
    a[i] = fine
    b = missing
    a[i] = b * 2


def launch(queue):
    queue.parallel_for(8, kernel)
