"""Running combinations, and algorithms that keep some elements, against NumPy (catalogue L-14)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.oneapi.sizes import (
    INTEGERS,
    are_sums,
    depth_of_sums,
    numbers,
    same_bits,
    sizes,
)
from unisycl.oneapi import dpl
from unisycl.oneapi.dpl.kernels import scans
from unisycl.oneapi.frame import views
from unisycl.oneapi.frame.shapes import shape_of

pytestmark = pytest.mark.part("L-14")


@pytest.mark.parametrize("kind", INTEGERS, ids=str)
def test_scans_of_integers_are_numpys(queue: sycl.queue, kind: np.dtype) -> None:
    for n in sizes(queue):
        x = numbers(kind, n)
        sums, out = np.cumsum(x, dtype=kind), np.zeros_like(x)
        start = kind.type(7)
        before = np.concatenate([[start], sums[:-1] + start]).astype(kind)[:n]
        dpl.inclusive_scan(queue, x, out)
        assert same_bits(sums, out)
        dpl.exclusive_scan(queue, x, out, 7)
        assert same_bits(before, out)
        for op in (sycl.plus, lambda a, b: a + b):
            dpl.inclusive_scan(queue, x, out, op, 7)
            assert same_bits((sums + start).astype(kind), out)
        dpl.inclusive_scan(queue, x, out, lambda a, b: a + b)
        assert same_bits(sums, out)
        dpl.exclusive_scan(queue, x, out, 7, lambda a, b: a + b)
        assert same_bits(before, out)


def test_large_outputs_are_written_wherever_they_begin(queue: sycl.queue) -> None:
    large = shape_of(queue.get_device()).turns
    n = (1 << 23) + 5 if large else 3000
    x = np.random.default_rng(n).integers(-100, 100, n).astype(np.int32)
    sums, room = np.cumsum(x, dtype=np.int32), np.zeros(n + 16, np.int32)
    for first in (0, 1, 4) if large else (1,):
        room[:] = 7
        dpl.inclusive_scan(queue, x, room[first:first + n])
        assert np.array_equal(sums, room[first:first + n])
        assert (np.concatenate([room[:first], room[first + n:]]) == 7).all()
    dpl.exclusive_scan(queue, x, x)
    assert np.array_equal(np.concatenate([[0], sums[:-1]]), x)


def test_a_group_combines_the_tiles_of_one_that_was_stopped(queue: sycl.queue) -> None:
    size, part, tiles = 16, 64, 5
    x = np.random.default_rng(3).integers(-100, 100, tiles * part).astype(np.int32)
    words, values = np.zeros(tiles + 1, np.uint32), np.zeros(tiles, np.int32)
    words[2], values[1] = 1, 1000  # what stands behind the second tile was told, no other one

    def find(it: sycl.nd_item, x: Any, values: Any, words: Any, out: Any) -> None:
        chain = views.candidates(views.cells(values), views.cells(words))
        plan = views.plan(tiles * part, part, sycl.plus, np.int32, np.int32(0))
        found = scans.before_tile(it, views.cells(x), chain, plan, 4, np.int32(5))
        out[it.get_global_id(0)] = found

    out = np.zeros(size, np.int32)
    queue.parallel_for(sycl.nd_range(size, size), find, x, values, words, out).wait()
    assert (out == 1000 + x[2 * part:4 * part].sum()).all()
    words[2] = 0
    queue.parallel_for(sycl.nd_range(size, size), find, x, values, words, out).wait()
    assert (out == 5 + x[:4 * part].sum()).all()


def test_operators_that_do_not_commute_keep_their_order(queue: sycl.queue) -> None:
    for n in sizes(queue):
        x = np.random.default_rng(n).integers(0, 5, n).astype(np.int32)
        out = np.zeros_like(x)
        dpl.inclusive_scan(queue, x, out, lambda a, b: b if b != 0 else a)  # the last but zeros
        at = np.maximum.accumulate(np.where(x != 0, np.arange(n), -1)) if n else x
        assert np.array_equal(np.where(at >= 0, x[at], 0) if n else x, out)


def test_scans_in_place_of_functions_and_in_other_types(queue: sycl.queue) -> None:
    for n in sizes(queue):
        x = np.random.default_rng(n).integers(-100, 100, n).astype(np.int16)
        wide = np.zeros(n, np.int64)
        dpl.inclusive_scan(queue, x, wide, dtype=np.int64)
        assert np.array_equal(np.cumsum(x, dtype=np.int64), wide)
        dpl.transform_inclusive_scan(queue, x, wide, sycl.plus, lambda v: np.int64(v) * v)
        assert np.array_equal(np.cumsum(x.astype(np.int64) ** 2), wide)
        dpl.transform_exclusive_scan(queue, x, wide, np.int64(1), sycl.maximum,
                                     lambda v: np.int64(v))
        assert np.array_equal(np.maximum.accumulate([1, *x])[:n], wide)
        expected = np.cumsum(x, dtype=np.int16)
        dpl.inclusive_scan(queue, x, x)
        assert same_bits(expected, x)


def test_scans_of_floats_are_near_and_the_same_each_time(queue: sycl.queue) -> None:
    for n in sizes(queue):
        x = np.random.default_rng(n).standard_normal(n).astype(np.float32)
        a, b = np.zeros_like(x), np.zeros_like(x)
        dpl.inclusive_scan(queue, x, a)
        dpl.inclusive_scan(queue, x, b)
        assert same_bits(a, b)
        np.testing.assert_allclose(a, np.cumsum(x, dtype=np.float64), atol=1e-3)


def test_what_is_kept_keeps_its_order(queue: sycl.queue) -> None:
    for n in sizes(queue):
        x = numbers(np.dtype(np.float32), n)
        for limit in (-np.inf, 0.1, np.inf):
            true = x > np.float32(limit)
            out = np.full_like(x, 5)
            kept = dpl.copy_if(queue, x, out, lambda v: v > limit)
            assert same_bits(x[true], out[:kept])
            assert (out[kept:] == 5).all()
            kept = dpl.remove_copy_if(queue, x, out, lambda v: v > limit)
            assert same_bits(x[~true], out[:kept])
            y = x.copy()
            assert dpl.remove_if(queue, y, lambda v: v > limit) == n - true.sum()
            assert same_bits(np.concatenate([x[~true], x[n - true.sum():]]), y)
            y = x.copy()
            assert dpl.stable_partition(queue, y, lambda v: v > limit) == true.sum()
            assert same_bits(np.concatenate([x[true], x[~true]]), y)
            a, b = np.zeros_like(x), np.zeros_like(x)
            i, j = dpl.partition_copy(queue, x, a, b, lambda v: v > limit)
            assert same_bits(x[true], a[:i])
            assert same_bits(x[~true], b[:j])


@pytest.mark.parametrize("kind", [np.dtype(np.uint8), np.dtype(np.int64)], ids=str)
def test_runs_of_equal_elements_become_one(queue: sycl.queue, kind: np.dtype) -> None:
    for n in sizes(queue):
        x = np.repeat(np.random.default_rng(n).integers(0, 4, n).astype(kind), 2)[:n]
        first = np.flatnonzero(np.diff(x, prepend=x[:1] + kind.type(1)))
        out = np.zeros_like(x)
        assert dpl.unique_copy(queue, x, out) == first.size
        assert same_bits(x[first], out[:first.size])
        values, found = np.arange(n, dtype=np.int32), np.zeros(n, np.int32)
        assert dpl.unique_by_key_copy(queue, x, values, out, found) == first.size
        assert np.array_equal(first, found[:first.size])
        y = x.copy()
        assert dpl.unique_by_key(queue, y, values) == first.size
        assert np.array_equal(first, values[:first.size])
        assert same_bits(np.concatenate([x[first], x[first.size:]]), y)
        y = x.copy()
        assert dpl.unique(queue, y) == first.size
        assert same_bits(x[first], y[:first.size])
        assert dpl.unique_copy(queue, x, out, lambda a, b: True) == min(n, 1)
        y = x.copy()
        assert dpl.remove(queue, y, 2) == (x != 2).sum()


def test_tuples_are_selected_together(queue: sycl.queue) -> None:
    keys, values = np.arange(200, dtype=np.int32) % 7, np.arange(200, dtype=np.float32)
    out_keys, out_values = np.zeros_like(keys), np.zeros_like(values)
    kept = dpl.copy_if(queue, dpl.zip_iterator(keys, values),
                       dpl.zip_iterator(out_keys, out_values), lambda t: t[0] == 3)
    assert (out_keys[:kept] == 3).all()
    assert np.array_equal(values[keys == 3], out_values[:kept])


@pytest.mark.part("L-24")
def test_sums_of_floats_are_as_exact_as_their_grouping_allows(queue: sycl.queue) -> None:
    device = queue.get_device()
    n = 1003 if device.has(sycl.aspect.host_debuggable) else 2_000_003
    depth = depth_of_sums(shape_of(device), n)
    out = np.zeros(n, np.float32)
    whole = np.random.default_rng(n).integers(-4, 5, n).astype(np.float32)
    dpl.inclusive_scan(queue, whole, out)  # no sum of these is rounded: none may be missing
    assert np.array_equal(np.cumsum(whole, dtype=np.float64), out)
    for x in (np.random.default_rng(n).standard_normal(n, np.float32),
              np.random.default_rng(n).random(n, np.float32)):
        out, again = np.zeros_like(x), np.zeros_like(x)
        dpl.inclusive_scan(queue, x, out)
        assert are_sums(out, x, depth)
        dpl.inclusive_scan(queue, x, again)
        assert same_bits(out, again)


@pytest.mark.parametrize("kind", [np.int16, np.float32, np.complex64], ids=str)
def test_elements_are_kept_across_rows_blocks_and_chunks(queue: sycl.queue, kind: Any) -> None:
    n = 9001 if shape_of(queue.get_device()).packs else 301
    given = np.repeat(np.random.default_rng(5).integers(-3, 4, n), 2)[:n]
    x, out, rest = given.astype(kind), np.zeros(n, kind), np.zeros(n, kind)
    kept = x != 0
    count = dpl.copy_if(queue, x, out, lambda v: v != 0)
    assert same_bits(x[kept], out[:count])
    counts = dpl.partition_copy(queue, x[1:], out, rest, lambda v: v != 0)
    assert same_bits(x[1:][kept[1:]], out[:counts[0]])
    assert same_bits(x[1:][~kept[1:]], rest[:counts[1]])
    count = dpl.unique_copy(queue, x, out)
    assert same_bits(x[np.flatnonzero(np.append(True, given[1:] != given[:-1]))], out[:count])
