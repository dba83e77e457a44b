"""Group functions and private memory where a hierarchical kernel has none."""

import numpy as np

import unisycl as sycl

ROWS = ("C-7", "C-8")
out = np.zeros(8, np.int32)


def kernel(g):
    mine = sycl.private_memory(np.int32, g)
    sycl.group_barrier(g)
    x = sycl.reduce_over_group(g, 1, sycl.plus)
    y = g.get_local_id(0)
    mine[0] = 1

    def loop(h):
        mine[h.get_local_id(0)] = 2
        other = sycl.private_memory(np.int32, g)
        sycl.group_barrier(g)
        g.parallel_for_work_item(lambda inner: 0)
    g.parallel_for_work_item(loop)
    bad = sycl.private_memory(np.int32, 8)


def launch(queue):
    queue.submit(lambda h: h.parallel_for_work_group(2, 4, kernel))
