"""Sorting, against NumPy and Python: every type of key, the order stated, and stability (L-14)."""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.oneapi.sizes import FLOATS, INTEGERS, numbers, same_bits
from tests.sampling import by_turns
from unisycl.oneapi import dpl
from unisycl.oneapi.dpl.operators import spelt
from unisycl.oneapi.frame.shapes import shape_of

pytestmark = pytest.mark.part("L-14")
KINDS = [*INTEGERS, *FLOATS, np.dtype(np.float16), np.dtype(bool)]


def sizes(queue: sycl.queue) -> tuple[int, ...]:
    slow = queue.get_device().has(sycl.aspect.host_debuggable)
    return (0, 1, 2, 25, 129) if slow else (0, 1, 2, 31, 2047, 2049, 40001)


def places(x: np.ndarray, descending: bool) -> np.ndarray:
    """Return the stable order by ``<`` or ``>``, NaN last."""
    if not descending:
        return np.argsort(x, kind="stable")
    number = [k for k in range(x.size) if x[k] == x[k]]
    number.sort(key=lambda k: x[k].item(), reverse=True)  # Python's sort stays stable
    return np.array([*number, *(k for k in range(x.size) if x[k] != x[k])], np.int64)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_keys_are_sorted_as_numpy_sorts_them(queue: sycl.queue, kind: np.dtype) -> None:
    """Of each second kind those with values rise, of the others those alone: half the kernels."""
    for n in sizes(queue):
        x = numbers(kind, n)
        for comp in (None, operator.gt):
            order, y = places(x, comp is not None), x.copy()
            if (comp is None) == (KINDS.index(kind) % 2 == 0):
                values = np.arange(n, dtype=np.int32)
                dpl.sort_by_key(queue, y, values, comp)
                assert np.array_equal(order, values)
            else:
                dpl.sort(queue, y, comp)
            assert same_bits(x[order], y)


def test_keys_of_few_values_or_one(queue: sycl.queue) -> None:
    for n in sizes(queue):
        rng = np.random.default_rng(n)
        for x in (np.full(n, -7), rng.integers(-3, 3, n), rng.integers(0, 2, n) << 40):
            y, values = x.copy(), np.arange(n, dtype=np.float32)
            dpl.stable_sort_by_key(queue, y, values)
            order = np.argsort(x, kind="stable")
            assert np.array_equal(order, values)
            assert np.array_equal(x[order], y)


def test_keys_alone_in_a_bunch_beside_others_far_away(queue: sycl.queue) -> None:
    """The bunch is a part, too large for local memory; what no sample sees is in no part's bits."""
    n = 90 if sizes(queue)[-1] < 1000 else 90_001
    rng = np.random.default_rng(n)
    x = rng.integers(0, 1000, n)
    x[::9] = rng.integers(0, 2**62, x[::9].size)
    for least, most in ((5, 2**62), (-2**63, 2**63 - 1)):
        y = x.copy()
        y[n // 2], y[-1] = least, most
        for comp in (None, operator.gt):
            z = y.copy()
            dpl.sort(queue, z, comp)
            assert np.array_equal(np.sort(y)[::1 if comp is None else -1], z)


def test_any_order_is_stable(queue: sycl.queue) -> None:
    for n in sizes(queue):
        x = np.random.default_rng(n).integers(-40, 40, n).astype(np.int32)
        values = np.arange(n, dtype=np.int16 if n < 1000 else np.int32)
        y = x.copy()
        dpl.sort_by_key(queue, y, values, lambda a, b: a * a > b * b)
        order = np.argsort(-x.astype(np.int64) ** 2, kind="stable")
        assert np.array_equal(order, values)
        assert np.array_equal(x[order], y)
        y = x.copy()
        dpl.stable_sort(queue, y, lambda a, b: a < b)
        assert np.array_equal(np.sort(x), y)


def test_many_numbers_are_sorted_by_a_function(queue: sycl.queue) -> None:
    """Whatever bunches they come in; where samples divide, what is no order loses nothing."""
    n = 130 if sizes(queue)[-1] < 1000 else 70_001
    rng = np.random.default_rng(n)
    mixed = rng.standard_normal(n)
    mixed[::3] = 5
    for x in (rng.standard_normal(n), rng.integers(-3, 4, n), np.full(n, 2), np.arange(n, 0, -1),
              mixed, np.where(rng.random(n) < 0.01, np.nan, rng.standard_normal(n))):
        keys, values = x.astype(np.float32), np.arange(n, dtype=np.int32)
        y, is_order = keys.copy(), not np.isnan(x).any()
        if not is_order and not shape_of(queue.get_device()).packs:
            continue
        dpl.sort_by_key(queue, y, values, lambda a, b: abs(a) > abs(b))
        assert same_bits(keys[values], y)
        if not is_order:
            assert np.array_equal(np.arange(n), np.sort(values))
        else:
            assert np.array_equal(np.argsort(-abs(keys), kind="stable"), values)


def test_functions_that_spell_a_known_order_sort_by_it(queue: sycl.queue) -> None:
    def falling(first: object, second: object) -> object:
        return second < first

    by_digits = [f for f in (lambda a, b: a < b, lambda s, t: t > s, lambda a, b: a > b, falling)
                 if spelt(f) in (operator.lt, operator.gt)]
    assert len(by_digits) == 4
    for f in (lambda a, b: a <= b, lambda a, b: a < a, lambda a, b: a + 0 < b, operator.ge):
        assert spelt(f) is f
    x = np.random.default_rng(1).integers(0, 50, 300).astype(np.float32)
    x[::7] *= -0.0
    for f, sign in zip(by_digits, (1, 1, -1, -1), strict=True):
        y, places = x.copy(), np.arange(300)
        dpl.sort_by_key(queue, y, places, f)
        assert np.array_equal(np.argsort(sign * x, kind="stable"), places)
        assert same_bits(x[places], y)


def test_parts_buffers_and_usm_are_sorted_in_place(queue: sycl.queue) -> None:
    x = np.random.default_rng(5).permutation(100).astype(np.float64)
    y = x.copy()
    dpl.sort(queue, y[10:60])
    assert np.array_equal(np.concatenate([x[:10], np.sort(x[10:60]), x[60:]]), y)
    buffer, memory = sycl.buffer(x.copy()), sycl.malloc_shared(100, np.float64, queue)
    dpl.copy(queue, x, memory)
    dpl.sort(queue, dpl.begin(buffer), dpl.end(buffer), lambda a, b: a > b)
    dpl.partial_sort(queue, memory, 10)
    dpl.nth_element(queue, x, 50)
    assert x[50] == 50
    y = np.array([3, 1, 2])
    dpl.nth_element(queue, y, 3)
    dpl.partial_sort(queue, y, 0)
    assert y.tolist() == [3, 1, 2]  # nothing is asked for, so nothing is moved
    with sycl.host_accessor(buffer) as a:
        assert np.array_equal(np.arange(100)[::-1], np.asarray(a))
    assert np.array_equal(np.arange(10), memory[:10])
    sycl.free(memory, queue)


def test_what_cannot_be_sorted_is_refused(queue: sycl.queue) -> None:
    x = np.arange(10)
    for call in (lambda: dpl.sort(queue, dpl.counting_iterator(0, 5)),
                 lambda: dpl.sort_by_key(queue, x, x[:5].copy()),
                 lambda: dpl.sort_by_key(queue, x, x),
                 lambda: dpl.sort(queue, x.astype(np.complex64)),
                 lambda: dpl.max_element(queue, np.zeros(3, [("a", np.int32)])),
                 lambda: dpl.nth_element(queue, x, 11)):
        with pytest.raises(sycl.UsageError):
            call()
    assert np.array_equal(np.arange(10), x)


def of_few_and_many(n: int) -> list[np.ndarray]:
    """Return keys that are dense in some places: of many values, few, one, and far apart."""
    rng = np.random.default_rng(n)
    return [x.astype(np.float32) for x in (
        rng.standard_normal(n), rng.integers(-2, 3, n), np.full(n, 3), rng.zipf(1.2, n) % 1e30,
        np.where(rng.random(n) < 0.1, np.nan, rng.integers(-2, 3, n) * -0.5))]


def test_parts_of_an_order_are_what_all_sorted_would_have(queue: sycl.queue) -> None:
    for n in (sizes(queue)[1], sizes(queue)[-1]):
        for x in of_few_and_many(n):
            whole = np.sort(x)
            for k in {0, 1, n // 3, n}:
                y = x.copy()
                dpl.partial_sort(queue, y, k)
                np.testing.assert_array_equal(whole[:k], y[:k])
                np.testing.assert_array_equal(whole, np.sort(y))
                dpl.nth_element(queue, y := x.copy(), k)
                np.testing.assert_array_equal(whole, np.sort(y))
                for part, same in ((y[:k], whole[:k]), (y[k:k + 1], whole[k:k + 1])):
                    np.testing.assert_array_equal(same, np.sort(part))


def test_the_greatest_are_those_that_come_first_in_a_stable_order(queue: sycl.queue) -> None:
    n = sizes(queue)[-1]
    for x, comp in by_turns(queue.get_device(), itertools.product(
            of_few_and_many(n), (operator.gt, operator.lt))):
        order = places(x, comp is operator.gt)
        for k in (1, n // 64, n // 2, n):
            out, at = np.zeros(k, x.dtype), np.zeros(k, np.int64)
            dpl.top_k(queue, x, k, out, at, comp=comp)
            assert np.array_equal(order[:k], at)
            assert same_bits(x[order[:k]], out)


def test_keys_in_bunches_are_sorted_in_parts_of_their_own(queue: sycl.queue) -> None:
    n = sizes(queue)[-1]
    for x in of_few_and_many(n):
        y, values = x.copy(), np.arange(n, dtype=np.int64)
        dpl.sort_by_key(queue, y, values)
        assert np.array_equal(np.argsort(x, kind="stable"), values)
        assert same_bits(x[values], y)
