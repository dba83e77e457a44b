"""Attributes that memory, records and numbers do not have."""

import numpy as np

import unisycl as sycl

ROWS = ("D-62",)
a = np.zeros(8, np.float32)
n = np.zeros(8, np.int32)


p = np.zeros(8, [("x", np.int32), ("v", np.float32)])


def kernel(i):
    x = a.shap[0]
    y = p[i]['z'] + p[i].vv
    q = (3).bits
    r = np.sqr(2.0)
    s = sycl.memory_order.relax


def launch(queue):
    queue.parallel_for(8, kernel)
