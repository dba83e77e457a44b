"""Large arrays of single work-items, and work-groups that are too large for what they need."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

SIZE = 1 << 16


def scattered(i, out):  # type: ignore[no-untyped-def]
    own = sycl.private_array(np.float32, SIZE)
    for k in range(4):
        own[(i * 977 + k * 13001) % SIZE] = np.float32(k + i)
    total = np.float32(0)
    for k in range(4):
        total += own[(i * 977 + k * 13001) % SIZE]
    out[i] = total


@pytest.mark.row("C-14", "C-3")
@pytest.mark.parametrize("shape", [(300,), (3, 100)])
def test_items_of_a_range_have_large_arrays(queue: sycl.queue, shape: tuple[int, ...]) -> None:
    if len(shape) == 1:
        def kernel(i, out):  # type: ignore[no-untyped-def]
            scattered(int(i), out)
    else:
        def kernel(i, out):  # type: ignore[no-untyped-def]
            scattered(int(i[0]) * 100 + int(i[1]), out)
    out = sycl.malloc_shared(300, np.float32, queue)
    queue.parallel_for(shape, kernel, out).wait()
    assert np.array_equal(6 + 4 * np.arange(300), out[:])
    sycl.free(out, queue)


def wide(it, out):  # type: ignore[no-untyped-def]
    own = sycl.private_array(np.float32, 1 << 12)
    g = it.get_global_id(0)
    own[(g * 977) % (1 << 12)] = np.float32(g)
    out[g] = own[(g * 977) % (1 << 12)]


@pytest.mark.row("C-3")
def test_a_group_whose_arrays_do_not_fit_is_refused_or_runs(queue: sycl.queue) -> None:
    out = sycl.malloc_shared(1024, np.float32, queue)
    told = []
    try:
        queue.parallel_for(sycl.nd_range(1024, 1024), wide, out).wait()
    except sycl.exception as error:
        told.append((error.code(), str(error)))
    assert told or np.array_equal(np.arange(1024), out[:])
    assert all(code is sycl.errc.memory_allocation and "1024" in text for code, text in told)
    queue.parallel_for(sycl.nd_range(1024, 32), wide, out).wait()
    assert np.array_equal(np.arange(1024), out[:])
    sycl.free(out, queue)
