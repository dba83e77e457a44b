"""Litmus tests: what two or more threads may see of each other's writes (SYCL 2020 §3.8.3).

Work-groups of one work-item each, different kernels, or a kernel and a thread of the host run over
the same arrays of cells, one cell after another; before each cell, a work-group waits a little for
its neighbour to get there. Nothing depends on their running at once. Each test names the outcome
that the orders forbid; outcomes that they allow may or may not show.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import unisycl as sycl
from unisycl.testing import refused

order, scope = sycl.memory_order, sycl.memory_scope
MANY, FEW = 50_000, 100  # cells of a device with threads, and of one that runs in Python
ROUNDS = 20
PATIENCE = 20_000  # looks at a neighbour that does not come
CREDIT = 2_000_000  # looks in all


def cells_of(queue: sycl.queue) -> int:
    return FEW if queue.get_device().has(sycl.aspect.emulated) else MANY


def rounds_of(queue: sycl.queue) -> int:
    return 1 if queue.get_device().has(sycl.aspect.emulated) else ROUNDS


def meeting(count: int) -> np.ndarray:
    """Return a cache line for each work-group: how far it is, and the looks it has left."""
    at = np.zeros((4, 16), np.int64)
    at[:, 8] = CREDIT if count == MANY else 0
    return at


def meet(at, who, k):
    """Wait until the neighbour is at cell k, too, but not for long."""
    sycl.atomic_ref(at, (who, 0), order.relaxed, scope.system).store(k + 1)
    other = sycl.atomic_ref(at, (who ^ 1, 0), order.relaxed, scope.system)
    looks = min(at[who, 8], PATIENCE)
    left = looks
    while left > 0 and other.load() <= k:
        left -= 1
    at[who, 8] -= looks - left


def arrays(count: int, how_many: int) -> list[np.ndarray]:
    return [np.zeros(count, np.int32) for _ in range(how_many)]


@pytest.mark.row("E-32")
@pytest.mark.parametrize("wide", [scope.device, scope.system])
def test_message_passing(queue: sycl.queue, wide: sycl.memory_scope) -> None:
    """Forbidden: the flag is seen by an acquire, but not the data written before its release."""
    count = cells_of(queue)
    for _ in range(rounds_of(queue)):
        data, flag, seen, read = arrays(count, 4)

        def kernel(it, at, data, flag, seen, read, wide=wide, count=count):
            for k in range(count):
                meet(at, it.get_group(0), k)
                ready = sycl.atomic_ref(flag, k, order.acq_rel, wide)
                if it.get_group(0) == 0:
                    data[k] = k + 1
                    ready.store(1)
                else:
                    seen[k] = ready.load()
                    if seen[k] == 1:
                        read[k] = data[k]
        queue.parallel_for(sycl.nd_range(2, 1), kernel, meeting(count), data, flag, seen,
                           read).wait()
        assert np.array_equal(np.flatnonzero(seen) + 1, read[seen == 1])


@pytest.mark.row("D-35", "E-32")
def test_message_passing_by_fences(queue: sycl.queue) -> None:
    """Forbidden: the relaxed flag is seen before a fence, and stale data behind it."""
    count = cells_of(queue)
    for _ in range(rounds_of(queue)):
        data, flag, seen, read = arrays(count, 4)

        def kernel(it, at, data, flag, seen, read, count=count):
            for k in range(count):
                meet(at, it.get_group(0), k)
                ready = sycl.atomic_ref(flag, k, order.relaxed, scope.device)
                if it.get_group(0) == 0:
                    data[k] = k + 1
                    sycl.atomic_fence(order.release, scope.device)
                    ready.store(1)
                else:
                    seen[k] = ready.load()
                    sycl.atomic_fence(order.acquire, scope.device)
                    if seen[k] == 1:
                        read[k] = data[k]
        queue.parallel_for(sycl.nd_range(2, 1), kernel, meeting(count), data, flag, seen,
                           read).wait()
        assert np.array_equal(np.flatnonzero(seen) + 1, read[seen == 1])


@pytest.mark.row("E-32")
def test_a_release_sequence_goes_on_through_read_modify_writes(queue: sycl.queue) -> None:
    """Forbidden: a flag changed by others after its release is seen, but not the data."""
    count = cells_of(queue)
    data, flag, seen, read = arrays(count, 4)

    def kernel(it, at, data, flag, seen, read, count=count):
        for k in range(count):
            meet(at, it.get_group(0), k)
            ready = sycl.atomic_ref(flag, k, order.acq_rel, scope.device)
            if it.get_group(0) == 0:
                data[k] = k + 1
                ready.store(1)
            elif it.get_group(0) == 1:
                ready.fetch_add(2, order.relaxed)
            else:
                seen[k] = ready.load() % 2
                if seen[k] == 1:
                    read[k] = data[k]
    queue.parallel_for(sycl.nd_range(3, 1), kernel, meeting(count), data, flag, seen, read).wait()
    assert np.array_equal(np.flatnonzero(seen) + 1, read[seen == 1])


@pytest.mark.row("E-32")
@pytest.mark.parametrize("strict", ["orders", "fences", "exchanges"])
def test_store_buffering(queue: sycl.queue, strict: str) -> None:
    """Forbidden under seq_cst: two threads each write, then read what the other wrote: nothing."""
    count = cells_of(queue)
    for _ in range(rounds_of(queue)):
        x, y, a, b = arrays(count, 4)

        def kernel(it, at, x, y, a, b, strict=strict, count=count):
            for k in range(count):
                meet(at, it.get_group(0), k)
                if it.get_group(0) == 0:
                    a[k] = written_then_read(x, y, k, strict)
                else:
                    b[k] = written_then_read(y, x, k, strict)
        queue.parallel_for(sycl.nd_range(2, 1), kernel, meeting(count), x, y, a, b).wait()
        assert not np.any((a == 0) & (b == 0))


def written_then_read(mine, other, k, strict):
    if strict == "orders":
        sycl.atomic_ref(mine, k, order.seq_cst, scope.device).store(1)
        return sycl.atomic_ref(other, k, order.seq_cst, scope.device).load()
    if strict == "fences":
        sycl.atomic_ref(mine, k, order.relaxed, scope.device).store(1)
        sycl.atomic_fence(order.seq_cst, scope.device)
        return sycl.atomic_ref(other, k, order.relaxed, scope.device).load()
    sycl.atomic_ref(mine, k, order.seq_cst, scope.device).exchange(1)
    return sycl.atomic_ref(other, k, order.seq_cst, scope.device).fetch_add(0)


@pytest.mark.row("E-32")
def test_load_buffering(queue: sycl.queue) -> None:
    """Forbidden: two threads each read what the other only writes after its own read."""
    count = cells_of(queue)
    for _ in range(rounds_of(queue)):
        x, y, a, b = arrays(count, 4)

        def kernel(it, at, x, y, a, b, count=count):
            for k in range(count):
                meet(at, it.get_group(0), k)
                left = sycl.atomic_ref(x, k, order.acq_rel, scope.device)
                right = sycl.atomic_ref(y, k, order.acq_rel, scope.device)
                if it.get_group(0) == 0:
                    a[k] = left.load()
                    right.store(1)
                else:
                    b[k] = right.load()
                    left.store(1)
        queue.parallel_for(sycl.nd_range(2, 1), kernel, meeting(count), x, y, a, b).wait()
        assert not np.any((a == 1) & (b == 1))


@pytest.mark.row("E-32")
def test_nothing_comes_out_of_thin_air(queue: sycl.queue) -> None:
    """Forbidden even when relaxed: copying to and fro makes a value nobody wrote."""
    count = cells_of(queue)
    x, y = arrays(count, 2)

    def kernel(it, at, x, y, count=count):
        for k in range(count):
            meet(at, it.get_group(0), k)
            left = sycl.atomic_ref(x, k, order.relaxed, scope.device)
            right = sycl.atomic_ref(y, k, order.relaxed, scope.device)
            if it.get_group(0) == 0:
                right.store(left.load())
            else:
                left.store(right.load())
    queue.parallel_for(sycl.nd_range(2, 1), kernel, meeting(count), x, y).wait()
    assert not x.any()
    assert not y.any()


@pytest.mark.row("E-32")
def test_independent_reads_of_independent_writes(queue: sycl.queue) -> None:
    """Forbidden under seq_cst: two readers see two writes in opposite orders."""
    count = cells_of(queue)
    for _ in range(rounds_of(queue)):
        x, y = arrays(count, 2)
        a, b, c, d = arrays(count, 4)

        def kernel(it, at, x, y, a, b, c, d, count=count):
            who = it.get_group(0)
            for k in range(count):
                meet(at, it.get_group(0), k)
                left = sycl.atomic_ref(x, k, order.seq_cst, scope.device)
                right = sycl.atomic_ref(y, k, order.seq_cst, scope.device)
                if who == 0:
                    left.store(1)
                elif who == 1:
                    a[k] = left.load()
                    b[k] = right.load()
                elif who == 2:
                    c[k] = right.load()
                    d[k] = left.load()
                else:
                    right.store(1)
        queue.parallel_for(sycl.nd_range(4, 1), kernel, meeting(count), x, y, a, b, c, d).wait()
        assert not np.any((a == 1) & (b == 0) & (c == 1) & (d == 0))


@pytest.mark.row("E-32")
def test_coherence_of_one_location(queue: sycl.queue) -> None:
    """Forbidden even when relaxed: a later read of one cell gives an earlier value."""
    count = cells_of(queue)
    cell = np.zeros(1, np.int32)
    values = np.zeros(count, np.int32)

    def kernel(it, at, cell, values, count=count):
        ref = sycl.atomic_ref(cell, 0, order.relaxed, scope.device)
        for k in range(count):
            meet(at, it.get_group(0), k)
            if it.get_group(0) == 0:
                ref.store(k + 1)
            else:
                values[k] = ref.load()
    queue.parallel_for(sycl.nd_range(2, 1), kernel, meeting(count), cell, values).wait()
    assert np.all(np.diff(values) >= 0)
    assert count == cell[0]


@pytest.mark.row("E-32", "E-33")
def test_every_increment_draws_its_own_number(queue: sycl.queue) -> None:
    count = cells_of(queue) // 4
    cell, drawn = np.zeros(1, np.int64), np.zeros((4, count), np.int64)

    def kernel(it, at, cell, drawn, count=count):
        ref = sycl.atomic_ref(cell, 0, order.relaxed, scope.device)
        for k in range(count):
            meet(at, it.get_group(0), k)
            drawn[it.get_group(0), k] = ref.fetch_add(1)
    queue.parallel_for(sycl.nd_range(4, 1), kernel, meeting(count), cell, drawn).wait()
    assert np.array_equal(np.arange(4 * count), np.sort(drawn.reshape(-1)))
    assert np.all(np.diff(drawn, axis=1) > 0)


@pytest.mark.row("E-32", "E-26", "E-33")
def test_message_passing_between_kernels(queue: sycl.queue) -> None:
    """Two kernels that do not depend on each other; USM orders nothing by itself."""
    count = cells_of(queue)
    data, flag, seen, read = (sycl.malloc_shared(count, np.int32, queue) for _ in range(4))
    for array in (data, flag, seen, read):
        array[:] = 0

    def writer(at, data, flag, count=count):
        for k in range(count):
            meet(at, 0, k)
            data[k] = k + 1
            sycl.atomic_ref(flag, k, order.acq_rel, scope.device).store(1)

    def reader(at, data, flag, seen, read, count=count):
        for k in range(count):
            meet(at, 1, k)
            seen[k] = sycl.atomic_ref(flag, k, order.acq_rel, scope.device).load()
            if seen[k] == 1:
                read[k] = data[k]
    other = sycl.queue(queue.get_context(), queue.get_device())
    at = sycl.malloc_shared((4, 16), np.int64, queue)
    np.asarray(at)[:] = meeting(count)
    events = [queue.single_task(writer, at, data, flag),
              other.single_task(reader, at, data, flag, seen, read)]
    for event in events:
        event.wait()
    found = np.asarray(seen)
    assert np.array_equal(np.flatnonzero(found) + 1, np.asarray(read)[found == 1])


@pytest.mark.row("E-32", "E-35")
def test_a_kernel_and_a_thread_pass_a_ball(queue: sycl.queue) -> None:
    """Whoever has the ball writes plain data, then releases; a lost or stale one is counted."""
    slow = queue.get_device().get_backend() is sycl.backend.host
    passes, patience = (10, 1 << 16) if slow else (100, 1 << 28)
    with refused(queue.get_device(), sycl.aspect.usm_atomic_shared_allocations):
        ball, data = (sycl.malloc_shared(2, t, queue) for t in (np.int32, np.int64))
        ball[:] = data[:] = 0

        def kernel(ball, data, passes=passes, patience=patience):
            ref = sycl.atomic_ref(ball, 0, order.acq_rel, scope.system)
            for k in range(passes):
                waited = 0
                while ref.load() != 2 * k + 1 and waited < patience:
                    waited += 1
                if waited == patience or data[0] != 2 * k + 1:
                    data[1] += 1
                data[0] = 2 * k + 2
                ref.store(2 * k + 2)
        mine = sycl.atomic_ref(ball, 0, order.acq_rel, scope.system)
        launch = ThreadPoolExecutor(1).submit(
            lambda: queue.single_task(kernel, ball, data).wait())
        stale = 0
        for k in range(passes):
            while mine.load() != 2 * k and not launch.done():
                pass
            stale += int(data[0]) != 2 * k
            data[0] = 2 * k + 1
            mine.store(2 * k + 1)
        launch.result()
        assert (0, 0, 2 * passes) == (stale, data[1], data[0])
