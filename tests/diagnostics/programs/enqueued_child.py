"""A child is compiled with its parent, and what is wrong in it is said at once."""

import numpy as np

import unisycl as sycl
from unisycl.ext.unisycl import enqueue_kernel, kernel_enqueue_flags

ROWS = ("E-22",)


def child(it, out, x):
    out[it] = [x]
    out[it[x], 1] = x


def kernel(out):
    enqueue_kernel(kernel_enqueue_flags.wait_kernel, 4, child, out, 1.5)


def launch(queue: sycl.queue) -> None:
    queue.single_task(kernel, sycl.malloc_device(4, np.int32, queue))
