"""Kernels whose OpenCL C the tests compare with the files in ``texts``."""

from __future__ import annotations

import numpy as np

import unisycl as sycl

particle = np.dtype([("place", np.float32, 3), ("mass", np.float64), ("kind", np.int16)])


def saxpy(i, a, x, y):
    y[i] = a * x[i] + y[i]


def first_above(i, x, limit, out):
    out[i] = -1
    for k in range(len(x)):
        if x[k] > limit[i]:
            out[i] = k
            return


def halo(it, x, out, own):
    g, k = it.get_global_id(0), it.get_local_id(0)
    own[k] = x[g]
    sycl.group_barrier(it.get_group())
    left = own[k - 1] if k > 0 else np.float32(0)
    out[g] = left + own[k]


def histogram(i, x, bins, weights):
    place = x[i] % 16
    sycl.atomic_ref(bins, place, sycl.memory_order.relaxed, sycl.memory_scope.device).fetch_add(1)
    sycl.atomic_ref(weights, place, sycl.memory_order.relaxed,
                    sycl.memory_scope.device).fetch_add(0.5)


def scans(it, x, out):
    g = it.get_global_id(0)
    total = sycl.inclusive_scan_over_group(it.get_group(), x[g], sycl.plus())
    lanes = sycl.reduce_over_group(it.get_sub_group(), x[g], sycl.maximum())
    out[g] = total + lanes


def dot(i, total, x, y):
    total += x[i] * y[i]


def drift(i, particles, dt):
    particles[i].place[1] += dt / particles[i].mass
    if particles[i].kind == 3:
        particles[i].kind //= 2


@sycl.kernel(debug=True)
def checked(it, x):
    g = it.get_global_id(0)
    assert x[g] > 0, f"x is {x[g]:.2f}"
    sycl.group_barrier(it.get_group())
    print("item", g, x[g])


def rotate(i, z, w, out):
    out[i] = z[i] * w[i]


def every_builtin(i, x, k, out):
    whole, part = sycl.frexp(x[i]), sycl.fract(x[i])
    quotient = sycl.remquo(x[i], np.float32(3))
    gamma = sycl.lgamma_r(x[i])
    out[i] = (whole[0] + part[0] + sycl.modf(x[i])[0] + quotient[1] + gamma[1]
              + sycl.ilogb(x[i]) + sycl.distance(x[i], part[1]) + sycl.normalize(x[i])
              + sycl.abs_diff(k[i], np.int32(5)) + sycl.bitselect(k[i], np.int32(1), np.int32(3))
              + sycl.select(x[i], part[0], k[i] > 0) + sycl.nan(np.uint32(7)))


def sizes(it, n, out):
    out[it.get_global_id(0)] = min(it.get_local_range(0), n)


oriented = np.dtype([("kind", np.int16), ("axis", sycl.float2)])


def turn(i, things):
    things[i].axis = things[i].axis.yx


def triad(i, a, b, c, s):
    c[i] = a[i] + s * b[i]
