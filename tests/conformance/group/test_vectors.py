"""Groups exchange and combine vectors element by element."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.group.test_algorithms import sub_group_size

N, LOCAL = 60, 30


@pytest.mark.row("D-38", "D-40")
def test_vectors_move_between_work_items(queue):
    size = sub_group_size(queue, 8)
    x = np.arange(N * 4, dtype=np.float32).reshape(N, 4)
    out = np.zeros((5 * N, 4), np.float32)

    @sycl.kernel(reqd_sub_group_size=size)
    def kernel(it):
        g, s, k = it.get_group(), it.get_sub_group(), it.get_global_id(0)
        v = sycl.float4(x[k, 0], x[k, 1], x[k, 2], x[k, 3])
        give(k, sycl.group_broadcast(g, v, 7))
        give(N + k, sycl.group_broadcast(s, v, 1))
        moved = sycl.shift_group_left(s, v)
        moved += 1
        give(2 * N + k, moved)
        give(3 * N + k, sycl.permute_group_by_xor(s, v, 1))
        give(4 * N + k, sycl.select_from_group(s, v, s.get_local_linear_id() // 2))

    def give(row, v):
        out[row, 0] = v.x
        out[row, 1] = v.y
        out[row, 2] = v.z
        out[row, 3] = v.w
    queue.parallel_for(sycl.nd_range(N, LOCAL), kernel).wait()
    for k in range(N):
        start = k // LOCAL * LOCAL
        first = start + (k - start) // size * size
        last, lane = min(first + size, start + LOCAL) - 1, k - first
        assert x[start + 7].tolist() == out[k].tolist()
        assert x[first + 1].tolist() == out[N + k].tolist()
        if k < last:
            assert (x[k + 1] + 1).tolist() == out[2 * N + k].tolist()
        if first + (lane ^ 1) <= last:
            assert x[first + (lane ^ 1)].tolist() == out[3 * N + k].tolist()
        assert x[first + lane // 2].tolist() == out[4 * N + k].tolist()


@pytest.mark.row("D-41", "D-42")
def test_vectors_reduce_and_scan_by_element(queue):
    x = np.random.default_rng(2).integers(-50, 50, (N, 2), np.int32)
    out = np.zeros((5 * N, 2), np.int32)

    def kernel(it):
        g, k = it.get_group(), it.get_global_id(0)
        v = sycl.int2(x[k, 0], x[k, 1])
        m = sycl.int2(x[k, 0], x[k, 1])
        give(k, sycl.reduce_over_group(g, v, sycl.plus))
        give(N + k, sycl.reduce_over_group(g, v, 7, sycl.maximum))
        give(2 * N + k, sycl.inclusive_scan_over_group(g, v, sycl.plus, sycl.int2(100, 200)))
        give(3 * N + k, sycl.exclusive_scan_over_group(g, v, sycl.bit_xor))
        total = sycl.reduce_over_group(g, m, sycl.minimum)
        out[4 * N + k, 0] = total[0]
        out[4 * N + k, 1] = total[1]

    def give(row, v):
        out[row, 0] = v.x
        out[row, 1] = v.y
    queue.parallel_for(sycl.nd_range(N, LOCAL), kernel).wait()
    for start in range(0, N, LOCAL):
        group = x[start:start + LOCAL]
        rows = [out[k * N + start:k * N + start + LOCAL] for k in range(5)]
        assert [group.sum(0).tolist()] * LOCAL == rows[0].tolist()
        assert [np.maximum(group.max(0), 7).tolist()] * LOCAL == rows[1].tolist()
        assert (group.cumsum(0) + [100, 200]).tolist() == rows[2].tolist()
        before = np.bitwise_xor.accumulate(np.vstack([np.zeros((1, 2), int), group]), 0)[:-1]
        assert before.tolist() == rows[3].tolist()
        assert [group.min(0).tolist()] * LOCAL == rows[4].tolist()
