"""Fences without a constant order and scope, and an order that changes."""

import numpy as np

import unisycl as sycl

ROWS = ("D-35", "D-32")
n = np.zeros(8, np.int32)
order, scope = sycl.memory_order, sycl.memory_scope


def kernel(i):
    sycl.atomic_fence(scope.device, order.acq_rel)
    sycl.atomic_fence(n[i], scope.device)
    sycl.atomic_ref(n, i, order.relaxed, scope.device).fetch_add(1, n[i])


def launch(queue):
    queue.parallel_for(8, kernel)
