"""Every call of the driver's may fail: nothing hangs, leaks or goes on with wrong data."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.cuda_fake.install import installed
from tests.cuda_fake.library import FakeCuda

COUNT = 64
LARGE = 1 << 19  # float32: more than waits in pinned memory


def double(i: Any, p: Any) -> None:
    p[i] = p[i] * 2


def buffers(q: sycl.queue) -> None:
    a, b = np.arange(COUNT, dtype=np.float32), np.zeros((8, 8), np.int64)
    with sycl.buffer(a) as x, sycl.buffer(b) as y:
        def group(h: sycl.handler) -> None:
            acc = sycl.accessor(x, h)
            h.parallel_for(COUNT, lambda i: double(i, acc))
        q.submit(group)
        q.submit(lambda h: h.fill(sycl.accessor(y, h), 7))
        q.wait_and_throw()
    assert (2 * np.arange(COUNT)).tolist() == a.tolist()
    assert (b == 7).all()


def pointers(q: sycl.queue) -> None:
    p, s = sycl.malloc_device(COUNT, np.int32, q), sycl.malloc_shared(COUNT, np.int32, q)
    h = sycl.malloc_host(COUNT, np.int32, q)
    out = np.zeros(COUNT, np.int32)
    q.fill(p, 3).wait_and_throw()
    for _ in range(4):
        q.parallel_for(COUNT, double, p).wait_and_throw()
    q.prefetch(s).wait_and_throw()
    q.memcpy(s, p, 4 * COUNT).wait_and_throw()
    q.memcpy(h, s, 4 * COUNT).wait_and_throw()
    q.memcpy(out, h, 4 * COUNT).wait_and_throw()
    assert [48] * COUNT == out.tolist()


def sums(q: sycl.queue) -> None:
    out = np.zeros(1, np.int64)
    with sycl.buffer(out) as b:
        def group(h: sycl.handler) -> None:
            h.parallel_for(1000, sycl.reduction(b, h, sycl.plus()),
                           lambda i, total: total.combine(i[0]))
        q.submit(group)
        q.wait_and_throw()
    assert [499500] == out.tolist()


def large(q: sycl.queue) -> None:
    a = np.arange(LARGE, dtype=np.float32)
    with sycl.buffer(a) as x:
        q.submit(lambda h: double_all(h, x))
        q.wait_and_throw()
    assert (a == 2 * np.arange(LARGE, dtype=np.float32)).all()


def double_all(h: sycl.handler, x: Any) -> None:
    acc = sycl.accessor(x, h)
    h.parallel_for(LARGE, lambda i: double(i, acc))


def times(q: sycl.queue) -> None:
    timed = sycl.queue(q.get_device(), sycl.property.queue.enable_profiling())
    p = sycl.malloc_device(COUNT, np.int32, timed)
    event = timed.parallel_for(COUNT, double, p)
    event.wait_and_throw()
    about = sycl.info.event_profiling
    assert event.get_profiling_info(about.command_start) <= event.get_profiling_info(
        about.command_end)


def told_after(fake: FakeCuda, program: Callable[[sycl.queue], None]) -> None:
    """Have a program told why it cannot run, if the device was lost."""
    if fake.lost:
        with pytest.raises(sycl.exception, match="does nothing any more|CUDA reports"):
            program(sycl.queue("cuda"))
    gc.collect()


PROGRAMS: list[Callable[[sycl.queue], None]] = [buffers, pointers, sums, large, times]


def calls_of(program: Callable[[sycl.queue], None]) -> dict[str, int]:
    fake = FakeCuda(seed=2)
    with installed(fake):
        program(sycl.queue("cuda"))
    assert [] == fake.misuse
    return dict(fake.calls)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_call_that_fails_is_an_error_and_the_next_program_runs(
        program: Callable[[sycl.queue], None]) -> None:
    before = {"cuInit", "cuDriverGetVersion", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName",
              "cuDeviceGetUuid_v2", "cuDeviceTotalMem_v2", "cuDeviceGetAttribute"}
    for name, count in calls_of(program).items():
        for after in () if name in before else {0, 1, count // 2, max(0, count - 1)}:
            fake = FakeCuda(seed=3)
            with installed(fake):
                fake.fail(name, 2 if "Alloc" in name else 1, after)
                with contextlib.suppress(sycl.exception):
                    program(sycl.queue("cuda"))
                fake.failing.clear()
                program(sycl.queue("cuda"))
            assert [] == fake.misuse, (name, after)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_device_that_is_lost_says_so_ever_after(program: Callable[[sycl.queue], None]) -> None:
    for name, count in calls_of(program).items():
        if not name.startswith(("cuLaunch", "cuMemcpy", "cuMemset", "cuEventQuery", "cuStreamS")):
            continue
        for after in {0, count // 2, count - 1}:
            fake = FakeCuda(seed=4)
            with installed(fake):
                fake.fail(name, 719, after)
                fake.loses = True
                with contextlib.suppress(sycl.exception):  # or all data were there before
                    program(sycl.queue("cuda"))
                told_after(fake, program)


@pytest.mark.parametrize("seed", range(12))
def test_programs_are_right_in_any_order_that_streams_allow(seed: int) -> None:
    fake = FakeCuda(seed=seed)
    with installed(fake):
        q = sycl.queue("cuda")
        for program in PROGRAMS:
            program(q)
        del q
        gc.collect()
    assert [] == fake.misuse


def test_memory_goes_back_when_nothing_uses_it() -> None:
    fake = FakeCuda()
    with installed(fake):
        q = sycl.queue("cuda")
        pointers(q)
        gc.collect()
        some = fake.live("device"), fake.live("managed")
        for _ in range(3):
            pointers(q)
        large = sycl.malloc_shared(1 << 20, np.int32, q)
        assert fake.live("managed") == some[1] + 1
        del large
        gc.collect()
        assert some == (fake.live("device"), fake.live("managed"))
        assert 1 == some[1]  # from which small ones are cut


def test_small_pieces_are_cut_from_large_ones_and_used_again() -> None:
    fake = FakeCuda()
    with installed(fake):
        q = sycl.queue("cuda")
        for make, name in ((sycl.malloc_host, "cuMemHostAlloc"),
                           (sycl.malloc_shared, "cuMemAllocManaged")):
            first = make(100, np.int32, q)
            asked = fake.calls[name]
            others = [make(count, np.int32, q) for count in (1, 64, 100, 5000, 30000)]
            places = sorted((p.address(), p.address() + p.byte_size()) for p in (first, *others))
            assert all(a[1] <= b[0] for a, b in zip(places, places[1:], strict=False))
            assert all(start % 256 == 0 for start, _ in places)
            gone = others.pop().address()
            gc.collect()
            assert gone == make(30000, np.int32, q).address()
            assert asked == fake.calls[name]
            assert make(1 << 20, np.int32, q).address() % 256 == 0
            assert asked + 1 == fake.calls[name]
