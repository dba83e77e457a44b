"""Uses of names that may be None, where nothing shows that they are not."""

import numpy as np

import unisycl as sycl  # noqa: F401

ROWS = ("D-10",)
a, out = np.zeros((4, 4), np.int32), np.zeros(4)


def find(row, key):
    for k in range(4):
        if row[k] == key:
            return k
    return None


def kernel(i):
    best = None
    for k in range(4):
        if a[i, k] > 3:
            best = a[i, k]
    out[i] = best
    if best is None or a[i, 0] > 2:
        out[i] = best + 1
    place = find(a[i], 5)
    out[i] += a[i, place]


def launch(queue):
    queue.parallel_for(4, kernel)
