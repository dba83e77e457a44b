"""Command groups that come again: they do what each asks for, and see all that changed since."""

import threading

import numpy as np
import pytest

import unisycl as sycl

N = 64
WARM = 6
LEVEL = sycl.specialization_id(np.int32(1))


def raised(i, x, by):
    x[i] += by


def leveled(i, x, kh):
    x[i] += kh.get_specialization_constant(LEVEL)


def copied(i, a, b):
    b[i] = a[i] + np.int32(1)


def ints(value: int = 0) -> sycl.buffer:
    return sycl.buffer(np.full(N, value, np.int32))


def values(b: sycl.buffer) -> np.ndarray:
    with sycl.host_accessor(b, sycl.read_only) as seen:
        return np.array(seen)


def again(q: sycl.queue, b: sycl.buffer, by: int = 1, times: int = WARM) -> None:
    def group(h: sycl.handler) -> None:
        h.parallel_for(N, raised, sycl.accessor(b, h, sycl.read_write), by)
    for _ in range(times):
        q.submit(group).wait()


@pytest.mark.row("C-2")
def test_other_buffers_numbers_and_ranges_are_told_from_the_one_before(queue: sycl.queue) -> None:
    one, two = ints(), ints()
    again(queue, one)
    again(queue, two, times=1)
    again(queue, one, by=10)
    again(queue, two, by=10, times=1)

    def half(h: sycl.handler) -> None:
        h.parallel_for(N // 2, raised, sycl.accessor(one, h, sycl.read_write), 1)
    for _ in range(WARM):
        queue.submit(half).wait()
    again(queue, one, times=1)
    expected = np.full(N, WARM + 10 * WARM + 1)
    expected[:N // 2] += WARM
    assert (values(one) == expected).all()
    assert (values(two) == 11).all()


@pytest.mark.row("C-2")
def test_memory_that_moved_is_followed(queue: sycl.queue) -> None:
    """A new end for the contents has the buffer go on in memory of its own."""
    source, end = np.zeros(N, np.int32), np.zeros(N, np.int32)
    with sycl.buffer(source) as b:
        again(queue, b)
        b.set_final_data(end)
        again(queue, b)
    assert (end == 2 * WARM).all()


@pytest.mark.row("C-2")
def test_memory_that_moves_between_accessor_and_launch_is_followed(queue: sycl.queue) -> None:
    end = np.zeros(N, np.int32)
    with sycl.buffer(np.zeros(N, np.int32)) as b:
        again(queue, b)

        def group(h: sycl.handler) -> None:
            x = sycl.accessor(b, h, sycl.read_write)
            b.set_final_data(end)
            h.parallel_for(N, raised, x, 1)
        queue.submit(group).wait()
    assert (end == WARM + 1).all()


@pytest.mark.row("C-2")
def test_what_a_group_must_not_do_is_refused_however_often_it_did_right(queue: sycl.queue) -> None:
    b, kept = ints(), []
    again(queue, b)

    def keeps(h: sycl.handler) -> None:
        kept.append(sycl.accessor(b, h, sycl.read_write))
        h.parallel_for(N, raised, kept[-1], 1)
    queue.submit(keeps).wait()
    with pytest.raises(sycl.exception) as foreign:
        queue.submit(lambda h: h.parallel_for(N, raised, kept[0], 1))
    assert foreign.value.code() is sycl.errc.accessor

    def twice(h: sycl.handler) -> None:
        x = sycl.accessor(b, h, sycl.read_write)
        h.parallel_for(N, raised, x, 1)
        h.parallel_for(N, raised, x, 1)
    with pytest.raises(sycl.exception, match="already has a command"):
        queue.submit(twice)
    held = []
    queue.submit(lambda h: (held.append(h), keeps(h)))
    with pytest.raises(sycl.exception, match="has ended"):
        held[0].parallel_for(N, raised, kept[0], 1)
    queue.wait()
    assert (values(b) == WARM + 2).all()
    b.close()
    with pytest.raises(sycl.exception, match="closed"):
        again(queue, b)


@pytest.mark.row("C-2")
def test_a_constant_of_the_group_counts_each_time(queue: sycl.queue) -> None:
    b = ints()

    def group(h: sycl.handler, level: int | None = None) -> None:
        if level is not None:
            h.set_specialization_constant(LEVEL, level)
        h.parallel_for(N, leveled, sycl.accessor(b, h, sycl.read_write))
    for _ in range(WARM):
        queue.submit(group).wait()
    for _ in range(WARM):
        queue.submit(lambda h: group(h, 5)).wait()
    queue.submit(group).wait()
    assert (values(b) == 6 * WARM + 1).all()


@pytest.mark.row("C-2")
def test_it_waits_for_what_uses_its_memory(queue: sycl.queue) -> None:
    a, b, gate = ints(), ints(), threading.Event()

    def group(h: sycl.handler) -> None:
        x = sycl.accessor(a, h, sycl.read_only)
        y = sycl.accessor(b, h, sycl.write_only, sycl.no_init)
        h.parallel_for(N, copied, x, y)
    for _ in range(WARM):
        queue.submit(group).wait()

    def slow(h: sycl.handler) -> None:
        x = sycl.accessor(a, h, sycl.write_only_host_task)

        def write() -> None:
            gate.wait(10)
            for k in range(N):
                x[k] = 7
        h.host_task(write)
    other = sycl.queue(queue.get_device())
    other.submit(slow)
    made = queue.submit(group)
    gate.set()
    made.wait()
    assert (values(b) == 8).all()
    again(queue, a)
    with sycl.host_accessor(a, sycl.read_write) as seen:
        seen[0] = 100
    again(queue, a, times=1)
    assert values(a)[0] == 101
    assert values(a)[1] == 7 + WARM + 1


@pytest.mark.row("C-2")
def test_captured_accessors_come_again(queue: sycl.queue) -> None:
    a, b = ints(), ints()

    def group(h: sycl.handler) -> None:
        x = sycl.accessor(a, h, sycl.read_write)
        y = sycl.accessor(b, h, sycl.read_write)

        @h.parallel_for(sycl.range(N))
        def _(i):
            y[i] += x[i] + np.int32(1)
    for turn in range(2 * WARM):
        queue.submit(group).wait()
        a, b = (b, a) if turn == WARM else (a, b)
    one, two = 0, 0
    for turn in range(2 * WARM):
        two += one + 1
        one, two = (two, one) if turn == WARM else (one, two)
    assert (values(a) == one).all()
    assert (values(b) == two).all()


@pytest.mark.row("C-2")
def test_threads_submit_the_same_group(queue: sycl.queue) -> None:
    b = ints()
    again(queue, b)
    threads = [threading.Thread(target=again, args=(queue, b, 1, 40)) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    queue.wait()
    assert (values(b) == WARM + 160).all()
