"""Merging, searching, sets, segments and histograms, against NumPy and Python (L-14)."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.oneapi.sizes import same_bits, sizes
from unisycl.oneapi import dpl

pytestmark = pytest.mark.part("L-14")


def ranges(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return two sorted ranges with equal elements, in each and between them."""
    rng, top = np.random.default_rng(n), max(n // 2, 3)
    return tuple(np.sort(rng.integers(0, top, m)).astype(np.int32) for m in (n, n // 3 + 1))


def test_merging_keeps_the_order_of_equal_elements(queue: sycl.queue) -> None:
    for n in sizes(queue):
        a, b = ranges(n)
        expected = np.sort(np.concatenate([a, b]))
        out = np.zeros(a.size + b.size, np.int32)
        dpl.merge(queue, a, b, out)
        assert np.array_equal(expected, out)
        both = np.concatenate([a, b])
        dpl.inplace_merge(queue, both, n)
        assert np.array_equal(expected, both)
        tags = np.sort(np.concatenate([2 * a, 2 * b + 1]) // 2 * 2)  # compared without a last bit
        dpl.merge(queue, 2 * a, 2 * b + 1, out, lambda s, t: s // 2 < t // 2)
        assert np.array_equal(tags // 2, out // 2)
        assert all(x <= y for x, y in zip(out, out[1:], strict=False) if x // 2 == y // 2)


def test_searches_find_where_values_stand(queue: sycl.queue) -> None:
    for n in sizes(queue):
        a, _ = ranges(n)
        values = np.arange(-2, 60, dtype=np.int32)
        at, there = np.zeros(values.size, np.int64), np.zeros(values.size, bool)
        dpl.lower_bound(queue, a, values, at)
        assert np.array_equal(np.searchsorted(a, values), at)
        dpl.upper_bound(queue, a, values, at)
        assert np.array_equal(np.searchsorted(a, values, side="right"), at)
        dpl.binary_search(queue, a, values, there)
        assert np.array_equal(np.isin(values, a), there)


def test_whole_numbers_and_nan_stand_in_one_order(queue: sycl.queue) -> None:
    whole = np.sort(np.random.default_rng(1).integers(-50, 50, 300)).astype(np.int32)
    values = np.array([np.nan, -np.inf, np.inf, 3.5, -0.0, 0.0, 49, 50, -51], np.float32)
    low, high = np.zeros(9, np.int64), np.zeros(9, np.int64)
    dpl.lower_bound(queue, whole, values, low)
    dpl.upper_bound(queue, whole, values, high)
    assert np.array_equal(np.searchsorted(whole, values), low)
    assert np.array_equal(np.searchsorted(whole, values, "right"), high)
    out = np.zeros(309, np.float32)
    dpl.merge(queue, whole, np.sort(values), out)
    assert same_bits(np.sort(np.concatenate([whole.astype(np.float32), np.sort(values)]),
                             kind="stable"), out)
    assert dpl.lexicographical_compare(queue, np.array([1, 2]), np.array([1, np.nan]))


def test_sets_count_equal_elements(queue: sycl.queue) -> None:
    for n in sizes(queue):
        a, b = ranges(n)
        mine, others = Counter(a.tolist()), Counter(b.tolist())
        out = np.zeros(a.size + b.size, np.int32)
        for operation, expected in (
                (dpl.set_intersection, mine & others), (dpl.set_difference, mine - others),
                (dpl.set_union, mine | others),
                (dpl.set_symmetric_difference, (mine - others) + (others - mine))):
            found = operation(queue, a, b, out)
            assert sorted(expected.elements()) == out[:found].tolist()
        assert dpl.includes(queue, a, a[::2]) is True
        assert dpl.includes(queue, a, b) is not bool(others - mine)


def test_segments_are_combined_in_their_order(queue: sycl.queue) -> None:
    for n in sizes(queue):
        rng = np.random.default_rng(n)
        keys, values = rng.integers(0, 3, n).astype(np.uint8), rng.integers(-9, 9, n)
        first = np.flatnonzero(np.diff(keys, prepend=keys[:1] + np.uint8(1)))
        out_keys, out = np.zeros_like(keys), np.zeros_like(values)
        for op in (sycl.plus, lambda a, b: a + b):
            found = dpl.reduce_by_segment(queue, keys, values, out_keys, out, op=op)
            assert found == first.size
            assert same_bits(keys[first], out_keys[:found])
            assert np.array_equal(np.add.reduceat(values, first) if n else values, out[:found])
        sums = np.cumsum(values)
        entering = np.repeat((sums - values)[first], np.diff([*first, n]))
        dpl.inclusive_scan_by_segment(queue, keys, values, out)
        assert np.array_equal(sums - entering, out)
        dpl.exclusive_scan_by_segment(queue, keys, values, out, 5)
        assert np.array_equal(sums - values - entering + 5, out)
        dpl.inclusive_scan_by_segment(queue, keys, values, out, lambda a, b: True)
        assert np.array_equal(sums, out)
        dpl.inclusive_scan_by_segment(queue, keys, values, values, op=lambda a, b: b)
        assert np.array_equal(np.diff(sums, prepend=0), values)


def test_histograms_count_by_bins(queue: sycl.queue) -> None:
    for n in sizes(queue):
        rng = np.random.default_rng(n)
        x = rng.integers(0, 1 << 32, n, dtype=np.uint32)
        out = np.zeros(256, np.int64)
        dpl.histogram(queue, x, 256, 0, 1 << 32, out)
        assert np.array_equal(np.bincount(x >> 24, minlength=256), out)
        small = (x >> 24).astype(np.int8)
        inside, out = small[(small >= -100) & (small < 97)].astype(int), np.zeros(10, np.uint32)
        dpl.histogram(queue, small, 10, -100, 97, out)
        assert np.array_equal(np.bincount((inside + 100) * 10 // 197, minlength=10), out)
        f = rng.standard_normal(n).astype(np.float32)
        f[::5] = np.nan
        g, out = f[(f >= -1) & (f < 1)], np.zeros(8, np.int32)
        dpl.histogram(queue, f, 8, -1, 1, out)
        assert np.array_equal(np.bincount(((g + 1) * 4).astype(int), minlength=8), out)
        limits = np.array([-1, -0.5, 0, 2], np.float32)
        g, out = f[(f >= -1) & (f < 2)], np.zeros(3, np.int32)
        dpl.histogram(queue, f, limits, out)
        expected = np.searchsorted(limits, g, side="right") - 1
        assert np.array_equal(np.bincount(expected, minlength=3), out)


def test_bad_ranges_of_bins_are_refused(queue: sycl.queue) -> None:
    x, f, out = np.arange(9), np.ones(9, np.float32), np.zeros(4, np.int64)
    for call in (lambda: dpl.histogram(queue, x, 4, 5, 5, out),
                 lambda: dpl.histogram(queue, f, np.array([0, 2, 1, 3, 4], np.float32), out),
                 lambda: dpl.histogram(queue, x, 4, 0, 2.5, out),
                 lambda: dpl.histogram(queue, f, 4, 0, np.inf, out),
                 lambda: dpl.histogram(queue, x, 5, 0, 9, out),
                 lambda: dpl.histogram(queue, x, 4, -(1 << 62), 1 << 62, out),
                 lambda: dpl.histogram(queue, x, 4, out),
                 lambda: dpl.histogram(queue, x, x[:1], out)):
        with pytest.raises(sycl.UsageError):
            call()
