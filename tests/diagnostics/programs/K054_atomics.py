"""Atomics on memory that has none."""

import numpy as np

import unisycl as sycl

ROWS = ("D-32",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


small = np.zeros(8, np.complex128)


def kernel(i):
    order, scope = sycl.memory_order.relaxed, sycl.memory_scope.device
    sycl.atomic_ref(small, i, order, scope).fetch_add(1)
    w = sycl.private_array(np.int32, 4)
    sycl.atomic_ref(w, 0, order, scope).fetch_add(1)
    sycl.atomic_ref(n[i] + 1, order, scope).fetch_add(1)


def launch(queue):
    queue.parallel_for(8, kernel)
