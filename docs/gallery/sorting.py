"""A sorting network.

A bitonic sort: every pass compares pairs at one distance, all pairs at once. Each row of the
picture is the array after one more pass.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import unisycl as sycl

N = 256
q = sycl.queue()
values = sycl.malloc_shared(N, np.int32, q)
values[:] = np.random.default_rng(2).permutation(N)


@sycl.kernel
def compare(i, values, block, distance):
    other = i ^ distance
    if other > i:
        rising = (i & block) == 0
        a, b = values[i], values[other]
        if (a > b) == rising:
            values[i], values[other] = b, a


rows = [values[:].copy()]
block = 2
while block <= N:
    distance = block // 2
    while distance:
        q.parallel_for(N, compare, values, block, distance).wait()
        rows.append(values[:].copy())
        distance //= 2
    block *= 2
assert (rows[-1] == np.arange(N)).all()
plt.imsave(sys.argv[1], np.repeat(np.repeat(rows, 10, 0), 3, 1), cmap="turbo")
