"""Children enqueued with a wrong number of arguments."""

import numpy as np

import unisycl as sycl
from unisycl.ext.unisycl import enqueue_kernel, enqueue_task, kernel_enqueue_flags

ROWS = ("E-22",)
NO_WAIT = kernel_enqueue_flags.no_wait


def child(i, out, by=1):
    out[i] = by


class Child:
    def __call__(self, out, kh: sycl.kernel_handler):
        out[0] = 1


def kernel(out, call):
    enqueue_kernel(NO_WAIT, 4, child, out)
    enqueue_kernel(NO_WAIT, 4, child, out, 2)
    enqueue_kernel(NO_WAIT, 4, child)
    enqueue_kernel(NO_WAIT, 4, child, out, 2, 3)
    enqueue_task(NO_WAIT, call, out)
    enqueue_task(NO_WAIT, call)
    enqueue_task(NO_WAIT, call, out, 1, 2)


def launch(queue: sycl.queue) -> None:
    queue.single_task(kernel, sycl.malloc_device(4, np.int32, queue), Child())
