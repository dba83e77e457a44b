"""Which launches run in the submitting thread."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import unisycl as sycl


@pytest.fixture
def queue():
    try:
        return sycl.queue(sycl.cpu_selector_v)
    except sycl.exception as error:
        pytest.skip(str(error))


def pool_of(queue):
    return queue.channel.driver.pool


def counted(queue, submit):
    """Return the jobs that the pool was given."""
    pool, jobs, real = pool_of(queue), [], pool_of(queue).submit
    pool.submit = lambda *a, **k: jobs.append(a) or real(*a, **k)
    try:
        submit().wait()
    finally:
        del pool.submit
    return len(jobs)


def test_a_tiny_kernel_gives_the_pool_nothing(queue):
    out = np.zeros(100, np.float32)

    def double(i):
        out[i] = 2 * i

    assert 0 == counted(queue, lambda: queue.parallel_for(100, double))
    assert np.arange(0, 200, 2).tolist() == out.tolist()


def test_a_large_range_a_loop_or_a_reduction_does(queue):
    out = np.zeros(1 << 20, np.float32)
    total = np.zeros(1, np.float32)

    def double(i):
        out[i] = 2 * i

    def loop(i):
        for k in range(4):
            out[i] += k

    def add(i, s):
        s.combine(out[i])

    assert 1 == counted(queue, lambda: queue.parallel_for(1 << 20, double))
    assert 1 == counted(queue, lambda: queue.parallel_for(4, loop))
    assert 2 == counted(queue, lambda: queue.parallel_for(
        4, sycl.reduction(total, sycl.plus()), add))


def test_a_tiny_kernel_behind_a_long_one_waits_for_it():
    queue = sycl.queue(sycl.cpu_selector_v, sycl.property.queue.in_order())
    out = np.zeros(1, np.int64)

    def slow(i):
        for _ in range(3_000_000):
            out[i] += 1

    def negate(i):
        out[i] = -out[i]

    queue.parallel_for(1, slow)
    queue.parallel_for(1, negate).wait()
    assert -3_000_000 == out[0]


def test_times_of_a_direct_command_are_in_order():
    queue = sycl.queue(sycl.cpu_selector_v, sycl.property.queue.enable_profiling())
    out = np.zeros(1)

    def write(i):
        out[i] = 1

    done = queue.parallel_for(1, write)
    profiling = sycl.info.event_profiling
    times = [done.get_profiling_info(getattr(profiling, f"command_{what}"))
             for what in ("submit", "start", "end")]
    assert times == sorted(times)
    assert times[0] > 0


def test_many_threads_submit_tiny_kernels_at_once(queue):
    out = np.zeros((4, 500), np.int32)

    def mark(i, k, n):
        out[k, n] = n + 1

    def work(k):
        for n in range(500):
            queue.parallel_for(1, mark, k, n)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    queue.wait()
    assert (np.arange(1, 501) == out).all()
