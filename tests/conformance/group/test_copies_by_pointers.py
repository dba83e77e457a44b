"""``async_work_group_copy`` of what pointers point to (SYCL 2020 §4.9.1.7)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl import access

DECORATED = access.decorated.yes
FORMS = {
    "multi_ptr": (lambda m: sycl.multi_ptr(m, access.address_space.global_space, DECORATED),
                  lambda m: sycl.multi_ptr(m, access.address_space.local_space, DECORATED)),
    "plain": (sycl.global_ptr, sycl.local_ptr),
    "decorated": (sycl.decorated_global_ptr, sycl.decorated_local_ptr),
    "raw": (sycl.raw_global_ptr, sycl.raw_local_ptr),
    "generic": (sycl.raw_generic_ptr, sycl.raw_generic_ptr),
}


@pytest.mark.row("D-18", "D-50")
@pytest.mark.parametrize("form", FORMS)
def test_both_directions_with_and_without_a_stride(queue, form):
    to_global, to_local = FORMS[form]
    x, out = np.arange(100, dtype=np.int32) * 3, np.zeros((4, 64), np.int32)

    def group(h):
        tile = sycl.local_accessor(np.int32, (4, 4), h)

        def kernel(it):
            m = it.get_group_linear_id()
            source, copy = to_global(x) + m * 16, to_local(tile)
            it.async_work_group_copy(copy, source, 12).wait()
            it.async_work_group_copy(copy + 12, source, 4, 5).wait()
            back = to_global(out) + m * 64
            it.async_work_group_copy(back, copy + 2, 14).wait()
            it.async_work_group_copy(back + 20, copy, 12, 3).wait()
        h.parallel_for(sycl.nd_range(16, 4), kernel)
    queue.submit(group).wait()
    for m in range(4):
        tile = [*x[m * 16:m * 16 + 12], *x[m * 16:m * 16 + 20:5]]
        expected = np.zeros(64, np.int32)
        expected[:14], expected[20:56:3] = tile[2:], tile[:12]
        assert expected.tolist() == out[m].tolist()


@pytest.mark.row("D-18", "D-50")
def test_pointers_and_memory_mix(queue):
    p, found = sycl.malloc_shared(16, np.float32, queue), np.zeros(16, np.float32)
    p[:] = np.arange(16)
    with sycl.buffer(found) as data:
        def group(h):
            acc = sycl.accessor(data, h, sycl.write_only)
            tile = sycl.local_accessor(np.float32, 16, h)

            @h.parallel_for_work_group(1, 4)
            def kernel(g):
                g.async_work_group_copy(tile, sycl.global_ptr(p) + 4, 12).wait()
                g.async_work_group_copy(tile.get_multi_ptr(DECORATED) + 12, p, 4).wait()
                g.async_work_group_copy(acc.get_multi_ptr(DECORATED), tile, 16).wait()
        queue.submit(group)
    assert [*range(4, 16), *range(4)] == found.tolist()
