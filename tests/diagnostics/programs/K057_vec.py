"""Integers that an element cannot hold."""

import numpy as np

import unisycl as sycl

ROWS = ("D-3", "D-5")
c = np.zeros(8, sycl.char4)


def kernel(i):
    v = sycl.char4(300)
    w = sycl.uchar2(-1, 0)
    c[i] = c[i] + 200
    v.x = 128
    c[i].y = -129


def launch(queue):
    queue.parallel_for(8, kernel)
