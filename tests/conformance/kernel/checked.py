"""Kernels whose assertions and indices fail; pytest does not rewrite them here."""

from __future__ import annotations

import numpy as np

import unisycl as sycl

x = np.arange(40, dtype=np.float32)
places = np.arange(40)
places[33] = 77
table = np.zeros((4, 5))
small = np.zeros(40, np.int8)


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
    x[i] = own[i % 4]


@sycl.kernel(debug=True)
def atomic(it, own):
    if it.get_local_id(0) < 5:
        own[it.get_local_id(0)] = 0
    sycl.atomic_ref(own, it.get_local_id(0), sycl.memory_order.relaxed,
                    sycl.memory_scope.device).fetch_add(1)


@sycl.kernel(debug=True)
def dividing(i, by, out):
    out[i] = 0 if by == 0 else 7 // by
    if i > 20:
        out[i] = 7 // (i - 33)


@sycl.kernel(debug=True)
def dividing_floats(i, by, out):
    out[i] = x[i] / by + (2.5 % (by + 1.0) if i < 3 else 1.0)
    out[i] += 1.5 / by if i == 5 else 2.0


@sycl.kernel(debug=True)
def growing(i, by, out):
    out[i] = 10.0 ** (by if i == 39 else 2.5) + by ** 2 + 0.0 ** by


@sycl.kernel(debug=True)
def at_a_pole(i, by, out):
    out[i] = (by + 1.0 * (i < 39)) ** (by - 0.5)


@sycl.kernel(debug=True)
def to_negative_powers(i, by, out):
    out[i] = np.int32(i) ** np.int32(by + 2 * (i < 39))


@sycl.kernel(debug=True)
def narrowing(i, by, out):
    out[i] = np.uint8(i // 39 * by) + np.float32(i * 1000) + np.uint64(i)


@sycl.kernel(debug=True)
def mixing(i, by, out):
    out[i] = small[i] + i // 39 * by


@sycl.kernel(debug=True)
def shifting(i, by, out):
    out[i] = (np.int64(i) << np.int64(by - 50)) + (4 << i) + (4 >> (by - i // 39))
