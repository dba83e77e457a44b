"""Which launches run in the submitting thread."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import unisycl as sycl
from unisycl.backends.cpu.pool import direct, direct_code
from unisycl.frontend.specialize import specialize


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


def test_wide_vectors_do_not_make_more_bytes_small():
    x, y = np.zeros(8), np.zeros(8)

    def daxpy(i):
        y[i] += 2 * x[i]

    kernel = specialize(daxpy, "range", 1).kernel
    items = 1 << 17
    narrow = direct_code.steps(kernel, 8, kernel.params, pairs=1, lines=1) * (items // 8)
    wide = direct_code.steps(kernel, 16, kernel.params, pairs=1, lines=2) * (items // 16)
    assert narrow > wide > direct.MOST_STEPS
    assert wide > 0.9 * narrow


def test_a_large_range_or_a_long_loop_does(queue):
    out = np.zeros(1 << 20, np.float32)
    total = np.zeros(1, np.float32)

    def double(i):
        out[i] = 2 * i

    def loop(i, n):
        for k in range(n):
            out[i] += k

    def long(i):
        for k in range(1 << 20):
            out[i] += k

    def add(i, s):
        s.combine(out[i])

    assert 1 == counted(queue, lambda: queue.parallel_for(1 << 20, double))
    assert 1 == counted(queue, lambda: queue.parallel_for(4, loop, 1 << 20))
    assert 0 == counted(queue, lambda: queue.parallel_for(4, loop, 4))
    assert 1 == counted(queue, lambda: queue.parallel_for(4, long))
    assert 2 == counted(queue, lambda: queue.parallel_for(
        1 << 20, sycl.reduction(total, sycl.plus()), add))


def test_a_small_reduction_gives_it_nothing_and_the_pools_bits(queue):
    x = np.random.default_rng(3).random(3000).astype(np.float32)
    total, least, pair = (np.full(n, 5, np.float32) for n in (1, 1, 2))

    def farther(a, b):
        return a if abs(a) > abs(b) else b

    def add(it, s, m, far, spread):
        i = it.get_global_id(0)
        s.combine(x[i])
        m.combine(x[i])
        far.combine(x[i] - np.float32(0.5))
        spread[i % 2].combine(x[i])

    odd = np.zeros(1, np.float32)

    def all_of_it():
        return (sycl.nd_range(3000, 24), sycl.reduction(total, sycl.plus()),
                sycl.reduction(least, sycl.minimum()), sycl.reduction(odd, farther),
                sycl.reduction(sycl.span(pair, 2), sycl.plus()), add)

    assert 0 == counted(queue, lambda: queue.parallel_for(*all_of_it()))
    found = [a.copy() for a in (total, least, odd, pair)]
    total[:], least[:], odd[:], pair[:] = 5, 5, 0, 5
    graph = sycl.ext.oneapi.experimental.command_graph(queue)
    graph.add(lambda h: h.parallel_for(*all_of_it()))
    assert 2 == counted(queue, lambda: queue.ext_oneapi_graph(graph.finalize()))
    assert [a.tobytes() for a in found] == [a.tobytes() for a in (total, least, odd, pair)]
    assert least[0] == x.min()
    assert np.isclose(found[0][0], 5 + x.astype(float).sum())


def test_a_small_copy_or_fill_gives_it_nothing(queue):
    a, b = sycl.malloc_shared(100, np.int32, queue), sycl.malloc_shared(100, np.int32, queue)
    large = np.zeros(1 << 20, np.int32)

    assert 0 == counted(queue, lambda: queue.fill(a, 7))
    assert 0 == counted(queue, lambda: queue.memcpy(b, a))
    assert np.asarray(b).tolist() == [7] * 100
    assert 1 == counted(queue, lambda: queue.fill(large, 3))


def test_numbers_that_change_are_those_of_their_launch(queue):
    a, b = sycl.malloc_shared(40, np.float32, queue), sycl.malloc_shared(40, np.float32, queue)
    buffer = sycl.buffer(np.zeros(40, np.float64))

    def step(i, one, other, k, scale):
        other[i] = one[i] + k * np.float32(scale)

    def group(h, k):
        h.parallel_for(40, shift, sycl.accessor(buffer, h, sycl.read_write), k)

    def shift(i, acc, k):
        acc[i] += k

    queue.fill(a, np.float32(0)).wait()
    for k in range(200):
        queue.parallel_for(40, step, a, b, k, 0.5).wait()
        queue.submit(lambda h, k=k: group(h, k)).wait()
        if k % 3 == 0:  # numbers that stay for a while
            queue.parallel_for(40, step, b, a, k, 0.5).wait()
    expected = np.float32(0)
    for k in range(200):
        other = expected + np.float32(k) * np.float32(0.5)
        if k % 3 == 0:
            expected = other + np.float32(k) * np.float32(0.5)
    assert set(np.asarray(b).tolist()) == {float(other)}
    with sycl.host_accessor(buffer) as seen:
        assert set(np.asarray(seen).tolist()) == {float(sum(range(200)))}


def test_a_small_nd_range_and_loops_of_known_turns_give_it_nothing(queue):
    out = np.zeros(96, np.int32)

    def sum_up(it):
        i = it.get_global_id(0)
        for k in range(5):
            for m in range(3, 0, -1):
                out[i] += k * m

    assert 0 == counted(queue, lambda: queue.parallel_for(sycl.nd_range(96, 24), sum_up))
    assert (60 == out).all()


def test_small_groups_that_meet_share_or_combine_give_it_nothing(queue):
    out, sums = np.zeros(96, np.int32), np.zeros(4, np.int32)

    def turn(it, part, n):
        k, i = it.get_local_id(0), it.get_global_id(0)
        for _ in range(n):
            part[k] = out[i] + k
            sycl.group_barrier(it.get_group())
            out[i] = part[23 - k]
            sycl.group_barrier(it.get_group())
        sums[it.get_group(0)] = sycl.reduce_over_group(it.get_group(), out[i], sycl.plus())

    def group(h, n=3, many=24):
        h.parallel_for(sycl.nd_range(96, 24), turn, sycl.local_accessor(np.int32, many, h), n)

    def by_hand(h):
        def of_group(g):
            total = np.int32(0)

            def of_item(it):
                out[it.get_global_id(0)] *= 2
            g.parallel_for_work_item(of_item)
            for k in range(24):
                total += out[g.get_group_id(0) * 24 + k]
            sums[g.get_group_id(0)] = total
        h.parallel_for_work_group(sycl.range(4), sycl.range(24), of_group)

    assert 0 == counted(queue, lambda: queue.submit(group))
    each = np.zeros(24, np.int32)
    for _ in range(3):
        each = (each + np.arange(24, dtype=np.int32))[::-1]
    assert np.tile(each, 4).tolist() == out.tolist()
    assert [each.sum()] * 4 == sums.tolist()
    assert 0 == counted(queue, lambda: queue.submit(by_hand))
    assert [2 * each.sum()] * 4 == sums.tolist()
    assert 1 == counted(queue, lambda: queue.submit(lambda h: group(h, 1 << 14)))
    assert 1 == counted(queue, lambda: queue.submit(lambda h: group(h, 1, 1 << 16)))


def test_a_waiting_thread_takes_part_where_loops_count_and_ended_soon(queue):
    out = sycl.malloc_shared(1 << 10, np.float32, queue)
    flag = sycl.malloc_shared(1, np.int32, queue)
    out[:], flag[0] = 0, 0
    three = sycl.malloc_shared(1, np.int32, queue)
    three[0] = 3
    pool, real, assisted = pool_of(queue), pool_of(queue).submit, []

    def loop(i, a, turns):
        for k in range(turns[0]):
            a[i] += k

    def spin(i, a, f):
        while f[0] != 0:
            a[i] += 1
    pool.submit = lambda *a, **k: assisted.append(k["assisted"]) or real(*a, **k)
    try:
        for bound in (queue.bind(1 << 10, loop, out, three), queue.bind(1 << 10, spin, out, flag)):
            for _ in range(2):
                bound().wait()
    finally:
        del pool.submit
    assert 4 == len(assisted)
    assert not assisted[0]
    assert not any(assisted[2:])  # the second takes part if the first ended soon


@pytest.mark.parametrize("in_order", [False, True])
def test_a_tiny_group_waits_for_what_uses_its_buffer(in_order):
    order = [sycl.property.queue.in_order()] if in_order else []
    queue, other = sycl.queue(sycl.cpu_selector_v, *order), sycl.queue(sycl.cpu_selector_v)
    data, seen = np.zeros(1, np.int64), np.zeros(1, np.int64)
    memory, copy = sycl.buffer(data), sycl.buffer(seen)

    def slow(i, a, n):
        for _ in range(n):
            a[i] += 1

    def take(i, a, b):
        b[i] = a[i]
        a[i] = -a[i]

    def tiny(h):
        a = sycl.accessor(memory, h, sycl.read_write)
        h.parallel_for(1, take, a, sycl.accessor(copy, h, sycl.write_only, sycl.no_init))
    for _ in range(3):
        queue.submit(tiny)
        other.submit(lambda h: h.parallel_for(1, slow, sycl.accessor(memory, h), 1_000_000))
        queue.submit(tiny)
    memory.close()
    copy.close()
    # x -> x -> x + n -> -(x + n) three times, with a change of sign before each
    value = 0
    for _ in range(3):
        value = -(-value + 1_000_000)
    assert value == data[0]
    assert -value == seen[0]


def test_what_is_decorated_and_what_is_made_each_time_is_remembered(queue):
    out = sycl.malloc_shared(64, np.int32, queue)

    queue.fill(out, 0, 64).wait()

    @sycl.kernel
    def mark(it, a):
        a[it.get_global_id(0)] += 1

    launches = []
    for _ in range(4):
        queue.parallel_for(sycl.nd_range(64, 16), mark, out).wait()
        (kept,) = [entry for key, entry in queue.channel.warm.items() if key[0] == id(
            mark.function.__code__)]
        launches.append(len(kept[0][2].kept))
    assert [0, 1, 1, 1] == launches
    assert (4 == out[:]).all()


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


def test_a_small_loop_runs_at_once_after_it_has_waited():
    queue = sycl.queue(sycl.cpu_selector_v, sycl.property.queue.in_order())
    out = sycl.malloc_shared(4, np.int64, queue)
    out[:] = 0

    def slow(i, a, n):
        for _ in range(n):
            a[i] += 1

    def few(i, a):
        for k in range(3):
            a[i] += k
    bound = queue.bind(4, few, out)
    bound().wait()
    for _ in range(3):
        queue.parallel_for(4, slow, out, 1_000_000)
        bound()
        done = bound()
        done.wait()
        bound(depends_on=done).wait()
        queue.parallel_for(4, few, out)
        queue.wait()
        queue.submit(lambda h: h.parallel_for(4, few, out)).wait()
    assert [3 * (1 + 3 * 5) + 3_000_000] * 4 == list(out)


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
