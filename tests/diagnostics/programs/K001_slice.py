"""Slices with a step, and of several dimensions."""

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
a = np.zeros(8, np.float32)
b = np.zeros((4, 4), np.float32)


def kernel(i):
    every = a[1:7:2]
    a[i] = every[0]
    rows = b[1:3]
    rows[0][0] = 1


def launch(queue):
    queue.parallel_for(8, kernel)
