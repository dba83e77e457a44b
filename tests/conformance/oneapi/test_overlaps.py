"""Memory that is written is the very elements that are read, or apart; numbers fit (row L-1)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import unisycl as sycl
from unisycl.oneapi import dpl, mkl

pytestmark = pytest.mark.row("L-14")
N = 90
X = np.arange(N, dtype=np.int32)
PLACES = np.random.default_rng(1).permutation(N)


def _refused(work: Callable[[], object]) -> None:
    with pytest.raises(sycl.UsageError):
        work()


def test_elements_of_one_memory_in_another_order_are_refused(queue: sycl.queue) -> None:
    x, buffer = X.copy(), sycl.buffer(X.copy())
    turned, mixed = dpl.reverse_iterator, dpl.permutation_iterator(x, PLACES)

    def more(v):
        return v + 1

    for read, written in ((x[::-1], x), (turned(x), x), (x, turned(x)), (mixed, x), (x, mixed),
                          (turned(buffer), buffer), (x.view(np.int16)[::2], x), (x[:-1], x[1:]),
                          (dpl.transform_iterator(turned(x), more), x),
                          (dpl.begin(x)[1:], dpl.begin(x)), (mixed, dpl.reverse_iterator(mixed)),
                          (dpl.zip_iterator(x, turned(x)), dpl.zip_iterator(turned(x), x))):
        _refused(lambda read=read, written=written: dpl.copy(queue, read, written))
    _refused(lambda: dpl.inclusive_scan(queue, x[::-1], x))
    _refused(lambda: dpl.transform(queue, x, x[::-1], x, lambda a, b: a + b))
    _refused(lambda: dpl.swap_ranges(queue, x, x[::-1]))
    _refused(lambda: dpl.for_each(queue, dpl.zip_iterator(x, turned(x)), lambda t: (t[1], t[0])))
    _refused(lambda: dpl.sort(queue, dpl.zip_iterator(x, x), lambda a, b: a[0] < b[0]))
    _refused(lambda: dpl.copy(queue, X, dpl.permutation_iterator(PLACES, PLACES)))
    y = np.arange(8.0)
    with pytest.raises(mkl.invalid_argument):
        mkl.vm.sqr(queue, 8, y[::-1], y)
    assert np.array_equal(x, X)
    assert np.array_equal(y, np.arange(8.0))


def test_the_very_elements_and_those_in_between_are_taken(queue: sycl.queue) -> None:
    x = X.copy()
    turned = dpl.reverse_iterator(x)
    dpl.inclusive_scan(queue, turned, turned)
    dpl.transform(queue, x[::-1], x[::-1], lambda v: v + 1)
    expected = np.cumsum(X[::-1])[::-1] + 1
    assert np.array_equal(expected, x)
    dpl.swap_ranges(queue, x[::2], x[1::2])
    assert np.array_equal(expected.reshape(-1, 2)[:, ::-1].ravel(), x)
    place = dpl.begin(x)
    dpl.copy(queue, place + 50, place + 70, place)
    assert np.array_equal(x[50:70], x[:20])
    few = dpl.permutation_iterator(x, PLACES[:9])
    before = x.copy()
    dpl.transform(queue, few, few, lambda v: -v)
    before[PLACES[:9]] *= -1
    assert np.array_equal(before, x)
    index = PLACES.copy()
    out = np.zeros(N, np.int64)
    dpl.copy(queue, index, dpl.permutation_iterator(out, index))
    assert np.array_equal(np.arange(N), out)


def test_numbers_that_do_not_fit_are_refused(queue: sycl.queue) -> None:
    x, out = X.copy(), np.zeros(N, np.int32)
    short, bytes_ = np.zeros(N, np.int8), np.zeros(N, np.uint8)
    for start in (1.5, 1 << 40, 1j, "1", (1, 2), float("nan")):
        _refused(lambda start=start: dpl.reduce(queue, x, start))
        _refused(lambda start=start: dpl.exclusive_scan(queue, x, out, start))
        _refused(lambda start=start: dpl.exclusive_scan_by_segment(queue, x, x.copy(), out, start))
        _refused(lambda start=start: dpl.fill(queue, out, start))
    _refused(lambda: dpl.reduce(queue, x, dtype="no type"))
    _refused(lambda: dpl.reduce(queue, bytes_, -1))
    _refused(lambda: dpl.iota(queue, out, 0, 0.5))
    _refused(lambda: dpl.reduce(queue, X.astype(np.float16), 1e9))
    many = np.zeros(300, np.int32)
    _refused(lambda: dpl.histogram(queue, many, 2, 0, 10, bytes_[:2]))
    _refused(lambda: dpl.lower_bound(queue, many, x, short))
    _refused(lambda: dpl.top_k(queue, many, 5, out[:5], short[:5]))
    assert not out.any()
    assert dpl.reduce(queue, x, np.float64(0.5)) == X.sum() + 0.5
    dpl.lower_bound(queue, x, x, short)
    assert np.array_equal(X, short)
