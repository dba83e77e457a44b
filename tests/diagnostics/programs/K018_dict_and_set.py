"""A dict, a set and their comprehensions."""

import numpy as np

import unisycl as sycl

ROWS = ("D-58",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    d = {**{}}
    s = {1, 2}
    e = {x: x for x in (1, 2)}
    f = [x for x in (1, 2)]
    a[i] = list((1, 2))[0] + dict()[1]


def launch(queue):
    queue.parallel_for(8, kernel)
