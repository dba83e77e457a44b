"""Algorithms with one result, against NumPy and Python (catalogue L-14, L-24)."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.oneapi.sizes import FLOATS, INTEGERS, numbers, same_bits, sizes
from unisycl.oneapi import dpl

pytestmark = pytest.mark.part("L-14")


@pytest.mark.parametrize("kind", INTEGERS, ids=str)
def test_sums_of_integers_wrap_as_numpys(queue: sycl.queue, kind: np.dtype) -> None:
    for n in sizes(queue):
        x = numbers(kind, n)
        found = dpl.reduce(queue, x)
        assert found == x.sum(dtype=kind)
        assert found.dtype == kind
        assert dpl.reduce(queue, x, kind.type(3), operator.add) == (
            np.append(x, kind.type(3)).sum(dtype=kind))
        assert dpl.reduce(queue, x, 0, lambda a, b: a ^ b) == np.bitwise_xor.reduce(x)


def test_sums_of_floats_are_near_and_the_same_each_time(queue: sycl.queue) -> None:
    for kind in FLOATS:
        for n in sizes(queue):
            x = np.random.default_rng(n).standard_normal(n).astype(kind)
            found = [dpl.reduce(queue, x) for _ in range(3)]
            assert same_bits(np.array(found[:2]), np.array(found[1:]))
            bound = np.finfo(kind).eps * 40 * np.abs(x).sum(dtype=np.float64)
            assert abs(x.sum(dtype=np.float64) - found[0]) <= bound
            assert dpl.reduce(queue, x, np.float64(0)) == pytest.approx(x.sum(dtype=np.float64))


def test_any_operator_and_start(queue: sycl.queue) -> None:
    for n in sizes(queue):
        x = np.random.default_rng(n).integers(-9, 9, n)
        assert dpl.reduce(queue, x, 20, min) == min([20, *x])
        assert dpl.reduce(queue, x, -20, sycl.maximum) == max([-20, *x])
        assert dpl.reduce(queue, x, 1, lambda a, b: a * b) == x.prod()
        assert dpl.transform_reduce(queue, x, 0, sycl.plus, lambda v: v * v) == (x * x).sum()
        assert dpl.transform_reduce(queue, x, x[::-1].copy(), 5, sycl.plus, operator.mul) == 5 + (
            x * x[::-1]).sum()


def test_counts_places_and_votes(queue: sycl.queue) -> None:
    for n in sizes(queue):
        x = np.random.default_rng(n).integers(0, 1000, n).astype(np.uint16)
        for limit in (-1, 500, 998, 5000):
            over = np.flatnonzero(x > limit)
            assert dpl.count_if(queue, x, lambda v: v > limit) == over.size
            first = over[0] if over.size else -1
            assert dpl.find_if(queue, x, lambda v: v > limit) == first
            assert dpl.any_of(queue, x, lambda v: v > limit) is bool(over.size)
            assert dpl.all_of(queue, x, lambda v: v > limit) is (over.size == n)
            assert dpl.none_of(queue, x, lambda v: v > limit) is (over.size == 0)
        listed = x.tolist()
        assert dpl.count(queue, x, 7) == listed.count(7)
        assert dpl.find(queue, x, 7) == (listed.index(7) if 7 in listed else -1)
        wanted = np.array([7, 9, 11], np.uint16)
        assert dpl.find_first_of(queue, x, wanted) == next(
            (k for k, v in enumerate(listed) if v in (7, 9, 11)), -1)


def test_equal_mismatch_and_neighbours(queue: sycl.queue) -> None:
    for n in sizes(queue):
        x = np.arange(n, dtype=np.int32)
        y = x.copy()
        assert dpl.equal(queue, x, y) is True
        assert dpl.mismatch(queue, x, y) == -1
        assert dpl.is_sorted(queue, x) is True
        assert dpl.adjacent_find(queue, x) == -1
        if n > 2:
            y[n // 2:] -= 1
            assert dpl.equal(queue, x, y) is False
            assert dpl.mismatch(queue, x, y) == n // 2
            assert dpl.equal(queue, x, y, lambda a, b: abs(a - b) < 2) is True
            assert dpl.adjacent_find(queue, y) == n // 2 - 1
            y[n // 2] = -5
            assert dpl.is_sorted(queue, y) is False
            assert dpl.is_sorted_until(queue, y) == n // 2
            assert dpl.is_sorted(queue, x[::-1].copy(), operator.gt) is True


@pytest.mark.parametrize("kind", [np.dtype(np.int8), np.dtype(np.uint64), *FLOATS], ids=str)
def test_the_least_and_the_greatest(queue: sycl.queue, kind: np.dtype) -> None:
    for n in sizes(queue):
        x = numbers(kind, n)
        if not n:
            assert dpl.min_element(queue, x) == dpl.max_element(queue, x) == -1
            continue
        order = np.argsort(x, kind="stable")  # NaN last, -0.0 equal to 0.0
        least, most = order[0], order[-1]
        key = np.where(np.isnan(x), 1, 0) if kind.kind == "f" else np.zeros(n)
        ties = np.flatnonzero((x == x[most]) | ((key == 1) & (key[most] == 1)))
        assert dpl.min_element(queue, x) == least
        assert dpl.max_element(queue, x) == ties[0]
        assert dpl.minmax_element(queue, x) == (least, ties[-1])
        assert dpl.min_element(queue, x, operator.lt) == least


def test_tuples_and_records_are_combined(queue: sycl.queue) -> None:
    """Each by a function that returns one: reduce, and scans with a start and without."""
    n = 70 if queue.get_device().has(sycl.aspect.host_debuggable) else 9001
    r = np.random.default_rng(3)
    k, v = r.integers(0, 99, n, np.int32), r.standard_normal(n).astype(np.float32)
    both, out = dpl.zip_iterator(k, v), (np.zeros_like(k), np.zeros_like(v))

    def add(a, b):
        return a[0] + b[0], max(a[1], b[1])

    assert dpl.reduce(queue, both, None, add) == (k.sum(), v.max())
    assert dpl.reduce(queue, both[:0], (3, 2.5), add) == (3, 2.5)
    dpl.exclusive_scan(queue, both, dpl.zip_iterator(*out), (5, 0.5), add)
    assert np.array_equal(out[0], np.cumsum(np.append(5, k))[:-1])
    assert np.array_equal(out[1], np.maximum.accumulate(np.append(np.float32(0.5), v))[:-1])
    rows, last = np.zeros((2, n), [("k", np.int32), ("v", np.float32)])
    rows["k"], rows["v"] = k, v

    def less(a, b):
        return b if b.v < a.v else a

    start = np.array((7, -9), rows.dtype)[()]
    least = dpl.reduce(queue, rows, None, less)
    assert least == rows[v.argmin()]
    assert dpl.reduce(queue, rows, start, less) == start
    dpl.inclusive_scan(queue, rows, last, less)
    assert np.array_equal(np.minimum.accumulate(v), last["v"])
    rows[:] = 0
    assert least["v"] == v.min()  # a value of its own


def test_what_tuples_and_records_need_is_said() -> None:
    q, checked = sycl.queue("cpu"), sycl.queue("cpu", sycl.property.queue.debug())
    both = dpl.zip_iterator(np.ones(4, np.int32), np.ones(4, np.float32))
    rows = np.zeros(4, [("k", np.int32)])

    def difference(a, b):
        return a[0] - b[0], a[1] + b[1]

    for text, call in {
        "are tuples, of which op has to be": lambda: dpl.reduce(q, both),
        "are records, of which op has to be": lambda: dpl.inclusive_scan(q, rows, rows.copy()),
        "is no tuple of 2": lambda: dpl.reduce(q, both, 3, difference),
        "1.5, is no value of": lambda: dpl.reduce(q, both, (1.5, 1), difference),
        "is no record of": lambda: dpl.reduce(q, rows, "a", lambda a, b: a),
        "must be associative": lambda: dpl.reduce(checked, both, None, difference),
        r"must not matter: of a = \(2,\)": lambda: dpl.reduce(checked, rows, None, lambda a, b: b),
    }.items():
        with pytest.raises(sycl.UsageError, match=text):
            call()


@pytest.mark.part("L-24")
def test_the_number_of_threads_changes_no_bit() -> None:
    x = np.random.default_rng(1).standard_normal(300_000).astype(np.float32)
    parts = sycl.device("cpu").create_sub_devices(
        sycl.info.partition_property.partition_equally, 1)
    results = {dpl.reduce(sycl.queue(d), x).tobytes() for d in (sycl.device("cpu"), parts[0])}
    assert len(results) == 1
