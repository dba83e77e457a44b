"""Index spaces of children: made by ndrange, with a local range known while compiling."""

import numpy as np

import unisycl as sycl
from unisycl.ext.unisycl import enqueue_kernel, kernel_enqueue_flags, ndrange

ROWS = ("E-22",)
NOW = kernel_enqueue_flags.no_wait


def child(it, out):
    out[it.get_global_id(0)] = 1


def kernel(out, n):
    enqueue_kernel(NOW, sycl.nd_range(16, 4), child, out)
    enqueue_kernel(NOW, ndrange(n, out[0]), child, out)
    enqueue_kernel(NOW, ndrange(n, 0), child, out)
    enqueue_kernel(NOW, ndrange((n, n), 4), child, out)
    enqueue_kernel(NOW, (n, n, n, n), child, out)
    enqueue_kernel(NOW, 0.5 * n, child, out)


def launch(queue: sycl.queue) -> None:
    queue.single_task(kernel, sycl.malloc_device(4, np.int32, queue), 3)
