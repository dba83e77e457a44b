"""NumPy's arrays over USM are that memory for kernels and copies: nothing is brought anywhere."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

pytestmark = [pytest.mark.row("B-46"), pytest.mark.part("I-15")]
N = 1000
KINDS = pytest.mark.parametrize("kind", [sycl.usm.alloc.shared, sycl.usm.alloc.host])


def made(queue: sycl.queue, kind: sycl.usm.alloc, dtype) -> np.ndarray:
    a = sycl.usm_allocator(kind, queue).ext_unisycl_empty(N, dtype)
    a[...] = 0
    return a


def is_slow(queue: sycl.queue) -> bool:
    return queue.get_device().has(sycl.aspect.host_debuggable)


@KINDS
def test_commands_see_what_those_before_left_there(queue: sycl.queue, kind) -> None:
    """In one queue in order a pointer and arrays over its memory lead to the same elements."""
    q = sycl.queue(queue.get_context(), queue.get_device(), sycl.property.queue.in_order())
    steps = 20_000 if q.get_device().has(sycl.aspect.gpu) else 20  # longer than a submission
    p = sycl.malloc(N, q, kind, dtype=np.int32)
    a = np.asarray(p)
    a[...] = np.arange(N)
    odd, back = a[1::2], a[::-1]
    b, c = made(q, kind, np.int32), sycl.malloc_device(N, np.int32, q)
    total = made(q, kind, np.int32)[:1]

    def mix(i):
        x = p[i]
        for _ in range(steps):
            x = (x * 5 + 3) & 1023
        p[i] = x

    def take(i):
        b[i] = b[i] + a[i] + 2 * back[i]

    def bump(i):
        odd[i] = odd[i] + 1

    def add(i, found):
        found.combine(a[i])

    x, sums, seen = np.arange(N, dtype=np.int32), np.zeros(N, np.int32), np.empty(N, np.int32)
    for _ in range(2 if is_slow(q) else 5):
        q.parallel_for(N, mix)
        q.parallel_for(N, take)
        q.parallel_for(N // 2, bump)
        q.parallel_for(N, sycl.reduction(
            total, sycl.plus(), sycl.property.reduction.initialize_to_identity()), add)
        q.copy(a, c, N)
        for _ in range(steps):
            x = (x * 5 + 3) & 1023
        sums += x + 2 * x[::-1]
        x[1::2] += 1
    q.copy(c, seen, N).wait()
    assert np.array_equal(x, a)
    assert np.array_equal(x, seen)
    assert np.array_equal(sums, b)
    assert total[0] == x.sum()
    sycl.free(p, q)
    sycl.free(c, q)


@KINDS
def test_launches_that_come_again_use_the_memory(queue: sycl.queue, kind) -> None:
    a, b = made(queue, kind, np.int32), made(queue, kind, np.int32)
    grid = a[:990].reshape(30, 33).T[2:, ::3]

    def step(i):
        b[i] = a[i] * 2
        a[i] = a[i] + i

    def mark(it):
        grid[it] = grid[it] + 1

    x = np.zeros(N, np.int32)
    for _ in range(2 if is_slow(queue) else 5):
        queue.parallel_for(N, step).wait()
        y = x * 2
        x += np.arange(N, dtype=np.int32)
        queue.parallel_for(grid.shape, mark).wait()
        x[:990].reshape(30, 33).T[2:, ::3] += 1
    assert np.array_equal(x, a)
    assert np.array_equal(y, b)
