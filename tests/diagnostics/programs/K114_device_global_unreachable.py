"""A device_global whose name means something else by now."""

import numpy as np

import unisycl as sycl

ROWS = ("G-1",)
total = sycl.ext.oneapi.experimental.device_global(np.int32)
kept = (total,)
total = 0


def kernel(i):
    kept[0][()] += 1


def launch(queue):
    queue.parallel_for(8, kernel)
