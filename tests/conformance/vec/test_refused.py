"""Operators that vectors do not have, and those of truth (SYCL 2020 §4.14.2.1)."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

import unisycl as sycl


@pytest.mark.row("D-5")
def test_operators_of_integers_are_refused_for_floats(queue: sycl.queue) -> None:
    a, out = np.zeros(1, sycl.float3), np.zeros(1, sycl.float3)
    for operate in (operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift):
        def kernel(i: Any, operate: Any = operate) -> None:
            out[i] = operate(a[i], a[i])
        with pytest.raises(sycl.KernelError, match="K036: .* is not defined for float3"):
            queue.parallel_for(1, kernel)

    def inverted(i: Any) -> None:
        out[i] = ~a[i]
    with pytest.raises(sycl.KernelError, match="K036: .* is not defined for float3"):
        queue.parallel_for(1, inverted)


@pytest.mark.row("D-5")
def test_and_or_and_not_of_elements(queue: sycl.queue) -> None:
    """C++'s ``&&``, ``||`` and ``!``: functions and a comparison, as Python's words are its own."""
    x, y = np.array([0, 1, 0, 7], np.int32), np.array([0, 0, 3, 5], np.int32)
    out = np.zeros(3, sycl.int4)

    def kernel() -> None:
        a, b = sycl.int4(x[0], x[1], x[2], x[3]), sycl.int4(y[0], y[1], y[2], y[3])
        out[0] = sycl.logical_and(a, b)
        out[1] = sycl.logical_or(a, b)
        out[2] = a == 0
    queue.single_task(kernel).wait()
    assert [list(v) for v in out.view(np.int32).reshape(3, 4).tolist()] == [
        [0, 0, 0, -1], [0, -1, -1, -1], [-1, 0, -1, 0]]
