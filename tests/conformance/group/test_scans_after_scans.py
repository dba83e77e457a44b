"""Joint scans in one kernel, one after the other, hand their sums on from turn to turn."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.row("F-9")
COUNT = 16


@pytest.mark.parametrize("dtype", [np.float16, np.int16, np.int32, np.float32, np.int64])
@pytest.mark.parametrize("size", [3, 5, 8])
def test_the_second_scan_counts_its_own_turns(device, dtype, size):
    if dtype == np.float16:
        with sycl.testing.refused(device, sycl.aspect.fp16):
            _check(device, dtype, size)
    else:
        _check(device, dtype, size)


def _check(device: sycl.device, dtype: type, size: int) -> None:
    a = ((np.arange(4 * COUNT) * 7 % 11) - 5).astype(dtype)
    given = np.arange(100, dtype=np.int32)
    first, second = np.zeros(3 * 32, dtype), np.zeros(3 * 32, dtype)

    def group(h):
        u = sycl.local_accessor(np.int32, 8, h)

        def kernel(it):
            lin, lid = it.get_global_linear_id(), it.get_local_linear_id()
            for _ in range(1 + it.get_sub_group().get_group_linear_id() * 3 % 3 % 3):
                pass
            at = it.get_group().get_group_linear_id() * 32
            sycl.joint_inclusive_scan(it.get_group(), a[0:7], first[at:at + 7], sycl.minimum)
            if lid == 0:  # nobody reads what becomes of these
                for k in range(8):
                    u[k] = 1
            sycl.atomic_ref(u, it.get_global_id(0) // 4 % 8, sycl.memory_order.relaxed,
                            sycl.memory_scope.work_group).fetch_or(
                                given[2 * lin + 4] >> 2)
            sycl.joint_inclusive_scan(it.get_group(), a[0:COUNT], second[at:at + COUNT], sycl.plus)
            sycl.group_barrier(it.get_group())
        h.parallel_for(sycl.nd_range(3 * size, size), kernel)
    sycl.queue(device).submit(group).wait()
    for k in range(3):
        np.testing.assert_array_equal(first[32 * k:32 * k + 7], np.minimum.accumulate(a[:7]))
        np.testing.assert_array_equal(second[32 * k:32 * k + COUNT], np.cumsum(a[:COUNT]))
