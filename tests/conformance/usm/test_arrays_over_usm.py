"""NumPy's arrays over USM are that memory for kernels and copies: nothing is brought anywhere."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.row("B-46", "I-15")
N = 1000
KINDS = pytest.mark.parametrize("kind", [sycl.usm.alloc.shared, sycl.usm.alloc.host])


def made(queue: sycl.queue, kind: sycl.usm.alloc, dtype=np.float32) -> np.ndarray:
    a = sycl.usm_allocator(kind, queue).ext_unisycl_empty(N, dtype)
    a[...] = 0
    return a


def rounds(queue: sycl.queue) -> int:
    return 2 if queue.get_device().has(sycl.aspect.host_debuggable) else 30


@KINDS
def test_commands_see_what_those_before_left_there(queue: sycl.queue, kind) -> None:
    """In one queue in order a pointer and arrays over its memory lead to the same elements."""
    q = sycl.queue(queue.get_context(), queue.get_device(), sycl.property.queue.in_order())
    p = sycl.malloc(N, q, kind, dtype=np.float32)
    a = np.asarray(p)
    a[...] = 0
    odd, back = a[1::2], a[::-1]
    b, c = made(q, kind), sycl.malloc_device(N, np.float32, q)
    total = made(q, kind)[:1]

    def grow(i):
        x = p[i]
        for _ in range(200):
            x = x + np.float32(1)
        p[i] = x

    def take(i):
        b[i] = b[i] + a[i] + back[i]

    def bump(i):
        odd[i] = odd[i] + np.float32(0.5)

    def add(i, found):
        found.combine(a[i])

    expected, sums, seen = np.zeros(N, np.float32), np.zeros(N, np.float32), np.empty(N, np.float32)
    for _ in range(rounds(queue)):
        q.parallel_for(N, grow)
        q.parallel_for(N, take)
        q.parallel_for(N // 2, bump)
        q.parallel_for(N, sycl.reduction(
            total, sycl.plus(), sycl.property.reduction.initialize_to_identity()), add)
        q.copy(a, c, N)
        expected += 200
        sums += expected + expected[::-1]
        expected[1::2] += 0.5
    q.copy(c, seen, N).wait()
    assert np.array_equal(expected, a)
    assert np.array_equal(expected, seen)
    assert np.array_equal(sums, b)
    assert total[0] == expected.sum()
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
    for _ in range(rounds(queue)):
        queue.parallel_for(N, step).wait()
        y = x * 2
        x += np.arange(N, dtype=np.int32)
        queue.parallel_for(grid.shape, mark).wait()
        x[:990].reshape(30, 33).T[2:, ::3] += 1
    assert np.array_equal(x, a)
    assert np.array_equal(y, b)
