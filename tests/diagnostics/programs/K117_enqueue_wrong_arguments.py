"""What a child cannot be given: parts of memory, tuples, complex numbers, too many numbers."""

import numpy as np

import unisycl as sycl
from unisycl.ext.unisycl import enqueue_task, kernel_enqueue_flags

ROWS = ("E-22",)
NOW = kernel_enqueue_flags.no_wait


def child(a, b):
    a[0] = b


def many(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q):
    pass


def kernel(out, n):
    enqueue_task(NOW, child, out[2], n)
    enqueue_task(NOW, child, out, (n + 1, n))
    enqueue_task(NOW, child, out, n * 1j)
    enqueue_task(NOW, many, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n)
    e = enqueue_task(NOW, child, out, n)
    enqueue_task(NOW, child, out, n, wait_list=e)
    enqueue_task(NOW, child, out, n, wait_list=(e, e, e, e, e, e, e))


def launch(queue: sycl.queue) -> None:
    queue.single_task(kernel, sycl.malloc_device((4, 4), np.int32, queue), 3)
