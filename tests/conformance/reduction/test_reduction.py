"""Reductions by the public API (SYCL 2020 §4.9.2)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl


def fold(i, total, p):
    total.combine(p[i])


@pytest.mark.row("D-44")
@pytest.mark.parametrize(("op", "expected"), [
    ("plus", 100 + 28), ("multiplies", 0), ("minimum", 0), ("maximum", 100), ("bit_or", 103),
    ("bit_and", 0), ("bit_xor", 100)])
def test_every_operator_with_the_old_value(queue: sycl.queue, op: str, expected: int) -> None:
    p = sycl.malloc_shared(8, np.int32, queue)
    p[:] = np.arange(8)
    result = sycl.malloc_shared(1, np.int32, queue)
    result[0] = 100
    queue.parallel_for(8, sycl.reduction(result, getattr(sycl, op)), fold, p).wait()
    assert expected == result[0]


@pytest.mark.row("D-44")
def test_two_in_one_kernel_over_buffers(queue: sycl.queue) -> None:
    x = np.arange(1, 101, dtype=np.float32)
    total, largest = np.full(1, 1000, np.float32), np.zeros(1, np.float32)
    with sycl.buffer(x) as bx, sycl.buffer(total) as bt, sycl.buffer(largest) as bl:
        def group(h: sycl.handler) -> None:
            acc = sycl.accessor(bx, h, sycl.read_only)

            @h.parallel_for(100, sycl.reduction(bt, h, sycl.plus),
                            sycl.reduction(bl, h, sycl.maximum))
            def kernel(i, s, m):
                s += acc[i]
                m.combine(acc[i])
        queue.submit(group)
    assert 6050 == total[0]
    assert 100 == largest[0]


@pytest.mark.row("D-44", "D-45")
def test_initialising_drops_the_old_value(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(8, np.int32, queue)
    p[:] = 1
    result = sycl.malloc_shared(1, np.int32, queue)
    result[0] = 50
    init = sycl.property.reduction.initialize_to_identity()
    queue.parallel_for(8, sycl.reduction(result, sycl.plus, init), fold, p).wait()
    assert 8 == result[0]
    queue.parallel_for(0, sycl.reduction(result, sycl.plus, init), fold, p).wait()
    assert 0 == result[0]


@pytest.mark.row("D-45")
def test_an_operator_of_the_users_own(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(5, np.int64, queue)
    p[:] = [1, 2, 3, 4, 5]
    for arguments in ((lambda a, b: a * b,), (np.int64(1), lambda a, b: a * b)):
        result = np.full(1, 2, np.int64)
        queue.parallel_for(5, sycl.reduction(result, *arguments), fold, p).wait()
        assert 240 == result[0]


@pytest.mark.row("D-44", "F-10")
def test_refusals(queue: sycl.queue) -> None:
    wide = sycl.buffer(sycl.range(2), dtype=np.int32)
    with pytest.raises(sycl.exception, match="2 elements") as caught:
        queue.submit(lambda h: sycl.reduction(wide, h, sycl.plus))
    assert sycl.errc.invalid == caught.value.code()
    one = np.zeros(1, np.int32)
    init = sycl.property.reduction.initialize_to_identity()
    with pytest.raises(sycl.exception, match="identity") as caught:
        sycl.reduction(one, lambda a, b: a - b, init)
    assert sycl.errc.invalid == caught.value.code()
    with pytest.raises(sycl.exception, match="operator"):
        sycl.reduction(one)


@pytest.mark.row("D-44")
def test_over_an_nd_range(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(64, np.int32, queue)
    p[:] = np.arange(64)
    result = np.zeros(1, np.int32)

    def kernel(it, total, p):
        total += p[it.get_global_id(0)]
    queue.parallel_for(sycl.nd_range(64, 16), sycl.reduction(result, sycl.plus), kernel, p).wait()
    assert 2016 == result[0]


@pytest.mark.row("D-44")
@pytest.mark.parametrize("count", [1, 33, 4099, 20011])
def test_ranges_of_any_length_give_the_same_each_time(queue: sycl.queue, count: int) -> None:
    x = sycl.malloc_shared(count, np.float32, queue)
    x[:] = np.sin(np.arange(count, dtype=np.float64) * 0.7)
    total, most = np.zeros(1, np.float32), np.zeros(1, np.float32)
    fresh = sycl.property.reduction.initialize_to_identity()

    def kernel(i, s, m, x):
        s += x[i] * x[i]
        m.combine(x[i])
    found = set()
    for _ in range(3):
        queue.parallel_for(count, sycl.reduction(total, sycl.plus, fresh),
                           sycl.reduction(most, sycl.maximum, fresh), kernel, x).wait()
        found.add((total.tobytes(), most.tobytes()))
    assert 1 == len(found)
    np.testing.assert_allclose(total[0], np.square(x, dtype=np.float64).sum(), rtol=1e-5)
    assert np.max(x) == most[0]


@pytest.mark.row("D-44", "D-45")
def test_many_groups_join_numbers_without_an_identity(queue: sycl.queue) -> None:
    count, local = 4000, 8
    x = sycl.malloc_shared(count, np.int32, queue)
    x[:] = np.arange(count) % 1013
    result = np.full(1, 5, np.int32)

    def kernel(it, total, x):
        i = it.get_global_id(0)
        if x[i] > 900:
            total.combine(x[i])
    one = sum(v for v in (k % 1013 for k in range(count)) if v > 900)
    for k in (1, 2):
        queue.parallel_for(sycl.nd_range(count, local), sycl.reduction(
            result, lambda a, b: a + b), kernel, x).wait()
        assert 5 + k * one == result[0]


@pytest.mark.part("D-44")
def test_records_are_refused_with_a_way_out(queue: sycl.queue) -> None:
    record = np.dtype([("x", np.float32), ("at", np.int32)])
    best, none = np.zeros(1, record), np.zeros(1, record)[0]
    for identity in ((none,), ((0.0, 0),), ()):
        with pytest.raises(sycl.exception, match=r"dpl\.reduce of unisycl\.oneapi combines record"):
            queue.parallel_for(4, sycl.reduction(
                best, *identity, lambda a, b: a if a.x < b.x else b),
                lambda i, r: r.combine((1.0, i)))
