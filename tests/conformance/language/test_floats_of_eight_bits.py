"""Floats of eight bits are ml_dtypes' on every device: storage, conversions and arithmetic."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.row("P-13")
KINDS = [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]


def same(found, expected):
    """Assert equality bit by bit; any NaN equals any other."""
    with np.errstate(all="ignore"):
        nan = np.isnan(expected.astype(np.float32))
        np.testing.assert_array_equal(np.isnan(found.astype(np.float32)), nan)
    np.testing.assert_array_equal(found.view(np.uint8)[~nan], expected.view(np.uint8)[~nan])


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
def test_every_pattern_widens_and_comes_back(queue, kind):
    every = np.arange(256, dtype=np.uint8).view(kind)
    wide, words, copied = np.zeros(256, np.float32), np.zeros(256, np.uint8), np.zeros(256, kind)

    def kernel(i):
        x = every[i]
        wide[i] = x
        words[i] = sycl.bit_cast(np.uint8, x)
        copied[i] = sycl.bit_cast(kind, words[i])
    queue.parallel_for(256, kernel).wait()
    with np.errstate(all="ignore"):
        want = every.astype(np.float32)
    nan = np.isnan(want)
    np.testing.assert_array_equal(wide[~nan].view(np.uint32), want[~nan].view(np.uint32))
    assert np.isnan(wide[nan]).all()
    np.testing.assert_array_equal(words[~nan], np.arange(256)[~nan])
    same(copied, every)


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
def test_all_float32_of_sixteen_bits_and_their_neighbours_round_as_ml_dtypes(queue, kind):
    upper = np.arange(65536, dtype=np.uint32) << 16
    x = np.concatenate([(upper | low).view(np.float32) for low in (0, 1, 0x8000, 0xFFFF)])
    out = np.zeros(x.size, kind)

    def kernel(i, x, out):
        out[i] = x[i]
    queue.parallel_for(x.size, kernel, x, out).wait()
    with np.errstate(all="ignore"):
        same(out, x.astype(kind))


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
def test_arithmetic_rounds_each_result(queue, kind):
    every = np.arange(256, dtype=np.uint8).view(kind)
    some = every[np.random.default_rng(4).permutation(256)[:24]]
    left, right = (np.ascontiguousarray(m.reshape(-1)) for m in np.meshgrid(every, some))
    results = [np.zeros(left.size, kind) for _ in range(3)]
    plus, times, root = results
    below = np.zeros(left.size, bool)

    def kernel(i, x, y, plus, times, root, below):
        plus[i] = x[i] + y[i]
        times[i] = x[i] * y[i]
        root[i] = sycl.sqrt(abs(x[i]))
        below[i] = x[i] < y[i]
    queue.parallel_for(left.size, kernel, left, right, *results, below).wait()
    with np.errstate(all="ignore"):
        a, b = left.astype(np.float32), right.astype(np.float32)
        same(plus, left + right)
        same(times, left * right)
        same(root, np.sqrt(np.abs(a)).astype(kind))
        np.testing.assert_array_equal(below, a < b)
