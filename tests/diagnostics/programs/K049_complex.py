"""A complex number would lose its imaginary part, or has no text or atomic operations."""

import numpy as np

import unisycl as sycl

ROWS = ("D-62",)
z = np.ones(8, np.complex64)
f = np.ones(8, np.float32)


def kernel(i):
    f[i] = z[i]
    f[i] = float(z[i])
    z[i].real = 3
    print(z[i])
    sycl.atomic_ref(z, i).fetch_min(1)
    z[i] = sycl.bit_cast(np.complex64, f[i])


def launch(queue):
    queue.parallel_for(8, kernel)
