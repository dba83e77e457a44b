"""Kernels whose assertions and indices fail; pytest does not rewrite them here."""

from __future__ import annotations

import numpy as np

import unisycl as sycl

x = np.arange(40, dtype=np.float32)
places = np.arange(40)
places[33] = 77
table = np.zeros((4, 5))


@sycl.kernel(debug=True)
def with_a_message(i):
    assert x[i] < 30, f"x is {x[i]:.1f} at {i[0]}, {(1, x[i])}"


@sycl.kernel(debug=True)
def between_barriers(it):
    g = it.get_global_id(0)
    sycl.group_barrier(it.get_group())
    if g > 5:
        assert x[g] < 29
    sycl.group_barrier(it.get_group())


@sycl.kernel(debug=True)
def alone():
    assert x[3] == 77, 5


@sycl.kernel(debug=True)
def reducing(i, total):
    assert i != 7
    total += x[i]


def inner(value, limit):
    assert value < limit, value


@sycl.kernel(debug=True)
def calling(i):
    inner(x[i], 38)


@sycl.kernel(debug=True)
def gather(i):
    x[i] = x[places[i]]


@sycl.kernel(debug=True)
def walk(it, own):
    own[it.get_local_id(0)] = 0
    k = 0
    while table[k, it.get_local_id(0)] == 0:
        k += 1


@sycl.kernel(debug=True)
def private(i):
    own = sycl.private_array(np.int32, 3)
    own[i % 4] = i
    x[i] = own[0]


@sycl.kernel(debug=True)
def atomic(it, own):
    sycl.atomic_ref(own, it.get_local_id(0), sycl.memory_order.relaxed,
                    sycl.memory_scope.device).fetch_add(1)
