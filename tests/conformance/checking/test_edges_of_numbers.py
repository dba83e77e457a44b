"""Checked arithmetic tells of exactly what does not fit: the last that does, and the next."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.checking.found import told
from tests.sampling import by_turns

pytestmark = pytest.mark.part("Q-7")
INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
FLOATS = [np.float32, np.float64]


def at_fault(device: sycl.device, kernel: Any, *rows: Any) -> list[bool]:
    """Return for each element whether a launch of one item that computes with it is told of."""
    return [told(device, lambda q, k=k: q.parallel_for(
        1, kernel, *(row[k:k + 1] for row in rows))) != "" for k in range(len(rows[0]))]


def around(low: float, high: float, kind: Any) -> Any:
    """Return the numbers of a type around two bounds, without those it cannot hold."""
    if np.issubdtype(kind, np.floating):
        near = [kind(x) for x in (low, high, low - 1, low + 1, high + 1, high - 1)]
        near += [np.nextafter(x, kind(to)) for x in near for to in (-math.inf, math.inf)]
        return np.array([*near, kind(-0.9), kind(0.5), kind(-0.0)], kind)
    info = np.iinfo(kind)
    whole = {int(bound) + step for bound in (low, high) for step in (-1, 0, 1)} | {0, -1}
    return np.array(sorted({*(x for x in whole if info.min <= x <= info.max),
                            info.min, info.max}), kind)


def conversions() -> list[tuple[Any, Any]]:
    return [(source, to) for source in (*INTEGERS, *FLOATS) for to in INTEGERS if source is not to]


def test_conversions_to_integers_are_told_of_where_the_number_does_not_fit(
        device: sycl.device) -> None:
    for source, to in by_turns(device, conversions()):
        info = np.iinfo(to)

        @sycl.kernel(debug="numbers")
        def kernel(i, x, y, to=to):  # type: ignore[no-untyped-def]
            y[i] = to(x[i])
        x = around(float(info.min), float(info.max), source) if np.issubdtype(
            source, np.floating) else around(info.min, info.max, source)
        wanted = [not info.min <= math.trunc(float(v) if source in FLOATS else int(v)) <= info.max
                  for v in x]
        found = at_fault(device, kernel, x, np.zeros(len(x), to))
        assert found == wanted, (source.__name__, to.__name__, x.tolist())


def test_floats_are_told_of_where_they_become_infinite(device: sycl.device) -> None:
    @sycl.kernel(debug="numbers")
    def kernel(i, x, y):  # type: ignore[no-untyped-def]
        y[i] = np.float32(x[i])
    most = float(np.finfo(np.float32).max)
    beyond = most + 2.0 ** 103  # half way to what would be next
    x = np.array([most, -most, math.nextafter(beyond, 0), beyond, -beyond, 1e300, math.inf,
                  -math.inf, math.nan, 1e-300, -0.75])
    assert at_fault(device, kernel, x, np.zeros(len(x), np.float32)) == [
        False, False, False, True, True, True, False, False, False, False, False]


def test_sums_and_products_are_told_of_where_they_wrap(device: sycl.device) -> None:
    for kind in by_turns(device, [np.int32, np.int64]):
        low, high = int(np.iinfo(kind).min), int(np.iinfo(kind).max)
        root = math.isqrt(high)
        some = [low, low + 1, -root - 1, -root, -2, -1, 0, 1, 2, root, root + 1, high - 1, high]
        pairs = [(a, b) for a in some for b in some if abs(a) > 1 or abs(b) > 1][::3]
        x, y = (np.array(column, kind) for column in zip(*pairs, strict=True))

        @sycl.kernel(debug="numbers")
        def plus(i, x, y, z):  # type: ignore[no-untyped-def]
            z[i] = x[i] + y[i]

        @sycl.kernel(debug="numbers")
        def minus(i, x, y, z):  # type: ignore[no-untyped-def]
            z[i] = x[i] - y[i]

        @sycl.kernel(debug="numbers")
        def times(i, x, y, z):  # type: ignore[no-untyped-def]
            z[i] = x[i] * y[i]
        for kernel, exact in ((plus, int.__add__), (minus, int.__sub__), (times, int.__mul__)):
            found = at_fault(device, kernel, x, y, np.zeros(len(x), kind))
            assert found == [not low <= exact(a, b) <= high for a, b in pairs], (kind, exact)


def test_births_of_nan_are_told_of_and_nan_that_is_handed_on_is_not(device: sycl.device) -> None:
    inf, nan = math.inf, math.nan

    @sycl.kernel(debug="numbers")
    def kernel(i, x, y, z):  # type: ignore[no-untyped-def]
        z[i] = x[i] * y[i]

    @sycl.kernel(debug="numbers")
    def by_a_function(i, x, y, z):  # type: ignore[no-untyped-def]
        z[i] = sycl.pow(x[i], y[i])

    @sycl.kernel(debug="numbers")
    def in_a_condition(i, x, y, z):  # type: ignore[no-untyped-def]
        z[i] = 1.0 if x[i] - y[i] > 0 else 2.0

    @sycl.kernel(debug="numbers")
    def in_a_loop(i, x, y, z):  # type: ignore[no-untyped-def]
        while z[i] < 1 and not x[i] / y[i] < 2:
            z[i] += 1
    x = np.array([0.0, inf, nan, 0.0, -2.0, 2.0, inf, -inf])
    y = np.array([inf, 0.0, 0.0, nan, 0.5, inf, inf, -inf])
    wanted = {kernel: [True, True, *[False] * 6],
              by_a_function: [False, False, False, False, True, False, False, False],
              in_a_condition: [*[False] * 6, True, True],
              in_a_loop: [*[False] * 6, True, True]}
    for function, want in wanted.items():
        assert at_fault(device, function, x, y, np.zeros(8)) == want, function


def test_a_word_asks_for_its_own_checks_alone(device: sycl.device) -> None:
    def kernel(i, x, f):  # type: ignore[no-untyped-def]
        x[i] = x[i] + 1
        f[i] = f[i] - f[i]
        x[i] = x[i] // np.int32(x[i] - x[i])
        x[i] = np.int8(x[i] + 300)
    texts = {"overflow": "wraps to", "nan": "is not a number", "division": "divided by zero",
             "narrowing": "does not fit int8"}
    for word, text in texts.items():
        x, f = np.array([2**31 - 1], np.int32), np.array([math.inf])
        checked = sycl.kernel(debug=word)(kernel)
        found = told(device, lambda q, k=checked, a=(x, f): q.parallel_for(1, k, *a))
        assert [w for w, t in texts.items() if t in found] == [word], found
