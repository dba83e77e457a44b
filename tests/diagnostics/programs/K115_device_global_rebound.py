"""Assigning the name of a device_global, which would bind it anew on the host device."""

import numpy as np

import unisycl as sycl

ROWS = ("G-8", "G-23")
total = sycl.ext.oneapi.experimental.device_global(np.int32)


def kernel(i):
    global total
    total = 3
    total += 1


def launch(queue):
    queue.parallel_for(8, kernel)
