"""Copies between the host and a card: small, large, with gaps, one behind the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.cuda_fake.install import installed
from tests.cuda_fake.library import H200, FakeCuda

LARGE = 600_000  # float32: more than waits in pinned memory


def several(i: Any, a: Any, b: Any, c: Any) -> None:
    a[i] = i[0]
    b[i] = 2 * i[0]
    c[i] = 3 * i[0]


def twice(i: Any, a: Any) -> None:
    a[i] = 2 * a[i]


def test_all_arrays_that_a_kernel_stores_to_come_back(queue: sycl.queue) -> None:
    a, b, c = (np.zeros(100, np.int32) for _ in range(3))
    queue.parallel_for(100, several, a, b, c).wait()
    for k, array in enumerate((a, b, c), 1):
        assert (array == k * np.arange(100)).all()


def apart(i: Any, a: Any, b: Any, c: Any) -> None:
    b[i] = 2 * i[0]
    if i[0] < 10:
        a[i] = i[0]
        c[i] = 3 * i[0]


def test_small_arrays_come_back_before_and_behind_large_ones(queue: sycl.queue) -> None:
    for _ in range(5):
        small, large, last = np.zeros(10, np.int32), np.zeros(LARGE, np.int32), np.zeros(10, int)
        queue.parallel_for(LARGE, apart, small, large, last).wait()
        assert (small == np.arange(10)).all()
        assert (large == 2 * np.arange(LARGE)).all()
        assert (last == 3 * np.arange(10)).all()


@pytest.mark.parametrize("count", [0, 1, 1000, LARGE])
@pytest.mark.parametrize("step", [1, 3])
def test_arrays_of_any_size_and_step_come_back(queue: sycl.queue, count: int, step: int) -> None:
    whole = np.arange(count * step + 5, dtype=np.float32)
    before, part = whole.copy(), whole[:count * step:step]
    queue.parallel_for(count, twice, part).wait()
    before[:count * step:step] *= 2
    assert (whole == before).all()


@pytest.mark.parametrize("rows", [10, 2000])
def test_windows_of_buffers_are_copied_by_rows(fake: FakeCuda, queue: sycl.queue,
                                               rows: int) -> None:
    data = np.arange(rows * 300, dtype=np.float32).reshape(rows, 300)
    want = data.copy()
    with sycl.buffer(data) as b:
        def group(h: sycl.handler) -> None:
            acc = sycl.accessor(b, h, sycl.range(rows - 2, 200), sycl.id(1, 50))
            h.fill(acc, 7)
        queue.submit(group)
        with sycl.buffer(sycl.range(rows - 2, 200), dtype=np.float32) as other:
            queue.submit(lambda h: h.copy(
                sycl.accessor(b, h, sycl.range(rows - 2, 200), sycl.id(1, 50), sycl.read_only),
                sycl.accessor(other, h, sycl.write_only)))
            assert (np.asarray(sycl.host_accessor(other)) == 7).all()
    want[1:rows - 1, 50:250] = 7
    assert (data == want).all()
    assert fake.calls["cuMemcpy2DAsync_v2"]


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32, np.float64, np.complex128])
def test_fills_write_any_element(queue: sycl.queue, dtype: Any) -> None:
    p, seen = sycl.malloc_device(33, dtype, queue), np.zeros(33, dtype)
    queue.fill(p, dtype(5)).wait()
    queue.memcpy(seen, p, seen.nbytes).wait()
    assert (seen == dtype(5)).all()


def test_managed_memory_is_never_more_than_the_card_has_free() -> None:
    fake = FakeCuda(memory=1 << 22)
    with installed(fake):
        queue = sycl.queue("cuda")
        kept = [sycl.malloc_shared(1 << 20, np.uint8, queue) for _ in range(6)]
        assert 1 <= fake.live("managed") <= 3
        assert 6 == fake.live("managed") + fake.live("host")
        for p in kept:
            queue.fill(p, 1).wait()
            assert (np.asarray(p) == 1).all()
        del kept, p


def test_a_card_without_managed_memory_shares_pinned_memory() -> None:
    fake = FakeCuda(({**H200, 89: 0},))
    with installed(fake):
        queue = sycl.queue("cuda")
        p = sycl.malloc_shared(16, np.int32, queue)
        p[:] = 3
        queue.parallel_for(16, twice, p).wait()
        assert [6] * 16 == np.asarray(p).tolist()
        assert (0, 1) == (fake.live("managed"), fake.live("host"))


def test_memory_that_is_not_there_is_refused() -> None:
    fake = FakeCuda(memory=1 << 20)
    with installed(fake):
        queue = sycl.queue("cuda")
        kept = sycl.malloc_device(3 << 18, np.uint8, queue)
        with pytest.raises(sycl.exception, match="there is not so much left") as caught:
            sycl.malloc_device(1 << 19, np.uint8, queue)
        assert sycl.errc.memory_allocation == caught.value.code()
        del kept
        sycl.malloc_device(1 << 19, np.uint8, queue)


def added(i: Any, a: Any, b: Any) -> None:
    b[i] = b[i] + a[i]


@pytest.mark.parametrize("held", [False, True])
def test_what_a_command_uses_is_its_own_until_it_ends(fake: FakeCuda, queue: sycl.queue,
                                                      held: bool) -> None:
    """Nobody but the card sees the ends of copies that kernels come behind."""
    given = [np.full(100, k, np.int32) for k in range(12)]
    sums = [np.full(100, 100, np.int32) for _ in given]
    totals = [np.zeros(1, np.int64) for _ in given]
    fake.held = held
    for a, b, total in zip(given, sums, totals, strict=True):
        queue.parallel_for(100, added, a, b)
        queue.parallel_for(100, sycl.reduction(total, sycl.plus()),
                           lambda i, total, a=a: total.combine(a[i]))
    fake.held = False
    queue.wait()
    assert [100 + k for k in range(12)] == [int(b[0]) for b in sums]
    assert all((b == b[0]).all() for b in sums)
    assert [100 * k for k in range(12)] == [int(t[0]) for t in totals]
