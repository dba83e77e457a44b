"""A loop that may be left gives a name another kind of tuple in each turn."""

import numpy as np

import unisycl as sycl

ROWS = ("D-62",)
a = np.zeros(8, np.float32)


def kernel(i):
    p = (0,)
    for t in (1, 2, 3):
        if i[0] == t:
            break
        p = p + (t,)
    a[i] = p[0]


def launch(queue):
    queue.parallel_for(8, kernel)
