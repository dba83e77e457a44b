"""A problem in a helper is reported once, with the way to it."""

import numpy as np

import unisycl as sycl

ROWS = ("D-62",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def inner(x):
    return x.wrong


def outer(x):
    return inner(x) + 1


def kernel(i):
    a[i] = outer(n[i])
    a[i] += outer(n[i])


def launch(queue):
    queue.parallel_for(8, kernel)
