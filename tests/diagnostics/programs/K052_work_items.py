"""Work-item loops where there are none."""

import numpy as np

import unisycl as sycl

ROWS = ("D-37",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


def kernel(group):
    def outer(h):
        group.parallel_for_work_item(lambda g: None)
    group.parallel_for_work_item(outer)
    sycl.group_barrier(group)
    a[group.get_local_id(0)] = 1


def launch(queue):
    queue.submit(lambda h: h.parallel_for_work_group(2, 4, kernel))
