"""Pointers that mix address spaces or memories."""

import numpy as np

import unisycl as sycl

ROWS = ("D-50", "D-51", "D-52")
a = np.zeros(64, np.float32)
b = np.zeros(64, np.float32)


def either(local, first):
    if first:
        return sycl.multi_ptr(local)
    return sycl.multi_ptr(a)


def kernel(it, tile):
    g = it.get_global_id(0)
    p = sycl.global_ptr(tile)
    q = sycl.local_ptr(tile)
    if g > 3:
        q = sycl.multi_ptr(a)
    a[g] = q[0]
    r = either(tile, g > 3)
    s = sycl.multi_ptr(a)
    if g > 4:
        s = sycl.multi_ptr(b)
    a[g] = s[0]
    t = sycl.address_space_cast(sycl.address_space.global_space, sycl.local_ptr(tile))
    u = sycl.multi_ptr(a) - sycl.multi_ptr(b)
    v = sycl.multi_ptr(a) < sycl.multi_ptr(tile)
    w = sycl.multi_ptr(a) * 2
    sycl.local_ptr(tile).prefetch(1)
    x = sycl.multi_ptr(a[g])
    none = sycl.address_space_cast(sycl.address_space.private_space, sycl.raw_generic_ptr(a))
    a[g] = none[0]


def launch(queue):
    queue.parallel_for(sycl.nd_range(64, 8), kernel, sycl.local_accessor(np.float32, 8))
