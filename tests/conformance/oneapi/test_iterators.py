"""Iterators are compiled into algorithms, compose, and are never filled in (catalogue L-15)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.oneapi import dpl

pytestmark = pytest.mark.row("L-15")
N = 50
X = np.arange(N, dtype=np.float32) * 3


def read(queue: sycl.queue, it, n: int = N, kind=np.float32) -> list:
    """Return the elements of an iterator, as an algorithm sees them."""
    out = np.zeros(n, kind)
    dpl.copy_n(queue, it, n, out)
    return out.tolist()


def test_each_iterator_gives_its_elements(queue: sycl.queue) -> None:
    count, reverse = dpl.counting_iterator, dpl.reverse_iterator
    assert list(range(5, 5 + N)) == read(queue, count(5))
    assert list(range(7, 7 + N)) == read(queue, count(5) + 2)
    assert list(range(3, 3 + N)) == read(queue, count(3, 3 + N))
    assert [2.5] * N == read(queue, dpl.constant_iterator(2.5))
    assert (X * X).tolist() == read(queue, dpl.transform_iterator(X, lambda v: v * v))
    assert X[::-1].tolist() == read(queue, reverse(X))
    assert X.tolist() == read(queue, reverse(reverse(X)))
    index = np.random.default_rng(1).permutation(N).astype(np.int16)
    assert X[index].tolist() == read(queue, dpl.permutation_iterator(X, index))
    square = dpl.transform_iterator(count(0), lambda k: k * k)
    assert [k * k for k in range(N)] == read(queue, square)
    assert X[10:20].tolist() == read(queue, reverse(reverse(X))[10:20], 10)
    top = np.uint64(2**63 + 5)
    assert [int(top) + k for k in range(4)] == read(queue, count(top), 4, np.uint64)


def test_they_compose_and_are_written_to(queue: sycl.queue) -> None:
    both = dpl.zip_iterator(X, dpl.counting_iterator(0), dpl.reverse_iterator(X))
    sums = dpl.transform_iterator(both, lambda t: t[0] - t[1] + t[2])
    assert (X - np.arange(N) + X[::-1]).tolist() == read(queue, sums)
    a, b = np.zeros(N, np.float32), np.zeros(N, np.float64)
    dpl.copy(queue, both, dpl.zip_iterator(
        dpl.reverse_iterator(a), dpl.discard_iterator(),
        dpl.transform_output_iterator(b, lambda v: v + 0.5)))
    assert X[::-1].tolist() == a.tolist()
    assert (X[::-1] + 0.5).tolist() == b.tolist()
    index = np.arange(N)[::-1].copy()
    dpl.copy(queue, X, dpl.permutation_iterator(a, index))
    assert X[::-1].tolist() == a.tolist()


def test_six_side_by_side_are_sorted_and_selected(queue: sycl.queue) -> None:
    kinds = (np.int32, np.float32, np.int8, np.float64, np.uint16)
    columns = [np.random.default_rng(k).integers(0, 3, N).astype(t) for k, t in enumerate(kinds)]
    mine, places = [x.copy() for x in columns], np.arange(N)
    dpl.sort(queue, dpl.zip_iterator(*mine, places), lambda s, t: s[:5] < t[:5])
    order = np.lexsort(columns[::-1])
    assert np.array_equal(order, places)
    assert all(np.array_equal(x[order], y) for x, y in zip(columns, mine, strict=True))


def test_algorithms_take_them(queue: sycl.queue) -> None:
    squares = dpl.transform_iterator(dpl.counting_iterator(np.int64(0), N), lambda k: k * k)
    assert dpl.reduce(queue, squares) == sum(k * k for k in range(N))
    assert dpl.max_element(queue, squares) == N - 1
    half = dpl.transform_iterator(X, lambda v: 0 if v >= 1 else v + 0.5)  # of 1 it makes an int
    assert dpl.reduce(queue, half) == 0.5
    out = np.zeros(N, np.int64)
    dpl.inclusive_scan(queue, squares, dpl.reverse_iterator(out))
    assert np.array_equal(np.cumsum(np.arange(N) ** 2)[::-1], out)
    kept = dpl.copy_if(queue, dpl.counting_iterator(0, N), out, lambda k: X[k] > 100)
    assert np.array_equal(np.flatnonzero(X > 100), out[:kept])
    first, last = dpl.counting_iterator(3), dpl.counting_iterator(9)
    assert dpl.reduce(queue, first, last) == sum(range(3, 9))
    zipped = dpl.zip_iterator(dpl.begin(X), dpl.begin(X))
    assert dpl.count_if(queue, zipped, zipped + 10, lambda t: t[0] == t[1]) == 10


def test_algorithms_in_place_take_those_that_are_written(queue: sycl.queue) -> None:
    keys = np.random.default_rng(2).integers(0, 9, N).astype(np.int32)
    order = np.argsort(keys, kind="stable")
    a, b = keys.copy(), X.copy()
    dpl.stable_sort(queue, dpl.zip_iterator(a, b), lambda s, t: s[0] < t[0])
    assert np.array_equal(keys[order], a)
    assert np.array_equal(X[order], b)
    more = np.arange(N)
    dpl.sort_by_key(queue, dpl.reverse_iterator(a), dpl.zip_iterator(b, more))
    assert np.array_equal(keys[order][::-1], a)
    turned = np.argsort(keys[order][::-1], kind="stable")
    assert np.array_equal(turned, more)
    assert np.array_equal(X[order][turned], b)
    tuples = dpl.zip_iterator(keys.copy(), X.copy())
    best = dpl.max_element(queue, tuples, lambda s, t: s[0] < t[0])
    assert keys.argmax() == best
    assert dpl.min_element(queue, tuples, lambda s, t: s < t) == np.lexsort((X, keys))[0]
    a, b = keys.copy(), X.copy()
    both = dpl.zip_iterator(a, b)
    assert dpl.partition(queue, both, lambda t: t[0] < 4) == (keys < 4).sum()
    dpl.reverse(queue, both)
    assert np.array_equal(np.concatenate([X[keys < 4], X[keys >= 4]])[::-1], b)
    records = np.zeros(N, [("key", "i4"), ("value", "f4")])
    records["key"], records["value"] = keys, X
    assert dpl.max_element(queue, records, lambda s, t: s.key < t.key) == best
    with pytest.raises(sycl.UsageError):
        dpl.sort(queue, dpl.discard_iterator())
    with pytest.raises(sycl.UsageError):
        dpl.reduce(queue, dpl.transform_output_iterator(b, lambda v: v))
    with pytest.raises(sycl.UsageError):
        dpl.sort(queue, dpl.transform_iterator(b, lambda v: v))


def test_wrong_ones_are_refused() -> None:
    for make in (lambda: dpl.counting_iterator(1.5), lambda: dpl.constant_iterator("a"),
                 lambda: dpl.reverse_iterator(dpl.counting_iterator(0)),
                 lambda: dpl.permutation_iterator(X, X), lambda: dpl.zip_iterator(X),
                 lambda: dpl.zip_iterator(*[X] * 11),
                 lambda: dpl.transform_iterator(X, lambda v: "no number"),
                 lambda: dpl.transform_iterator(X, lambda v: v.nothing),
                 lambda: dpl.transform_output_iterator(dpl.constant_iterator(1), abs),
                 lambda: dpl.begin([1, 2]), lambda: dpl.counting_iterator(0)[3:],
                 lambda: dpl.counting_iterator(0, 5) + 6, lambda: dpl.counting_iterator(0)[4]):
        with pytest.raises(sycl.UsageError):
            make()
