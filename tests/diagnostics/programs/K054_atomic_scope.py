"""Scopes, address spaces and memory that atomics do not have."""

import numpy as np

import unisycl as sycl

ROWS = ("D-32", "E-33")
n = np.zeros(8, np.int32)
order, scope = sycl.memory_order.relaxed, sycl.memory_scope


def kernel(i):
    sycl.atomic_ref(n, i, order, scope.work_item).fetch_add(1)
    sycl.atomic_ref(n, i, order, scope.device).load(scope=scope.work_item)
    sycl.atomic_ref(n, i, order, scope.device, sycl.address_space.local_space).fetch_add(1)
    sycl.atomic_ref(n, i, order, scope.device, sycl.address_space.constant_space).fetch_add(1)


def launch(queue):
    queue.parallel_for(8, kernel)
