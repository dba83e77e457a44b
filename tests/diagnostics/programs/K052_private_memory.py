"""Memory of hierarchical kernels, asked for by a work-item of a range."""

import numpy as np

import unisycl as sycl

ROWS = ("C-7", "C-8")
out = np.zeros(8, np.float32)


def kernel(i):
    mine = sycl.private_memory(np.float32, 8)
    mine[0] = i
    out[i] = mine[0] * 2


def launch(queue):
    queue.parallel_for(8, kernel)
