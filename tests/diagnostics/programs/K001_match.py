"""Patterns of a match statement that no device can try."""

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    match n[i]:
        case np.int32(1):
            a[i] = 1
        case _:
            a[i] = 2
    match a:
        case [x, *_]:
            a[i] = x
    match n[i], 1:
        case (x, 2) | (2, x):
            a[i] = x
    match n[i]:
        case {"x": 1}:
            a[i] = 3


def launch(queue):
    queue.parallel_for(8, kernel)
