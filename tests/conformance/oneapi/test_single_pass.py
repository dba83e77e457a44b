"""What graphics cards run, on every device: one pass with waiting groups, votes, local memory."""

from __future__ import annotations

import operator
from dataclasses import replace

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.oneapi.sizes import are_sums, depth_of_sums, numbers, same_bits
from tests.sampling import by_turns
from unisycl.oneapi import dpl
from unisycl.oneapi.dpl import single_pass, tiled
from unisycl.oneapi.frame import policies, shapes

pytestmark = pytest.mark.part("L-14")
TILE = shapes.GRAPHICS.width * 15


@pytest.fixture(autouse=True)
def cards_shape(monkeypatch: pytest.MonkeyPatch, queue: sycl.queue) -> None:
    """Divide the work as on a graphics card whose groups go on; votes need sub-groups of 32.

    Loops over the keys of an item are unrolled; of 3 in place of 10 or 20, processors' compilers
    make the same code in a fifth of the time, and there are more tiles.
    """
    shape = shapes.wide_shape_of(queue.get_device())
    monkeypatch.setattr(policies, "shape_of", lambda device: replace(shape, once=True))
    if not queue.get_device().has(sycl.aspect.gpu):
        monkeypatch.setattr(single_pass, "_ITEMS", dict.fromkeys((1, 2, 4, 8), 3))
        monkeypatch.setattr(single_pass, "_RUNS", 0)  # 5 elements of an item, and 3
        monkeypatch.setattr(tiled, "_LOCAL", 0)


def test_facts_of_the_device_decide(device: sycl.device) -> None:
    shape = shapes.wide_shape_of(device)
    assert shape.votes is (32 in device.get_info(sycl.info.device.sub_group_sizes))
    x = sycl.ext.oneapi.experimental
    scope = x.execution_scope
    may = device.get_info(
        sycl.info.device.work_group_progress_capabilities[scope.root_group])
    assert shape.once is (x.forward_progress_guarantee.parallel in may)


def sizes(queue: sycl.queue) -> tuple[int, ...]:
    slow = queue.get_device().has(sycl.aspect.host_debuggable)
    return (1, 300) if slow else (1, TILE - 1, TILE, TILE + 1, 3 * TILE + 77)


@pytest.mark.parametrize("kind", [np.int16, np.float64], ids=str)
def test_scans_of_one_pass(queue: sycl.queue, kind: type) -> None:
    for n in sizes(queue):
        x = np.random.default_rng(n).integers(0, 100, n).astype(kind)
        out = np.zeros_like(x)
        dpl.inclusive_scan(queue, x, out)
        assert np.array_equal(np.cumsum(x, dtype=kind), out)
        dpl.exclusive_scan(queue, x, out, 7)
        assert np.array_equal(7 + np.cumsum(x, dtype=kind) - x, out)


def test_floats_are_combined_alike_in_every_run(queue: sycl.queue) -> None:
    n = sizes(queue)[-1] * (1 if len(sizes(queue)) == 2 else 90)  # more tiles than a window has
    x = np.random.default_rng(1).standard_normal(n).astype(np.float32)
    first, again = np.zeros_like(x), np.zeros_like(x)
    dpl.inclusive_scan(queue, x, first)
    dpl.inclusive_scan(queue, x, again)
    assert same_bits(first, again)
    shape = replace(shapes.wide_shape_of(queue.get_device()), once=True)
    assert are_sums(first, x, depth_of_sums(shape, n))
    whole = np.round(x)  # no sum of these is rounded: none may be missing
    dpl.inclusive_scan(queue, whole, first)
    assert np.array_equal(np.cumsum(whole, dtype=np.float64), first)


@pytest.mark.parametrize("routine", ["copy_if", "unique_copy", "stable_partition",
                                     "partition_copy"])
def test_selections_of_one_pass(queue: sycl.queue, routine: str) -> None:
    for n in sizes(queue):
        x = np.random.default_rng(n).integers(-3, 4, n).astype(np.float32)
        out, rest, less = np.full_like(x, 9), np.full_like(x, 9), x[x <= 0]
        if routine == "copy_if":
            kept = dpl.copy_if(queue, x, out, lambda v: v > 0)
            assert np.array_equal(x[x > 0], out[:kept])
            assert (out[kept:] == 9).all()
        elif routine == "partition_copy":
            kept = n - less.size
            assert (kept, less.size) == dpl.partition_copy(queue, x, out, rest, lambda v: v > 0)
            assert np.array_equal(x[x > 0], out[:kept])
            assert np.array_equal(less, rest[:less.size])
        elif routine == "unique_copy":
            kept = dpl.unique_copy(queue, x, out)
            assert np.array_equal(x[np.flatnonzero(np.diff(x, prepend=99))], out[:kept])
        else:
            more = x[x > 0]
            dpl.stable_partition(queue, x, lambda v: v <= 0)
            assert np.array_equal(np.concatenate([less, more]), x)


def test_sorts_by_votes(queue: sycl.queue) -> None:
    for n in sizes(queue)[:1] + sizes(queue)[-1:]:
        x = numbers(np.dtype(np.float64), n)
        number = np.flatnonzero(x == x)
        for comp, sign in by_turns(queue.get_device(), ((None, 1), (operator.gt, -1))):
            order = [*number[np.argsort(sign * x[number], kind="stable")], *np.flatnonzero(x != x)]
            y, values = x.copy(), np.arange(n, dtype=np.int32)
            dpl.sort_by_key(queue, y, values, comp)
            assert np.array_equal(order, values)
            assert same_bits(x[order], y)
    short = np.random.default_rng(1).integers(-999, 999, x.size, np.int16)
    y = short.copy()
    dpl.sort(queue, y)
    assert np.array_equal(np.sort(short), y)


@pytest.mark.parametrize("kinds", [(np.int32, None), (np.float64, np.int8), (np.uint16, np.int64)],
                         ids=str)
def test_sorts_by_functions_in_tiles(queue: sycl.queue, kinds: tuple[type, type | None]) -> None:
    for n in (2, *sizes(queue)):
        x = np.random.default_rng(n).integers(0, 100, n).astype(kinds[0])
        order, y = np.argsort(-(x // 4).astype(int), kind="stable"), x.copy()
        if kinds[1] is None:
            dpl.sort(queue, y, lambda a, b: a // 4 > b // 4)
        else:
            values = np.arange(n).astype(kinds[1])
            dpl.sort_by_key(queue, y, values, lambda a, b: a // 4 > b // 4)
            assert np.array_equal(order.astype(kinds[1]), values)
        assert np.array_equal(x[order], y)


def test_bins_in_local_memory(queue: sycl.queue) -> None:
    for n in (0, *sizes(queue)):
        x = np.random.default_rng(n).integers(-100, 356, n)
        out = np.zeros(256, np.int32)
        dpl.histogram(queue, x, 256, 0, 256, out)
        assert np.array_equal(np.bincount(x[(x >= 0) & (x < 256)], minlength=256), out)
        few, limits = np.zeros(3, np.int64), np.array([-50, 0, 1, 200])
        dpl.histogram(queue, x, limits, few)
        assert np.array_equal(np.histogram(x[x < 200], limits)[0], few)


def runs_of(n: int, kind: type, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return keys in runs, most short and some longer than tiles, values, and where runs begin."""
    r = np.random.default_rng(seed)
    lengths = np.where(r.random(n) < 0.002, r.integers(1, 2 * TILE, n), r.integers(1, 9, n))
    keys = np.repeat(np.arange(n) % 50, lengths)[:n].astype(kind)
    return keys, r.integers(-9, 10, n), np.flatnonzero(np.diff(keys, prepend=99))


@pytest.mark.parametrize("kinds", [(np.int32, np.float32), (np.float64, np.int16)], ids=str)
@pytest.mark.parametrize("routine", ["reduce", "inclusive", "exclusive"])
def test_runs_of_one_pass(queue: sycl.queue, kinds: tuple[type, type], routine: str) -> None:
    slow = len(sizes(queue)) == 2
    for n in sizes(queue) if slow else (1, 3 * TILE + 77, 400_001):  # more tiles than a window has
        keys, values, heads = runs_of(n, kinds[0], n)
        x = values.astype(kinds[1])
        total, size = np.cumsum(values), np.diff(heads, append=n)
        upto = np.repeat((total - values)[heads], size)
        if routine == "reduce":
            first, sums = np.zeros_like(keys), np.zeros_like(x)
            found = dpl.reduce_by_segment(queue, keys, x, first, sums)
            assert found == heads.size
            assert np.array_equal(keys[heads], first[:found])
            assert np.array_equal(np.add.reduceat(values, heads).astype(kinds[1]), sums[:found])
        elif routine == "inclusive":
            out = np.zeros_like(x)
            dpl.inclusive_scan_by_segment(queue, keys, x, out)
            assert np.array_equal((total - upto).astype(kinds[1]), out)
        else:
            dpl.exclusive_scan_by_segment(queue, keys, x, x, 7)  # in place
            assert np.array_equal((total - values - upto + 7).astype(kinds[1]), x)


@pytest.mark.parametrize("by", ["operator", "not a number", "equality"])
def test_runs_by_other_operators(queue: sycl.queue, by: str) -> None:
    n = sizes(queue)[-1]
    keys, values, heads = runs_of(n, np.int32, 1)
    out, best = np.zeros_like(keys), np.zeros_like(values)
    if by == "operator":
        found = dpl.reduce_by_segment(queue, keys, values, out, best, op=sycl.maximum)
        assert np.array_equal(np.maximum.reduceat(values, heads), best[:found])
    elif by == "equality":
        found = dpl.reduce_by_segment(queue, keys, values, out, best,
                                      lambda a, b: a // 2 == b // 2)
        pairs = np.flatnonzero(np.diff(keys // 2, prepend=99))
        assert np.array_equal(np.add.reduceat(values, pairs), best[:found])
    else:
        nan = np.full(n, np.nan)
        assert dpl.reduce_by_segment(queue, nan, values, np.zeros(n), best) == n
        assert np.array_equal(values, best)
