"""What whole numbers are multiples of is found out, and never more than holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.clike import multiples

line = np.zeros(64, np.int64)


def found(function: Any) -> list[int]:
    """Return what the numbers that a kernel stores are multiples of, in turn."""
    body = specialize(function, "range", 1).kernel.body
    known = multiples.find(body)
    return [multiples.of(s.value, known) for s in visit.statements(body)
            if isinstance(s, n.Store)]


def test_products_sums_and_loops_are_followed() -> None:
    def kernel(i: int) -> None:
        stage = 0
        for z in range(0, 64, 16):
            line[0] = z
            line[1] = stage * 40 + i * 8
            line[2] = z * 3 + 4
            stage = stage + 1 if stage < 3 else 0
        line[3] = i & ~15
        line[4] = (i % 8) * 24
        line[5] = -(i * 32)
    assert found(kernel) == [16, 8, 4, 16, 8, 32]


def test_what_is_not_known_is_a_multiple_of_one() -> None:
    def kernel(i: int) -> None:
        step = 16
        for z in range(64):
            step = step + z
        line[0] = step
        line[1] = line[2]
        line[3] = i // 4
    assert found(kernel) == [1, 1, 1]
