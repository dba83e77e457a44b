"""Which rows are read again and again by the lanes of a vector."""

from __future__ import annotations

import numpy as np

from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.simd import repeated_rows, shapes

out, places = np.zeros(64, np.float32), np.zeros(64, np.int32)
weights, matrix = np.zeros(64, np.float32), np.zeros((8, 8), np.uint8)
spread = np.zeros(128, np.float32)[::2]


def periods(function: object, lanes: int = 16) -> list[int]:
    """Return the periods of what a kernel reads so."""
    def query(name: str, dim: int) -> shapes.Shape:
        return shapes.Shape(shapes.LINEAR, 1) if dim == 0 else shapes.UNIFORM
    body = specialize(function, "range", 1).kernel.body
    known = shapes.analyse(body, query, {})
    found = [repeated_rows.period(x.place, known, lanes) for x in visit.all_expressions(body)
             if isinstance(x, n.Load)]
    return [one[0] for one in found if one is not None]


def test_remainders_by_powers_of_two_of_what_counts_lanes_are_periods() -> None:
    def masked(i, k):  # type: ignore[no-untyped-def]
        out[i] = weights[i & 7] + matrix[3, (i + 5) & 7]

    def remainder(i):  # type: ignore[no-untyped-def]
        c = i % 4
        out[i] = weights[i % 16] + weights[(i - 3) % 2] * c
    assert periods(lambda i: masked(i, 3)) == [8, 8]
    assert periods(remainder) == [16, 2]


def test_other_rows_are_not() -> None:
    def others(i):  # type: ignore[no-untyped-def]
        a = weights[i & 5] + weights[i % 3] + weights[i & 31] + weights[i % 1] + weights[i | 7]
        b = weights[(2 * i) & 7] + weights[places[i] & 7] + spread[i & 7] + matrix[i & 7, i & 7]
        out[i] = a + b + weights[np.uint8(i) & 7]
    assert periods(others) == []
