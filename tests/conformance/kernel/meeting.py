"""Kernels whose items miss meetings, or bring what differs; pytest rewrites nothing here."""

from __future__ import annotations

import unisycl as sycl


@sycl.kernel(debug=True)
def uneven_loop(it, out, d):
    x = it.get_global_id(0)
    for _ in range(d[x]):
        sycl.group_barrier(it.get_group())  # here


@sycl.kernel(debug=True)
def early_return(it, out, d):
    x = it.get_global_id(0)
    if d[x] > 4:
        return
    out[x] = sycl.reduce_over_group(it.get_group(), x, sycl.plus())  # here


@sycl.kernel(debug=True)
def either_side(it, out, d):
    x = it.get_global_id(0)
    if d[x] == 3:
        sycl.group_barrier(it.get_group())  # here
    else:
        it.barrier()


@sycl.kernel(debug=True)
def breaking(it, out, d):
    x = it.get_global_id(0)
    k = 0
    while True:
        if k == d[x]:
            break
        k += 1
        out[x] = sycl.any_of_group(it.get_group(), k > 2)  # here


@sycl.kernel(debug=True)
def ids(it, out, d):
    x = it.get_global_id(0)
    out[x] = sycl.group_broadcast(it.get_group(), x, d[x] % 2)  # here


@sycl.kernel(debug=True)
def starts(it, out, d):
    x = it.get_global_id(0)
    out[x] = sycl.reduce_over_group(it.get_group(), x, d[x] // 5, sycl.plus())  # here


@sycl.kernel(debug=True)
def scans(it, out, d):
    x = it.get_global_id(0)
    out[x] = sycl.exclusive_scan_over_group(it.get_group(), x, d[x] // 5, sycl.plus())  # here


@sycl.kernel(debug=True)
def counts(it, out, d):
    x = it.get_global_id(0)
    out[x] = sycl.joint_reduce(it.get_group(), d[0:d[x] // 4 + 1], sycl.plus())  # here


@sycl.kernel(debug=True)
def ranges(it, out, d):
    x = it.get_global_id(0)
    k = d[x] // 4
    out[x] = sycl.joint_any_of(it.get_group(), d[k:k + 2], lambda v: v > 6)  # here


@sycl.kernel(debug=True)
def shifts(it, out, d):
    x = it.get_global_id(0)
    out[x] = sycl.shift_group_left(it.get_sub_group(), x, d[x] // 5)  # here


@sycl.kernel(debug=True)
def early_after_the_last(it, out, d):
    x = it.get_global_id(0)
    s = 0
    for i in range(d[x]):
        out[x] += 1
        if i < 3:
            s = sycl.reduce_over_group(it.get_group(), i, sycl.maximum())
        if i > 5:
            return
    out[x] += 100 + s * 1000


@sycl.kernel(debug=True)
def half_returns(it, out, d, tile):
    x = it.get_global_id(0)
    k = it.get_local_id(0)
    for turn in range(3):
        tile[k] = turn
        sycl.group_barrier(it.get_group())
        out[x] += tile[(k + 1) % 2]
        sycl.group_barrier(it.get_group())
        if turn == 2 and x % 2 == 1:
            return
        assert out[x] >= 0
    out[x] += 101
