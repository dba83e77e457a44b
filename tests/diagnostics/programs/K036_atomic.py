"""Operations that an element's type does not have."""

import numpy as np

import unisycl as sycl

ROWS = ("D-33",)
n = np.zeros(8, np.int32)
f = np.zeros(8, np.float32)
order, scope = sycl.memory_order.relaxed, sycl.memory_scope.device


def kernel(i):
    ref = sycl.atomic_ref(f, i, order, scope)
    ref.fetch_and(1)
    ref |= 1
    ref *= 2
    whole = sycl.atomic_ref(n, i, order, scope)
    whole.fetch_mul(3)


def launch(queue):
    queue.parallel_for(8, kernel)
