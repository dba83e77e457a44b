"""Algorithms that do something to each element, on every kind of memory (catalogue L-1, L-14)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.oneapi.sizes import FLOATS, INTEGERS, numbers, same_bits, sizes
from unisycl.oneapi import dpl

pytestmark = pytest.mark.part("L-14")


def twice(x):
    return x + x


def both(x, y):
    return x - y


def test_transform_is_the_function_of_each_element(queue: sycl.queue) -> None:
    for n in sizes(queue):
        x = numbers(np.dtype(np.int32), n)
        y, out = x[::-1].copy(), np.zeros_like(x)
        dpl.transform(queue, x, out, twice)
        assert same_bits(x + x, out)
        dpl.transform(queue, x, y, out, both)
        assert same_bits(x - y, out)
        dpl.transform(queue, x, x, twice)
        assert same_bits(2 * y[::-1], x)


@pytest.mark.parametrize("kind", [*INTEGERS, *FLOATS], ids=str)
def test_copies_keep_every_bit(queue: sycl.queue, kind: np.dtype) -> None:
    x = numbers(kind, 100)
    out = np.zeros_like(x)
    dpl.copy(queue, x, out)
    assert same_bits(x, out)
    dpl.reverse_copy(queue, x, out)
    assert same_bits(x[::-1].copy(), out)
    dpl.rotate_copy(queue, x, 30, out)
    assert same_bits(np.roll(x, -30), out)
    dpl.reverse(queue, out)
    assert same_bits(np.roll(x, -30)[::-1].copy(), out)


def test_reverse_and_rotate_of_any_size(queue: sycl.queue) -> None:
    for n in sizes(queue):
        x = np.arange(n, dtype=np.int16)
        dpl.reverse(queue, x)
        assert np.array_equal(np.arange(n, dtype=np.int16)[::-1], x)
        expected = np.roll(x, -(n // 3))
        assert dpl.rotate(queue, x, n // 3) == n - n // 3
        assert np.array_equal(expected, x)


def test_fill_generate_iota_and_replace(queue: sycl.queue) -> None:
    for n in sizes(queue):
        x = np.zeros(n, np.float32)
        dpl.fill(queue, x, 3)
        assert (x == 3).all()
        dpl.generate(queue, x, lambda i: i * 2)
        assert np.array_equal(2 * np.arange(n, dtype=np.float32), x)
        dpl.iota(queue, x, 5, 0.5)
        assert np.array_equal(5 + np.arange(n) * 0.5, x)
        dpl.replace_if(queue, x, lambda v: v > 6, -1)
        expected = 5 + np.arange(n) * 0.5
        assert np.array_equal(np.where(expected > 6, -1, expected), x)
        dpl.fill_n(queue, x, n // 2, 9)
        assert (x[:n // 2] == 9).all()


def test_for_each_replaces_elements_or_writes_elsewhere(queue: sycl.queue) -> None:
    x, out = np.arange(50, dtype=np.int64), np.zeros(50, np.int64)
    dpl.for_each(queue, x, lambda v: v * v)
    assert np.array_equal(np.arange(50) ** 2, x)

    def write(k):
        out[k] = x[k] + 1

    dpl.for_each(queue, dpl.counting_iterator(0, 50), write)
    assert np.array_equal(x + 1, out)
    dpl.for_each_n(queue, x, 10, lambda v: v - v)
    assert not x[:10].any()
    assert x[10] == 100


def test_adjacent_difference_swap_and_transform_if(queue: sycl.queue) -> None:
    for n in sizes(queue):
        x, y = numbers(np.dtype(np.int64), n), numbers(np.dtype(np.int64), n, 2)
        out = np.zeros_like(x)
        dpl.adjacent_difference(queue, x, out)
        assert np.array_equal(np.diff(x, prepend=0), out)
        a, b = x.copy(), y.copy()
        dpl.swap_ranges(queue, a, b)
        assert same_bits(y, a)
        assert same_bits(x, b)
        dpl.transform_if(queue, x, a, lambda v: v // 2, lambda v: v > 0)
        assert same_bits(np.where(x > 0, x // 2, y), a)


def test_every_kind_of_memory_is_taken(queue: sycl.queue) -> None:
    x = np.arange(40, dtype=np.float32)
    expected = (2 * x)[5:25]
    shared, private = (make(40, np.float32, queue)
                       for make in (sycl.malloc_shared, sycl.malloc_device))
    dpl.copy(queue, x, shared)
    dpl.transform(queue, shared, private, twice)
    out = np.zeros(20, np.float32)
    dpl.copy(queue, dpl.begin(private) + 5, dpl.begin(private) + 25, out)
    assert np.array_equal(expected, out)
    buffer, strided = sycl.buffer(x.copy()), np.zeros(40, np.float32)[::2]
    dpl.transform(queue, dpl.begin(buffer) + 5, dpl.end(buffer) - 15, dpl.begin(strided), twice)
    assert np.array_equal(expected, strided)
    dpl.fill(queue, buffer, 4)
    dpl.fill(queue, dpl.begin(buffer), dpl.begin(buffer) + 2, 1)
    with sycl.host_accessor(buffer) as a:
        assert [1, 1, 4, 4] == list(a[:4])
    part = sycl.buffer(buffer, sycl.id(32), sycl.range(8))
    dpl.iota(queue, part)
    dpl.copy(queue, buffer, private)
    dpl.copy(queue, private, shared)
    assert np.array_equal([4, 4, 0, 1, 2, 3, 4, 5, 6, 7], shared[30:])
    for memory in (shared, private):
        sycl.free(memory, queue)


def test_records_are_moved_whole(queue: sycl.queue) -> None:
    x = np.zeros(90, np.dtype([("key", np.int32), ("value", np.float64)]))
    x["key"], x["value"] = np.arange(90) * 7 % 13, np.arange(90)
    y = x.copy()
    dpl.reverse(queue, y)
    assert np.array_equal(x[::-1], y)
    dpl.rotate(queue, y, 20)
    assert np.array_equal(np.roll(x[::-1], -20), y)
    y = x.copy()
    dpl.sort(queue, y, lambda a, b: a["key"] < b["key"])
    assert np.array_equal(x[np.argsort(x["key"], kind="stable")], y)
    a, b = x[:40].copy(), x[40:80].copy()
    dpl.swap_ranges(queue, a, b)
    assert np.array_equal(np.concatenate([x[40:80], x[:40]]), np.concatenate([a, b]))
    kept = dpl.remove_if(queue, y, lambda r: r["key"] > 3)
    assert np.array_equal(np.sort(x[x["key"] <= 3], order=["key", "value"]), y[:kept])
    keys, buffer = np.arange(90)[::-1].copy(), sycl.buffer(x.copy())
    dpl.sort_by_key(queue, keys, buffer)
    with sycl.host_accessor(buffer) as found:
        assert np.array_equal(x[::-1], np.asarray(found))
