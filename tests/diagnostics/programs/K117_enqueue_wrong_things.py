"""What cannot be enqueued, and what is no flag."""

import numpy as np

import unisycl as sycl
from unisycl.ext.unisycl import enqueue_kernel, enqueue_task, kernel_enqueue_flags

ROWS = ("E-22",)


def child(out):
    out[0] = 1


def kernel(out, n):
    def inner(out):
        out[0] = 2
    enqueue_task(kernel_enqueue_flags.no_wait, inner, out)
    enqueue_task(kernel_enqueue_flags.no_wait, np.float32, out)
    enqueue_task(kernel_enqueue_flags.no_wait, n, out)
    enqueue_task(n, child, out)
    enqueue_task("no_wait", child, out)
    enqueue_kernel(kernel_enqueue_flags.no_wait)
    enqueue_task(kernel_enqueue_flags.no_wait, child, out, after=n)


def launch(queue: sycl.queue) -> None:
    queue.single_task(kernel, sycl.malloc_device(4, np.int32, queue), 3)
