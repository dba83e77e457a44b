"""Operators that a vec does not have, and operands it does not take."""

import numpy as np

import unisycl as sycl

ROWS = ("D-5", "D-6")
a = np.zeros(8, sycl.float4)
n = np.zeros(8, sycl.int4)
d = np.zeros(8, np.float64)


def kernel(i):
    v, w = a[i], n[i]
    p = v % 2
    q = v << w
    r = ~v
    s = v + w
    t = v * d[i]
    u = w + 0.5
    x = sycl.float4(w)
    y = sycl.sqrt(w)
    z = v @ v
    v.xy = w.xy
    v.load(0, n)


def launch(queue):
    queue.parallel_for(8, kernel)
