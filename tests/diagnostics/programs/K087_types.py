"""Numbers whose type depends on the path, where it makes a difference."""

import numpy as np

import unisycl as sycl

ROWS = ("D-62",)
a = np.zeros(8, np.float32)
d = np.zeros(8, np.float64)
n = np.zeros(8, np.int32)
b = np.zeros(8, np.uint8)


def either(x):
    if x > 0:
        return n[0]
    return a[0]


def kernel(i):
    x = a[i]
    if n[i] > 0:
        x = d[i]
    a[i] = x * np.float32(0.1)
    y = n[i] if n[i] > 2 else b[i]
    d[i] = y + 1
    a[i] = either(n[i]) * 3
    t = b[i]
    for _ in range(4):
        a[i] = t / 2
        t = a[i]


def launch(queue):
    queue.parallel_for(8, kernel)
