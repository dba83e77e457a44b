"""Things that must be known while compiling."""

import numpy as np

import unisycl as sycl

ROWS = ("D-57", "D-58")
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


KIND = 'strange'


def kernel(i):
    w = sycl.private_array(np.float32, n[i])
    v = sycl.private_array(KIND, 4)
    x = (abs, 1)[n[i]](1, 2)
    y = i.get_range(n[i])
    z = isinstance(i, n[i])
    for j, q in enumerate(n[i]):
        pass


def launch(queue):
    queue.parallel_for(8, kernel)
