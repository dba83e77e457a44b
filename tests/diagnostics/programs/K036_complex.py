"""Complex numbers are used where only real ones have a meaning."""

import numpy as np

import unisycl as sycl

ROWS = ("D-62",)
z = np.ones(8, np.complex64)
f = np.ones(8, np.float32)
k = np.ones(8, np.int32)


def kernel(i):
    k[i] = z[i] < z[i]
    k[i] = z[i] % 2
    k[i] = ~z[i]
    f[i] = sycl.exp(z[i])
    z[i] = max(z[i], 1j)
    z[i] = z[i] // 2


def launch(queue):
    queue.parallel_for(8, kernel)
