"""Group algorithms over pairs of pointers, as C++ has them (SYCL 2020 §4.17.4)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

LOCAL = 12


def start(kind, memory):
    """Return a pointer, declared to point to a space; a device function."""
    return sycl.multi_ptr(memory, kind)


@pytest.mark.row("D-39", "D-41", "D-42", "D-50", "M-5")
@pytest.mark.parametrize("space", ["global_space", "local_space", "generic_space"])
def test_first_and_last_stand_for_memory(queue, space):
    kind = getattr(sycl.address_space, space)
    x = np.random.default_rng(2).integers(0, 50, 30).astype(np.int32)
    work, out = x.copy(), tuple(np.zeros(30, np.int32) for _ in range(4))
    found, ends = np.zeros((9, LOCAL), np.int32), np.zeros(2, np.int64)

    def group(h):
        tile = sycl.local_accessor(np.int32, 30, h)

        @h.parallel_for(sycl.nd_range(LOCAL, LOCAL))
        def kernel(it):
            g, k = it.get_group(), it.get_global_id(0)
            if space == "local_space":
                memory = tile
                it.async_work_group_copy(tile, work, 30).wait()
            else:
                memory = work
            first = start(kind, memory)
            last = first + 25
            found[0, k] = sycl.joint_reduce(g, first, last, sycl.plus)
            found[1, k] = sycl.joint_reduce(g, first + 5, last, 1000, sycl.plus)
            found[2, k] = sycl.joint_any_of(g, first, last, lambda v: v == x[24])
            found[3, k] = sycl.joint_all_of(g, first, first, lambda v: False)
            found[4, k] = sycl.joint_all_of(g, first, last, lambda v: v < 49)
            found[5, k] = sycl.joint_none_of(g, first, last, lambda v: v > 49)
            target = sycl.multi_ptr(out[0])
            ends[0] = sycl.joint_inclusive_scan(g, first, last, target, sycl.plus) - target
            sycl.joint_inclusive_scan(g, first, last, sycl.multi_ptr(out[1]), sycl.plus, 5)
            target = sycl.multi_ptr(out[2])
            ends[1] = sycl.joint_exclusive_scan(g, first, last, target, sycl.plus) - target
            sycl.joint_exclusive_scan(g, first, last, sycl.multi_ptr(out[3]), 7, sycl.plus)
            sort = sycl.ext.oneapi.experimental.joint_sort
            sort(g, first, first + 10)
            sort(g, first + 10, last, lambda a, b: a > b)
            if space == "local_space":
                it.async_work_group_copy(work, tile, 30).wait()
    queue.submit(group).wait()
    run = np.cumsum(x[:25])
    votes = [True, True, bool((x[:25] < 49).all()), True]
    assert [run[-1], 1000 + x[5:25].sum(), *votes] == found[:6, 0].tolist()
    assert all((row == row[0]).all() for row in found)
    scans = [run, run + 5, run - x[:25], run - x[:25] + 7]
    assert [r.tolist() for r in scans] == [r[:25].tolist() for r in out]
    assert [25, 25] == ends.tolist()
    assert not any(r[25:].any() for r in out)
    assert [*np.sort(x[:10]), *np.sort(x[10:25])[::-1], *x[25:]] == work.tolist()


@pytest.mark.row("D-50")
def test_pointers_into_rows_of_one_memory_compare(queue):
    a = np.zeros((3, 4, 5), np.float32)
    out = np.zeros(10, np.int64)

    def kernel(out):
        own = sycl.private_array(np.int32, (2, 6))
        i = int(out[0]) + 1
        p, q = sycl.multi_ptr(a[i][1]) + 2, sycl.multi_ptr(a[0][i + 2])
        out[0] = p - q
        out[1] = q - p
        out[2] = p > q
        out[3] = p == q + 12
        out[4] = p == q
        out[5] = sycl.multi_ptr(own[i]) - sycl.multi_ptr(own[0])
        out[6] = sycl.multi_ptr(a[1][1]) + 2 == p
        out[7] = sycl.multi_ptr(a[1][1][2:]) == p
        out[8] = (sycl.multi_ptr(own[0]) + 6) == sycl.multi_ptr(own[1])
        out[9] = sycl.multi_ptr(a) <= q
    queue.single_task(kernel, out).wait()
    assert [12, -12, 1, 1, 0, 6, 1, 1, 1, 1] == out.tolist()
