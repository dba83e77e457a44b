"""NumPy's arrays as arguments, again and again: what one launch left serves no other (B-49)."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.row("B-49")


@sycl.kernel
def add(i, y, x, c):
    y[i] += c * x[i]


def large(queue: sycl.queue) -> int:
    """Return how many elements are too many for a launch that is over when it was submitted."""
    return 300 if queue.get_backend() is sycl.backend.host else 1 << 17


def test_each_launch_takes_the_arrays_that_it_is_given(queue: sycl.queue) -> None:
    """By turns, new ones, resized in place, parts of others, over fewer elements than there are."""
    rng = np.random.default_rng(0)
    pool = [np.zeros(rng.integers(1, 50) * 4, np.float32) for _ in range(5)]
    for _ in range(100):
        k, draw = rng.integers(0, 5), rng.random(4)
        if draw[0] < 0.2:
            pool[k] = np.zeros(rng.integers(1, 12) * 16, np.float32)
        if draw[1] < 0.1:
            pool[k].resize(pool[k].size + 3, refcheck=False)
        y, other = pool[k], pool[(k + 1) % 5]
        x = other[:y.size] if other.size >= y.size and draw[2] < 0.7 else \
            rng.integers(0, 9, y.size).astype(np.float32)
        count = y.size if draw[3] < 0.6 else int(rng.integers(1, y.size + 1))
        c = np.float32(rng.integers(0, 2))
        expected = y.copy()
        expected[:count] += c * x[:count]
        queue.parallel_for(count, add, y, x, c).wait()
        assert np.array_equal(expected, y)
        if y.max() > 1e6:
            y[:] = 0


@pytest.mark.parametrize("small", [True, False])
def test_it_keeps_no_array_and_notices_what_becomes_of_one(queue: sycl.queue, small: bool) -> None:
    n = 100 if small else large(queue)
    y, x = np.zeros(n, np.float32), np.ones(n, np.float32)
    for _ in range(4):
        queue.parallel_for(n, add, y, x, np.float32(1)).wait()
    assert (y == 4).all()
    gone = weakref.ref(x)
    del x
    one = np.ones(1, np.float32)  # what a card copied home is given up when it copies again
    queue.parallel_for(1, add, one.copy(), one, np.float32(1)).wait()
    gc.collect()
    assert gone() is None
    y.flags.writeable = False
    with pytest.raises(sycl.KernelError, match="read-only"):
        queue.parallel_for(n, add, y, y, np.float32(1)).wait()
    assert (y == 4).all()


def test_arrays_over_freed_memory_are_refused_when_they_come_again(queue: sycl.queue) -> None:
    memory = sycl.malloc_shared(64, np.float32, queue)
    y, x = np.asarray(memory), np.ones(64, np.float32)
    y[:] = 0
    for _ in range(3):
        queue.parallel_for(64, add, y, x, np.float32(1)).wait()
    assert (y == 3).all()
    sycl.free(memory, queue)
    with pytest.raises(sycl.UsageError, match="freed"):
        queue.parallel_for(64, add, y, x, np.float32(1)).wait()


def test_arrays_live_until_their_commands_have_ended(queue: sycl.queue) -> None:
    q = sycl.queue(queue.get_device(), sycl.property.queue.in_order())
    n = large(queue)
    out = np.zeros(n, np.float32)
    for k in range(6):
        x = np.full(n, k, np.float32)
        q.parallel_for(n, add, out, x, np.float32(1))
        del x
    q.wait()
    assert (out == 15).all()
