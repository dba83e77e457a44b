"""Values where others are needed."""

import numpy as np

import unisycl as sycl

ROWS = ("D-62",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def nothing(x):
    a[0] = x


def kernel(i):
    x = a + 1
    y = nothing(3)
    z = len(5)
    w = a[i] + None
    three = 3
    for v in three:
        pass
    u = three[0]


def launch(queue):
    queue.parallel_for(8, kernel)
