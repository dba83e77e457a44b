"""An atomic_ref whose order is known only while the kernel runs."""

import numpy as np

import unisycl as sycl

ROWS = ("D-32",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(i):
    sycl.atomic_ref(n, i, n[0]).fetch_add(1)


def launch(queue):
    queue.parallel_for(8, kernel)
