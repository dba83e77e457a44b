"""Launches that come again with the very same arguments: they see all that has changed since."""

import gc
import sys
import threading
import weakref

import numpy as np
import pytest

import unisycl as sycl

N = 64
STEP = 1


def add(i, x, s):
    x[i] += s


def advance(i, x):
    x[i] += STEP


def shift(i, a, b):
    b[i] = a[i] + np.int32(1)


def shared(q: sycl.queue, count: int = N) -> sycl.usm_pointer:
    p = sycl.malloc_device(count, q, dtype=np.int32)
    q.fill(p, np.int32(0)).wait()
    return p


def host(q: sycl.queue, p: sycl.usm_pointer) -> np.ndarray:
    out = np.empty(p.shape, p.dtype)
    q.memcpy(out, p).wait()
    return out


@pytest.mark.row("C-2", "B-42")
def test_the_same_launch_again_and_again(queue: sycl.queue) -> None:
    x, s = shared(queue), np.int32(3)
    for _ in range(20):
        queue.parallel_for(N, add, x, s).wait()
    assert (host(queue, x) == 60).all()


@pytest.mark.row("C-2")
def test_arguments_by_turns(queue: sycl.queue) -> None:
    a, b = shared(queue), shared(queue)
    for _ in range(12):
        queue.parallel_for(N, shift, a, b).wait()
        a, b = b, a
    assert (host(queue, a) == 12).all()


@pytest.mark.row("C-2")
def test_more_arguments_than_are_remembered(queue: sycl.queue) -> None:
    every = [shared(queue) for _ in range(7)]
    for turn in range(30):
        queue.parallel_for(N, add, every[turn % 7], turn).wait()
    for k, x in enumerate(every):
        assert (host(queue, x) == sum(range(k, 30, 7))).all()


@pytest.mark.row("D-5")
def test_a_global_that_changes_is_seen(queue: sycl.queue, monkeypatch: pytest.MonkeyPatch) -> None:
    x = shared(queue)
    for step in (1, 1, 1, 1, 5, 5, 5, 5):
        monkeypatch.setitem(globals(), "STEP", step)
        queue.parallel_for(N, advance, x).wait()
    assert (host(queue, x) == 24).all()


@pytest.mark.row("C-2")
def test_what_follows_a_launch_that_came_again_is_told_from_it(queue: sycl.queue) -> None:
    def made(step):  # functions of one code object
        def more(i, out, by=np.int32(1)):
            out[i] += step * by
        return more

    x, y, one, ten = shared(queue), shared(queue, 2 * N), made(np.int32(1)), made(np.int32(10))
    for kernel, *arguments in ((one, x), (ten, x), (one, x, np.int32(3)), (one, y), (ten, y)):
        for _ in range(4):
            queue.parallel_for(N, kernel, *arguments).wait()
    queue.parallel_for(2 * N, ten, y).wait()
    assert (host(queue, x) == 4 + 40 + 12).all()
    assert host(queue, y).tolist() == [4 + 40 + 10] * N + [10] * N


@pytest.mark.row("C-2")
def test_a_captured_variable_that_changes_is_seen(queue: sycl.queue) -> None:
    x, step = shared(queue), np.int32(1)

    def more(i, out):
        out[i] += step
    for value in (1, 1, 1, 7, 7, 7):
        step = np.int32(value)
        queue.parallel_for(N, more, x).wait()
    assert (host(queue, x) == 24).all()


@pytest.mark.row("B-45")
def test_freed_memory_is_refused_however_often_it_was_used(queue: sycl.queue) -> None:
    x = shared(queue)
    for _ in range(5):
        queue.parallel_for(N, advance, x).wait()
    sycl.free(x, queue)
    with pytest.raises(sycl.exception, match="freed"):
        queue.parallel_for(N, advance, x)
    y = shared(queue)
    queue.parallel_for(N, advance, y).wait()
    assert (host(queue, y) == 1).all()


@pytest.mark.row("B-45")
@pytest.mark.parametrize("freed", [False, True])
def test_memory_goes_with_its_pointer(queue: sycl.queue, freed: bool) -> None:
    """What is remembered of a launch keeps nothing alive, once its commands have ended."""
    x = shared(queue)
    memory = weakref.ref(x.block)
    for _ in range(5):
        queue.parallel_for(N, advance, x).wait()
    queue.wait()
    held = getattr(x.block.memory, "buffer", x.block.memory)
    if freed:
        sycl.free(x, queue)
    del x
    gc.collect()
    assert memory() is None
    assert sys.getrefcount(held) == 2, gc.get_referrers(held)  # here, and as an argument


@pytest.mark.row("B-45")
def test_memory_may_go_while_its_launch_runs(queue: sycl.queue) -> None:
    q = sycl.queue(queue.get_context(), queue.get_device(), sycl.property.queue.in_order())
    y = shared(queue)
    for _ in range(20):
        x = shared(queue)
        for _ in range(4):
            q.parallel_for(N, advance, x)
        q.parallel_for(N, shift, x, y)
        del x
    q.wait()
    assert (host(queue, y) == 5).all()


@pytest.mark.row("B-42")
def test_memory_of_another_context_is_refused(queue: sycl.queue) -> None:
    x = shared(queue)
    for _ in range(5):
        queue.parallel_for(N, advance, x).wait()
    other = sycl.queue(sycl.context(queue.get_device()), queue.get_device())
    with pytest.raises(sycl.exception, match="context"):
        other.parallel_for(N, advance, x)


@pytest.mark.row("A-26")
def test_threads_launch_the_same(queue: sycl.queue) -> None:
    xs = [shared(queue) for _ in range(4)]

    def work(x: sycl.usm_pointer) -> None:
        for _ in range(50):
            queue.parallel_for(N, advance, x).wait()
    threads = [threading.Thread(target=work, args=(x,)) for x in xs]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for x in xs:
        assert (host(queue, x) == 50).all()


@pytest.mark.row("A-20")
def test_queues_of_a_device_share_what_is_remembered(queue: sycl.queue) -> None:
    x = shared(queue)
    others = [sycl.queue(queue.get_context(), queue.get_device(), *p) for p in (
        (), (sycl.property.queue.in_order(),), (sycl.property.queue.enable_profiling(),))]
    for turn in range(12):
        done = others[turn % 3].parallel_for(N, advance, x)
        done.wait()
    assert (host(queue, x) == 12).all()
    start, end = (done.get_profiling_info(k) for k in (
        sycl.info.event_profiling.command_start, sycl.info.event_profiling.command_end))
    assert 0 < start <= end


def step(i, h, d, low):
    r = low + i
    h[r, d - r] = h[r - 1, d - r] ^ (h[r, d - r - 1] + 1)


@pytest.mark.row("C-2")
def test_ranges_that_differ_from_launch_to_launch(queue: sycl.queue) -> None:
    n = 24
    want = np.ones((n, n), np.int32)
    for r in range(1, n):
        for c in range(1, n):
            want[r, c] = want[r - 1, c] ^ (want[r, c - 1] + 1)
    h = sycl.malloc_device((n, n), queue, dtype=np.int32)
    q = sycl.queue(queue.get_context(), queue.get_device(), sycl.property.queue.in_order())
    for _ in range(3):
        q.fill(h, np.int32(1)).wait()
        for d in range(2, 2 * n - 1):
            low = max(1, d - n + 1)
            q.parallel_for(min(n, d) - low, step, h, d, low)
        q.parallel_for(0, step, h, 0, 0)
        q.wait()
        assert (host(q, h) == want).all()
    sycl.free(h, q)
    with pytest.raises(sycl.exception):
        q.parallel_for(7, step, h, 8, 1).wait()
