"""Writing through a read accessor and a read-only array."""

import numpy as np

import unisycl as sycl

ROWS = ("D-60",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


buffer = sycl.buffer(np.zeros(8, np.int32))
frozen = np.zeros(8)
frozen.flags.writeable = False


def group(h):
    r = sycl.accessor(buffer, h, sycl.read_only)

    def kernel(i):
        r[i] = 1
        r[i] += 1
        frozen[i] = 2
        sycl.atomic_ref(r, i, sycl.memory_order.relaxed, sycl.memory_scope.device).store(1)
    h.parallel_for(8, kernel)


def launch(queue):
    queue.submit(group)
