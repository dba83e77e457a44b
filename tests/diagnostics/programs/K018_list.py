"""Lists that change, and a list of what is no constant."""

import numpy as np

import unisycl as sycl

ROWS = ("D-58",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    values = [1, 2, 3]
    values[0] = 2
    values += [4]
    values.append(5)
    same = values == (1, 2, 3)
    kind = isinstance(values, list)
    other = list(n)
    a[i] = values
    a[i] = [i]


def launch(queue):
    queue.parallel_for(8, kernel)
