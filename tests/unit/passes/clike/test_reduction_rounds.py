"""Which kernels with reductions take several work-items at once."""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.frontend.specialize import find
from unisycl.passes.clike import reduction_rounds

X, Y = np.zeros(8, np.float32), np.zeros(8, np.float64)


def widest(function: Any, *args: Any, op: Any = sycl.plus, extent: int = 1) -> int:
    """Return what the pass says of a kernel over a range."""
    total = sycl.reduction(np.zeros(extent, np.float32), op)
    return reduction_rounds.widest(find(function, "range", 1, args, (total,))[0].kernel)


def test_sums_of_products_are_taken_side_by_side() -> None:
    def dot(i: Any, total: Any, x: Any, y: Any) -> None:
        total += x[i] * y[i]
    assert 4 == widest(dot, X, X)
    assert 8 == widest(dot, X, Y)


def test_branches_loops_and_functions_are_left_to_the_compiler() -> None:
    def branch(i: Any, total: Any, x: Any) -> None:
        if x[i] > 0:
            total.combine(x[i])

    def loop(i: Any, total: Any, x: Any) -> None:
        for k in range(3):
            total.combine(x[k])

    def function(i: Any, total: Any, x: Any) -> None:
        total.combine(sycl.exp(x[i]))
    assert [0, 0, 0] == [widest(f, X) for f in (branch, loop, function)]


def test_spans_and_operators_without_identity_have_one_accumulator() -> None:
    def one(i: Any, total: Any, x: Any) -> None:
        total.combine(x[i])

    def several(i: Any, total: Any, x: Any) -> None:
        total[i % 2].combine(x[i])
    assert 4 == widest(one, X, op=sycl.maximum)
    assert 0 == widest(one, X, op=lambda a, b: a * b)
    assert 0 == widest(several, X, extent=2)
