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


KINDS = (int, float, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64,
         np.uint64, np.float16, np.float32, np.float64)


def kind_works(queue, kind):
    needs = {"float16": sycl.aspect.fp16, "float64": sycl.aspect.fp64, "float": sycl.aspect.fp64}
    aspect = needs.get(kind.__name__)
    return aspect is None or queue.get_device().has(aspect)


def looked_up(table, n):
    """Return a kernel that reads a tuple in a loop, by the item and by what memory holds."""
    def kernel(i, at, by_loop, by_item, by_memory):
        if i == 0:
            for j in range(n):
                by_loop[j] = table[j - n] * 1
                by_loop[n + j] = table[j] * 1
        by_item[i] = table[i - n]
        by_memory[i] = table[at[i]]
    return kernel


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, 10, 17, 32, 33, 49, 70])
def test_tuples_of_every_type_and_size_count_from_both_ends(queue, kind, n):
    if not kind_works(queue, kind):
        pytest.skip(f"the device has no {kind.__name__}")
    table = tuple(kind((37 * k + 11) % 101) for k in range(n))
    at = np.random.default_rng(n).integers(-n, n, 2 * n)
    found = [np.zeros(2 * n, np.dtype(kind)) for _ in range(3)]
    queue.parallel_for(2 * n, looked_up(table, n), at, *found).wait()
    for array in found[:2]:
        assert array.tolist() == [*table, *table]
    assert found[2].tolist() == [table[k] for k in at]


def test_choices_written_by_hand_keep_what_they_give_to_other_numbers(queue):
    a, b = np.float32(2.5), np.float32(3.5)

    def kernel(i, at, out):
        k = at[i]
        out[i] = (1.5 if k == -3 else a if k == 0 else b)
        out[i] += (0 if k == 0 else 10 if k == 1 else 20 if k == 2 else 30 if k == 3 else
                   40 if k == 4 else 50 if k == 6 else 60 if k == 7 else 70 if k == 9 else
                   80 if k < 0 else 90 if k < 20 else 100)
    at = np.arange(-8, 40)
    out = np.zeros(48, np.float32)
    queue.parallel_for(48, kernel, at, out).wait()
    tens = {0: 0, 1: 10, 2: 20, 3: 30, 4: 40, 6: 50, 7: 60, 9: 70}
    assert out.tolist() == [
        (1.5 if k == -3 else 2.5 if k == 0 else 3.5)
        + tens.get(k, 80 if k < 0 else 90 if k < 20 else 100) for k in at.tolist()]


@pytest.mark.filterwarnings("ignore::unisycl.KernelWarning")
@pytest.mark.parametrize("kind", [int, np.float32])
@pytest.mark.parametrize("n", [5, 12, 49])
def test_debugged_kernels_refuse_an_index_outside_the_tuple(queue, kind, n):
    table = tuple(kind(k) for k in range(n))

    @sycl.kernel(debug=True)
    def kernel(i, at, out):
        out[i] = table[at[i]]
    out = np.zeros(1, np.float32)
    queue.parallel_for(1, kernel, np.array([-n]), out).wait_and_throw()
    for k in (n, -n - 1):
        with pytest.raises((sycl.exception, IndexError), match="tuple"):
            queue.parallel_for(1, kernel, np.array([k]), out).wait_and_throw()
