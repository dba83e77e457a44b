"""What needs the local size that a hierarchical launch left open."""

import numpy as np

import unisycl as sycl

ROWS = ("C-6", "C-7")
out = np.zeros(8, np.int32)


def kernel(g):
    mine = sycl.private_memory(np.int32, g)
    g.parallel_for_work_item(lambda h: 0)


def launch(queue):
    queue.submit(lambda h: h.parallel_for_work_group(2, kernel))
