"""Which loops count bits, and what stands for them; all others stay loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.shared import counted_bits

words, short, signed = (np.zeros(8, t) for t in (np.uint64, np.uint32, np.int32))
floats, out = np.zeros(8, np.float32), np.zeros(8, np.int64)


def lowest(i):  # type: ignore[no-untyped-def]
    x, k = words[i], 0
    while x:
        x &= x - np.uint64(1)
        k += 1
    out[i] = k


def lowest_the_other_way_round(i):  # type: ignore[no-untyped-def]
    x, k = signed[i], 0
    while x != 0:
        k = 1 + k
        x = (x - np.int32(1)) & x
    out[i] = k


def halves(i):  # type: ignore[no-untyped-def]
    x, k = short[i], np.uint32(0)
    while x:
        k += x & np.uint32(1)
        x >>= np.uint32(1)
    out[i] = k


def halves_the_other_way_round(i):  # type: ignore[no-untyped-def]
    x, k = short[i], np.uint32(0)
    while x:
        k = (np.uint32(1) & x) + k
        x >>= np.uint32(1)
    out[i] = k


def two_at_a_time(i):  # type: ignore[no-untyped-def]
    x, k = short[i], np.uint32(0)
    while x:
        k += x & np.uint32(1)
        x >>= np.uint32(2)
    out[i] = k


def the_second_bit(i):  # type: ignore[no-untyped-def]
    x, k = short[i], np.uint32(0)
    while x:
        k += x & np.uint32(2)
        x >>= np.uint32(1)
    out[i] = k


def ones_and_more(i):  # type: ignore[no-untyped-def]
    x, k = short[i], np.uint32(0)
    while x:
        k += x | np.uint32(1)
        x >>= np.uint32(1)
    out[i] = k


def of_another(i):  # type: ignore[no-untyped-def]
    x, y, k = short[i], short[0], np.uint32(0)
    while x:
        k += y & np.uint32(1)
        x >>= np.uint32(1)
    out[i] = k


def halves_first(i):  # type: ignore[no-untyped-def]
    x, k = short[i], np.uint32(0)
    while x:
        x >>= np.uint32(1)
        k += x & np.uint32(1)
    out[i] = k


def halves_of_a_sign(i):  # type: ignore[no-untyped-def]
    x, k = signed[i], np.int32(0)
    while x:  # never ends for numbers below 0
        k += x & np.int32(1)
        x >>= np.int32(1)
    out[i] = k


def by_two(i):  # type: ignore[no-untyped-def]
    x, k = short[i], 0
    while x:
        x &= x - np.uint32(1)
        k += 2
    out[i] = k


def two_below(i):  # type: ignore[no-untyped-def]
    x, k = short[i], 0
    while x:
        x &= x - np.uint32(2)
        k += 1
    out[i] = k


def counted_down(i):  # type: ignore[no-untyped-def]
    x, k = short[i], 0
    while x:
        x -= np.uint32(1)
        k += 1
    out[i] = k


def below_another(i):  # type: ignore[no-untyped-def]
    x, y, k = short[i], short[0], 0
    while x:
        x &= y - np.uint32(1)
        k += 1
    out[i] = k


def in_a_float(i):  # type: ignore[no-untyped-def]
    x, k = short[i], np.float32(0)
    while x:
        x &= x - np.uint32(1)
        k += np.float32(1)
    floats[i] = k


def not_from_zero_on(i):  # type: ignore[no-untyped-def]
    x, k = short[i], 0
    while x != 1:
        x &= x - np.uint32(1)
        k += 1
    out[i] = k


def with_more(i):  # type: ignore[no-untyped-def]
    x, k = short[i], 0
    while x:
        x &= x - np.uint32(1)
        k += 1
        out[i] = k


def doubled(i):  # type: ignore[no-untyped-def]
    x, k = short[i], 1
    while x:
        x &= x - np.uint32(1)
        k = k + k
    out[i] = k


COUNT = [lowest, lowest_the_other_way_round, halves, halves_the_other_way_round]
LOOPS = [two_at_a_time, the_second_bit, ones_and_more, of_another, halves_first, halves_of_a_sign,
         by_two, two_below, counted_down, below_another, in_a_float, not_from_zero_on, with_more,
         doubled]


def made(function: Any) -> tuple[int, int]:
    """Return how many loops and how many counts of bits a kernel has behind the pass."""
    kernel = counted_bits.run(specialize(function, "range", 1, ()).kernel)
    calls = [x for x in visit.all_expressions(kernel.body) if isinstance(x, n.Call)]
    return (sum(isinstance(s, n.While) for s in visit.statements(kernel.body)),
            sum(x.builtin.name == "popcount" for x in calls))


@pytest.mark.parametrize("function", COUNT, ids=lambda f: f.__name__)
def test_a_loop_that_counts_is_one_operation(function: Any) -> None:
    assert made(function) == (0, 1)


@pytest.mark.parametrize("function", LOOPS, ids=lambda f: f.__name__)
def test_a_loop_that_looks_alike_stays(function: Any) -> None:
    assert made(function) == (1, 0)


def test_both_names_have_what_the_loop_leaves_in_them() -> None:
    kernel = counted_bits.run(specialize(lowest, "range", 1, ()).kernel)
    count, word = (s for s in kernel.body[-3:] if isinstance(s, n.Assign))
    assert isinstance(count.value, n.Binary)  # before the word is 0
    assert count.value.op == "add"
    assert count.value.a == n.Read(count.local.type, count.local)
    assert isinstance(word.value, n.Const)
    assert word.value.value == 0
