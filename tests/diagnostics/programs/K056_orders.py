"""Memory orders that an operation cannot have."""

import numpy as np

import unisycl as sycl

ROWS = ("D-33",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


order, scope = sycl.memory_order, sycl.memory_scope.device


def kernel(i):
    ref = sycl.atomic_ref(n, i, order.relaxed, scope)
    x = ref.load(order.release)
    ref.store(1, order.acquire)
    sycl.atomic_ref(n, i, order.acquire, scope).load()
    ref.compare_exchange_strong(1, 2, order.acq_rel, order.release)


def launch(queue):
    queue.parallel_for(8, kernel)
