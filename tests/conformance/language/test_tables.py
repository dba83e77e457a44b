"""Tuples of many constants, indexed at run time: tables in memory, with Python's numbers."""

from __future__ import annotations

import random

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.row("D-60")

RANDOM = random.Random(7)
WHOLE = tuple(RANDOM.randrange(-1000, 1000) for _ in range(5000))
LARGE = tuple((-1) ** k * (1 << (k % 63)) for k in range(70))
FRACTIONS = tuple(RANDOM.random() for _ in range(300))
HALVES = (*(k / 2 for k in range(-20, 20)), float("inf"), float("-inf"), float("nan"))
MIXED = (*range(40), 0.5)
ROWS = tuple((k, k * 0.25) for k in range(50))


def test_a_tuple_of_thousands_gives_pythons_numbers(queue):
    at = np.random.default_rng(1).integers(-5000, 5000, 64)
    out = np.zeros(64, np.int64)

    def kernel(i, at, out):
        out[i] = WHOLE[at[i]] * 3
    queue.parallel_for(64, kernel, at, out).wait()
    assert out.tolist() == [WHOLE[k] * 3 for k in at]


def test_numbers_of_every_kind_are_exact(queue):
    n = 43
    whole, sums = np.zeros(n, np.int64), np.zeros((4, n), np.float64)
    singles = np.ones(n, np.float32)

    def kernel(i, whole, sums, singles):
        whole[i] = LARGE[i + 20]
        sums[0, i] = FRACTIONS[7 * i]
        sums[1, i] = HALVES[i]
        sums[2, i] = MIXED[i - 2]
        j, half = ROWS[i]
        sums[3, i] = j + half
        singles[i] = singles[i] * FRACTIONS[i]  # weak: float32 here
    queue.parallel_for(n, kernel, whole, sums, singles).wait()
    assert whole.tolist() == [LARGE[i + 20] for i in range(n)]
    np.testing.assert_array_equal(sums, [
        [FRACTIONS[7 * i] for i in range(n)], [HALVES[i] for i in range(n)],
        [MIXED[i - 2] for i in range(n)], [sum(ROWS[i]) for i in range(n)]])
    np.testing.assert_array_equal(singles, np.float32(FRACTIONS[:n]))


def test_a_table_in_a_loop_a_branch_and_a_function(queue):
    def looked_up(k):
        return WHOLE[k % 100]

    def kernel(it, out):
        i = it.get_global_linear_id()
        total = 0
        for k in range(i, 200, 3):
            if k % 2:
                total += looked_up(k)
        sycl.group_barrier(it.get_group())
        out[i] = total + WHOLE[it.get_group_linear_id()]
    out = np.zeros(16, np.int64)
    queue.parallel_for(sycl.nd_range(16, 4), kernel, out).wait()
    assert out.tolist() == [sum(WHOLE[k % 100] for k in range(i, 200, 3) if k % 2) + WHOLE[i // 4]
                            for i in range(16)]
