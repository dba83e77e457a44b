"""What NumPy does silently: wrapped sums, lossy conversions, division by zero, births of NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.checking.found import place, told

checked = sycl.kernel(debug="numbers")


@checked
def adding(i: Any, x: Any, y: Any, f: Any) -> None:
    x[i] = x[i] + y[i]


@checked
def multiplying(i: Any, x: Any, y: Any, f: Any) -> None:
    x[i] = x[i] * y[i] - 5


@checked
def dividing(i: Any, x: Any, y: Any, f: Any) -> None:
    x[i] = x[i] % (y[i] - 300)


@checked
def narrowing(i: Any, x: Any, y: Any, f: Any) -> None:
    x[i] = np.int8(y[i] - 290 + i[0] * 40)


@checked
def to_integer(i: Any, x: Any, y: Any, f: Any) -> None:
    x[i] = np.int32(f[i])


@checked
def not_a_number(i: Any, x: Any, y: Any, f: Any) -> None:
    f[i] = f[i] - f[i]


@checked
def a_function(i: Any, x: Any, y: Any, f: Any) -> None:
    f[i] = sycl.sqrt(1 - f[i])


@checked
def guarded(i: Any, x: Any, y: Any, f: Any) -> None:
    x[i] = x[i] // (y[i] - 300) if y[i] != 300 else 0
    if f[i] < 100:
        x[i] = np.int32(f[i])


@checked
def stepping_down(i: Any, x: Any, y: Any, f: Any) -> None:
    """How turns are counted may wrap."""
    for j in range(10, 0, -(1 + i[0] % 3)):
        x[i] = j


@checked
def in_place_sums(i: Any, x: Any, y: Any, f: Any) -> None:
    x[i] += y[i]


@checked
def in_place_of_a_name(i: Any, x: Any, y: Any, f: Any) -> None:
    whole = x[i]
    whole -= -y[i]
    x[i] = whole


@checked
def kept(i: Any, x: Any, y: Any, f: Any) -> None:
    own = sycl.private_array(np.int8, 2)
    own[1] = y[i]
    x[i] = own[1]


@checked
def halves(i: Any, x: Any, y: Any, f: Any) -> None:
    f[i] = np.float16(y[i] * np.float32(300))


@checked
def by_a_function(i: Any, x: Any, y: Any, f: Any) -> None:
    x[i] = product(x[i], y[i])


def product(a: Any, b: Any) -> Any:
    return a * b  # the line of a function


@checked
def split(i: Any, x: Any, y: Any, f: Any) -> None:
    q, r = divmod(x[i], y[i] - 300)
    x[i] = q + r


@checked
def of_numpy(i: Any, x: Any, y: Any, f: Any) -> None:
    x[i] = np.add(x[i], y[i])


@checked
def in_groups(it: Any, x: Any, y: Any, f: Any) -> None:
    k = it.get_global_id(0)
    sycl.group_barrier(it.get_group())
    x[k] = sycl.reduce_over_group(it.get_group(), y[k], sycl.plus()) * x[k]


@checked
def of_vectors(i: Any, x: Any, y: Any, f: Any) -> None:
    v = sycl.int4(1, 2, x[i], 4) + sycl.int4(1, 2, y[i], 4)
    x[i] = v[0]


@checked
def nothing_wrong(i: Any, x: Any, y: Any, f: Any) -> None:
    """Each form that is looked at, with results that fit."""
    small = sycl.private_array(np.int8, 2)
    small[i[0] % 2] = y[i] - 200
    small[i[0] % 2] += np.int8(1)
    pair = sycl.int2(3, 4)
    pair += sycl.int2(1, 1)
    pair[1] = pair[0] * 2
    total = np.int32(0)
    for step in range(1, 4):
        total += step * (y[i] // 3) % 7
    x[i] = total + small[i[0] % 2] + pair[1] + np.int8(f[i] if f[i] < 3 else 1)
    if i == 0:  # what has its bits elsewhere is no conversion, and zero fits all types
        bits = np.uint32(3000000000).view(np.int32)
        x[0] += np.int32(np.uint32(f[0]) + np.uint64(f[0])) + (bits >> 30)
    f[i] = sycl.sqrt(f[i]) if f[i] < 3 else np.float32(y[i]) / 3


@pytest.mark.row("Q-7")
def test_what_is_looked_at_computes_what_it_did(device: sycl.device) -> None:
    results = []
    for kernel in (nothing_wrong, sycl.kernel(nothing_wrong.function)):
        x, y = np.full(8, 2**31 - 1, np.int32), np.arange(300, 308, dtype=np.int32)
        f = np.arange(8, dtype=np.float32)
        assert told(device, lambda q, k=kernel, a=(x, y, f): q.parallel_for(8, k, *a)) == ""
        results.append((x.tolist(), f.tolist()))
    assert results[0] == results[1]


LINES = {"not_a_number": "f[i] =", "a_function": "f[i] =", "in_place_sums": "x[i] +=",
         "in_place_of_a_name": "whole -=", "kept": "own[1] =", "halves": "f[i] =",
         "by_a_function": "return a", "split": "divmod", "of_vectors": "v =", "in_groups": "x[k] ="}


@pytest.mark.row("Q-7")
@pytest.mark.parametrize(("kernel", "item", "text"), [
    (adding, 0, "2147483647 + 300 does not fit int32, and wraps to -2147483349"),
    (multiplying, 0, "2147483647 * 300 does not fit int32, and wraps to -300"),
    (dividing, 0, "2147483647 % 0: an integer is divided by zero"),
    (narrowing, 3, "130 does not fit int8, and becomes -126"),
    (to_integer, 5, "inf does not fit int32, and becomes"),
    (not_a_number, 5, "inf - inf is not a number"),
    (a_function, 5, "sqrt(-inf) is not a number"),
    (in_place_sums, 0, "2147483647 + 300 does not fit int32, and wraps to -2147483349"),
    (in_place_of_a_name, 0, "2147483647 - -300 does not fit int32, and wraps to -2147483349"),
    (kept, 0, "300 does not fit int8, and becomes 44"),
    (halves, 0, "90000.0 does not fit float16, and becomes inf"),
    (by_a_function, 0, "2147483647 * 300 does not fit int32, and wraps to -300"),
    (split, 0, "2147483647 // 0: an integer is divided by zero"),
    (of_numpy, 0, "2147483647 + 300 does not fit int32, and wraps to -2147483349"),
    (of_vectors, 0, "2147483647 + 300 does not fit int32, and wraps to -2147483349"),
    (in_groups, 0, "2400 * 2147483647 does not fit int32, and wraps to -2400"),
    (guarded, -1, ""),
    (stepping_down, -1, ""),
], ids=lambda v: getattr(v, "__name__", ""))
def test_the_first_item_and_the_line_are_told(
        device: sycl.device, kernel: Any, item: int, text: str) -> None:
    x, y = np.full(8, 2**31 - 1, np.int32), np.full(8, 300, np.int32)
    f = np.zeros(8, np.float32)
    f[5] = np.inf
    grouped = kernel is in_groups
    size = sycl.nd_range(8, 8) if grouped else 8
    found = told(device, lambda q: q.parallel_for(size, kernel, x, y, f))
    if item < 0:
        assert found == ""
        return
    line = LINES.get(kernel.__name__, "x[i] =")
    group = " (id(0) of group id(0))" if grouped else ""
    whose = f"kernel '{kernel.__name__}' failed in work-item id({item}){group}"
    where = place(product if kernel is by_a_function else kernel, line)
    assert f"{whose} at {where}: {text}" in found
