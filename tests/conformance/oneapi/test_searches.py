"""Searches, shifts, shuffles, parts of sorted orders, against Python and NumPy (L-14)."""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.oneapi.sizes import numbers, same_bits
from unisycl.oneapi import dpl

pytestmark = pytest.mark.part("L-14")


def test_patterns_are_found_where_python_finds_them(queue: sycl.queue) -> None:
    rng = np.random.default_rng(1)
    for n, m in itertools.product((0, 1, 5, 200), (0, 1, 2, 3)):
        x, p = rng.integers(0, 3, n, np.int16), rng.integers(0, 3, m, np.int16)
        text, part = bytes(x.astype(np.uint8)), bytes(p.astype(np.uint8))
        assert dpl.search(queue, x, p) == text.find(part)
        assert dpl.find_end(queue, x, p) == (text.rfind(part) if m else -1)
        assert dpl.search_n(queue, x, m, 2) == text.find(bytes([2] * m))
        twice = dpl.search(queue, x, p, lambda a, b: a == 2 - b)
        assert twice == text.find(bytes((2 - p).astype(np.uint8)))


def test_words_are_compared_as_tuples(queue: sycl.queue) -> None:
    words = [(), (1,), (1, 2), (1, 2, 3), (1, 3), (2,), (1, 2, 3, 0)]
    for a, b in itertools.product(words, repeat=2):
        x, y = np.array(a, np.int32), np.array(b, np.int32)
        assert dpl.lexicographical_compare(queue, x, y) is (a < b)
    long = np.zeros(1000), np.zeros(1000)
    long[1][777] = 1
    assert dpl.lexicographical_compare(queue, *long)
    assert not dpl.lexicographical_compare(queue, *long, lambda a, b: a > b)


def test_partitioned_or_not(queue: sycl.queue) -> None:
    for bits in itertools.product((0, 1), repeat=4):
        x = np.array(bits)
        assert dpl.is_partitioned(queue, x, lambda v: v == 1) is (
            sorted(bits, reverse=True) == list(bits))
    assert dpl.is_partitioned(queue, x[:0], lambda v: v == 1)


def test_replaced_removed_and_generated(queue: sycl.queue) -> None:
    x = np.random.default_rng(1).integers(0, 4, 100).astype(np.int32)
    y, out = x.copy(), np.zeros_like(x)
    dpl.replace_copy(queue, x, out, 2, 9)
    assert np.array_equal(np.where(x == 2, 9, x), out)
    kept = dpl.remove_copy(queue, x, out, 2)
    assert np.array_equal(x[x != 2], out[:kept])
    dpl.replace(queue, y, 2, 9)
    assert np.array_equal(np.where(x == 2, 9, x), y)
    dpl.generate_n(queue, y, 5, lambda k: k * k)
    assert [0, 1, 4, 9, 16] == y[:5].tolist()


def test_shifted(queue: sycl.queue) -> None:
    for n, steps in itertools.product((0, 1, 7, 100), (0, 1, 3, 7, 200)):
        x = np.arange(n, dtype=np.float32)
        left, right, rest = x.copy(), x.copy(), max(n - steps, 0)
        assert dpl.shift_left(queue, left, steps) == rest
        assert dpl.shift_right(queue, right, steps) == rest
        assert np.array_equal(x[steps:], left[:rest])
        assert np.array_equal(x[rest:] if rest else x, left[rest:])
        assert np.array_equal(x[:rest], right[n - rest:])


def test_shuffles_are_permutations_that_the_seed_decides(queue: sycl.queue) -> None:
    for n in (0, 1, 2, 3, 4, 5, 100, 1025):
        x = np.arange(n)
        y, z = x.copy(), x.copy()
        dpl.shuffle(queue, y, 5)
        dpl.shuffle(queue, z, 5)
        assert np.array_equal(y, z)
        assert np.array_equal(x, np.sort(y))
        dpl.copy(queue, dpl.shuffle_iterator(n, 5), z)
        assert np.array_equal(y, z)
    assert not np.array_equal(np.arange(1025), y)
    if not queue.get_device().has(sycl.aspect.host_debuggable):
        seen, places = {}, np.zeros((5, 5))
        for seed in range(600):
            four = np.arange(5)
            dpl.shuffle(queue, four, seed)
            seen[tuple(four)] = seed
            places[np.arange(5), four] += 1
        assert len(seen) > 110
        assert abs(places - 120).max() < 50


def test_the_least_and_the_greatest(queue: sycl.queue) -> None:
    kind = np.float32
    for n, k in ((1, 1), (50, 0), (50, 7), (300, 300)):
        x = numbers(np.dtype(kind), n)
        number = np.flatnonzero(x == x)
        falling = [*number[np.argsort(-x[number], kind="stable")], *np.flatnonzero(x != x)][:k]
        out, places, before = np.zeros(k, kind), np.zeros(k, np.int32), x.copy()
        dpl.top_k(queue, x, k, out, places)
        assert np.array_equal(falling, places)
        assert same_bits(x[falling], out)
        rising = np.argsort(x, kind="stable")[:k]
        dpl.top_k(queue, x, k, out, comp=operator.lt)
        assert same_bits(x[rising], out)
        assert dpl.partial_sort_copy(queue, x, out) == k
        assert same_bits(x[rising], out)
        assert same_bits(before, x)


def test_segments_are_sorted_each_for_itself(queue: sycl.queue) -> None:
    rng = np.random.default_rng(3)
    for n, parts in ((0, 0), (1, 1), (60, 5), (300, 2), (300, 200)):
        x = rng.integers(-9, 9, n).astype(np.float32)
        at = np.array([0, *np.sort(rng.integers(0, n + 1, max(parts - 1, 0))), n])
        y, z, values = x.copy(), x.copy(), np.arange(n)
        dpl.segmented_sort(queue, y, at)
        dpl.segmented_sort_by_key(queue, z, values, at, lambda a, b: a > b)
        for a, b in itertools.pairwise(at):
            assert np.array_equal(np.sort(x[a:b]), y[a:b])
            assert np.array_equal(np.argsort(-x[a:b], kind="stable") + a, values[a:b])
        assert np.array_equal(x[values], z)


def test_three_parts(queue: sycl.queue) -> None:
    x = np.random.default_rng(1).integers(0, 30, 400)
    outs = [np.zeros_like(x) for _ in range(3)]
    found = dpl.three_way_partition(queue, x, outs, lambda v: v < 10, lambda v: v < 20)
    parts = x[x < 10], x[(x >= 10) & (x < 20)], x[x >= 20]
    assert found == tuple(p.size for p in parts)
    for part, out, count in zip(parts, outs, found, strict=True):
        assert np.array_equal(part, out[:count])


def test_what_does_not_fit_is_refused(queue: sycl.queue) -> None:
    x = np.arange(10)
    for call in (lambda: dpl.segmented_sort(queue, x, [0, 5]), lambda: dpl.shuffle(queue, x, -1),
                 lambda: dpl.segmented_sort(queue, x, [0, 7, 5, 10]),
                 lambda: dpl.top_k(queue, x, 11, np.zeros(11, int)),
                 lambda: dpl.top_k(queue, x, 3, x[:3]), lambda: dpl.shift_left(queue, x, -1),
                 lambda: dpl.three_way_partition(queue, x, (x, x), bool, bool),
                 lambda: dpl.search_n(queue, x, -1, 0)):
        with pytest.raises(sycl.UsageError):
            call()
    assert np.array_equal(np.arange(10), x)
