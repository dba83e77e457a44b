"""An atomic_ref taken for its value, and orders and scopes mistaken for each other."""

import numpy as np

import unisycl as sycl

ROWS = ("D-32", "D-33")
n = np.zeros(8, np.int32)
f = np.zeros(8, np.float32)
order, scope = sycl.memory_order, sycl.memory_scope


def kernel(i):
    ref = sycl.atomic_ref(n, i, order.relaxed, scope.device)
    n[i] = ref + 1
    if ref == 3:
        f[i] = ref
    ref.fetch_add(1, scope.device)
    ref.store(1, order.relaxed, order.relaxed)
    sycl.atomic_ref(n, i, order.relaxed, scope.device, 4).load()


def launch(queue):
    queue.parallel_for(8, kernel)
