"""Each algorithm of row L-14 at sizes 0, 1 and a million, against NumPy; and inside kernels."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import unisycl as sycl
from tests.sampling import by_turns
from unisycl.oneapi import dpl
from unisycl.oneapi.mkl import rng


def sizes(queue: sycl.queue) -> tuple[int, ...]:
    """Return the sizes: the host device takes microseconds for an element."""
    return 0, 1, 1500 if queue.get_device().has(sycl.aspect.host_debuggable) else 10**6


def data(n: int) -> tuple[np.ndarray, np.ndarray]:
    r = np.random.default_rng(n)
    return r.integers(-500, 500, n, np.int32), r.integers(-500, 500, n, np.int32)


@pytest.mark.row("L-14")
def test_what_combines_and_finds(queue: sycl.queue) -> None:
    policy = dpl.make_device_policy(queue)
    for n in sizes(queue):
        x, y = data(n)
        assert dpl.reduce(policy, x, np.int64(0)) == x.sum()
        squares = dpl.transform_reduce(policy, x, np.int64(0), sycl.plus, lambda v: v * v)
        assert squares == (x.astype(np.int64) ** 2).sum()
        out = np.zeros(n, np.int64)
        dpl.inclusive_scan(policy, x, out, dtype=np.int64)
        assert np.array_equal(np.cumsum(x), out)
        dpl.exclusive_scan(policy, x, out, np.int64(0))
        assert np.array_equal(np.cumsum(x) - x, out)
        assert dpl.count(policy, x, 7) == (x == 7).sum()
        assert dpl.count_if(policy, x, lambda v: v > 7) == (x > 7).sum()
        first = np.flatnonzero(x == 499)
        assert dpl.find(policy, x, 499) == (first[0] if first.size else -1)
        assert dpl.find_if(policy, x, lambda v: v == 499) == (first[0] if first.size else -1)
        assert dpl.min_element(policy, x) == (x.argmin() if n else -1)
        assert dpl.max_element(policy, x) == (x.argmax() if n else -1)
        assert dpl.any_of(policy, x, lambda v: v > 400) is bool((x > 400).any())
        assert dpl.all_of(policy, x, lambda v: v < 500) is True
        assert dpl.none_of(policy, x, lambda v: v > 500) is True


@pytest.mark.row("L-14")
def test_what_moves_and_selects(queue: sycl.queue) -> None:
    for n in sizes(queue):
        x, y = data(n)
        out = np.zeros_like(x)
        dpl.transform(queue, x, y, out, lambda a, b: a - b)
        assert np.array_equal(x - y, out)
        dpl.for_each(queue, out, lambda v: v + 1)
        assert np.array_equal(x - y + 1, out)
        dpl.copy(queue, x, out)
        assert np.array_equal(x, out)
        dpl.fill(queue, out, 3)
        assert (out == 3).all()
        kept = dpl.copy_if(queue, x, out, lambda v: v > 0)
        assert np.array_equal(x[x > 0], out[:kept])
        part = x.copy()
        assert dpl.partition(queue, part, lambda v: v > 0) == kept
        assert np.array_equal(np.concatenate([x[x > 0], x[x <= 0]]), part)
        runs = x // 400
        kept = dpl.unique_copy(queue, runs, out)
        heads = np.flatnonzero(np.diff(runs, prepend=99))
        assert np.array_equal(runs[heads], out[:kept])
        keys, sums = np.zeros_like(x), np.zeros_like(x)
        found = dpl.reduce_by_segment(queue, runs, y, keys, sums)
        assert np.array_equal(runs[heads], keys[:found])
        if n:
            assert np.array_equal(np.add.reduceat(y, heads), sums[:found])
        dpl.inclusive_scan_by_segment(queue, runs, y, out)
        begins = np.repeat(heads, np.diff(heads, append=n))
        total = np.cumsum(y)
        assert np.array_equal(total - (total - y)[begins] if n else y, out)
        bins = np.zeros(10, np.int64)
        dpl.histogram(queue, x, 10, -500, 500, bins)
        assert np.array_equal(np.bincount((x + 500) // 100, minlength=10), bins)


@pytest.mark.row("L-14")
def test_what_sorts_and_merges(queue: sycl.queue) -> None:
    for n in sizes(queue):
        x, y = data(n)
        a, places = x.copy(), np.arange(n, dtype=np.int32)
        dpl.sort_by_key(queue, a, places)
        order = np.argsort(x, kind="stable")
        assert np.array_equal(order, places)
        assert np.array_equal(x[order], a)
        b = y.copy()
        dpl.sort(queue, b)
        assert np.array_equal(np.sort(y), b)
        falling = x.copy()
        dpl.stable_sort(queue, falling, operator.gt)
        assert np.array_equal(np.sort(x)[::-1], falling)
        own = x.copy()
        dpl.stable_sort(queue, own, lambda s, t: s // 2 < t // 2)
        assert np.array_equal(x[np.argsort(x // 2, kind="stable")], own)
        both = np.zeros(2 * n, np.int32)
        dpl.merge(queue, a, b, both)
        assert np.array_equal(np.sort(np.concatenate([x, y])), both)
        there, at = np.zeros(n, bool), np.zeros(n, np.int64)
        dpl.binary_search(queue, a, y, there)
        assert np.array_equal(np.isin(y, x), there)
        dpl.lower_bound(queue, a, y, at)
        assert np.array_equal(np.searchsorted(a, y), at)
        s, t = np.unique(x), np.unique(y)
        for ours, theirs in by_turns(queue.get_device(), (
                (dpl.set_union, np.union1d), (dpl.set_intersection, np.intersect1d),
                (dpl.set_difference, np.setdiff1d), (dpl.set_symmetric_difference, np.setxor1d))):
            found = ours(queue, s, t, both)
            assert np.array_equal(theirs(s, t), both[:found])


@pytest.mark.row("L-14", "L-15")
def test_every_memory_and_the_tutorials_sort(queue: sycl.queue) -> None:
    policy = dpl.make_device_policy(queue)
    values = np.random.default_rng(1).permutation(2000).astype(np.float32)
    expected = np.sort(values)
    array, buffer = values.copy(), sycl.buffer(values.copy())
    memory = sycl.malloc_shared(2000, np.float32, queue)
    memory[:] = values
    dpl.sort(policy, dpl.begin(array), dpl.end(array))
    dpl.sort(policy, dpl.begin(buffer), dpl.end(buffer))
    done = dpl.sort_async(policy, memory)
    assert done.get() is None
    assert np.array_equal(expected, array)
    assert np.array_equal(expected, memory)
    with sycl.host_accessor(buffer) as found:
        assert np.array_equal(expected, np.asarray(found))
    sycl.free(memory, queue)


@pytest.mark.row("L-16")
def test_ranges_tuples_complex_numbers_and_engines_in_kernels(queue: sycl.queue) -> None:
    n = 50
    z, best = np.zeros(n, np.complex64), np.zeros(n, np.int32)
    pairs, u = np.zeros((n, 2), np.int32), np.zeros(n, np.float32)
    source = np.random.default_rng(1).integers(0, 99, (n, 8)).astype(np.int32)

    def use(i, z, best, pairs, u, source):
        row = source[i]
        z[i] = np.complex64(complex(row[0], row[1])) * np.complex64(1j)
        found = row[0]
        for k in range(1, 8):
            found = sycl.maximum()(found, row[k])
        best[i] = found
        first, second = (sum(row[k] for k in range(0, 8, 2)), sum(row[k] for k in range(1, 8, 2)))
        pairs[i, 0], pairs[i, 1] = first, second
        engine = rng.device.philox4x32x10(9, i)
        u[i] = rng.device.generate(rng.device.uniform(np.float32(0), np.float32(1)), engine)

    queue.parallel_for(n, use, z, best, pairs, u, source).wait()
    assert np.array_equal((source[:, 0] + 1j * source[:, 1]) * 1j, z)
    assert np.array_equal(source.max(1), best)
    assert np.array_equal(np.stack([source[:, ::2].sum(1), source[:, 1::2].sum(1)], 1), pairs)
    expected = np.zeros(n, np.float32)
    rng.generate(rng.uniform(), rng.philox4x32x10(queue, 9), expected)
    assert np.array_equal(expected, u)
