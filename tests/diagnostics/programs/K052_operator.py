"""An operator of one's own in a group function; range outside a loop."""

import numpy as np

import unisycl as sycl

ROWS = ("D-41",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(it):
    x = sycl.reduce_over_group(it.get_group(), 1, lambda p, q: p + q)
    r = range(n[0])


def launch(queue):
    queue.parallel_for(sycl.nd_range(8, 4), kernel)
