"""Several scalars at once: side by side, apart, the same for all lanes; lanes off touch nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.unit.passes.shared.test_images import run, view
from unisycl.base import dtypes as d
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, WEAK_INT, Scalar, View

KINDS = {"float32": d.FLOAT32, "uint16": d.UINT16, "bool": d.BOOL, "float64": d.FLOAT64}
CASES = [("float32", 2), ("float32", 4), ("uint16", 3), ("bool", 4), ("float64", 8)]
HERE = n.Query(WEAK_INT, "global_id", 0)
WILD = n.Const(WEAK_INT, 1 << 40)


def number(value: int) -> n.Const:
    return n.Const(WEAK_INT, value)


def binary(op: str, a: n.Expr, b: n.Expr) -> n.Expr:
    return n.Binary(WEAK_INT, op, a, b)


def copying(kind: d.DType, count: int, source: n.Expr, target: n.Expr,
            cond: n.Expr | None = None) -> n.Kernel:
    """Return ``dst[target:target + count] = src[source:source + count]``, perhaps under an if."""
    elem = Scalar(kind)
    dst, src = (n.Param(name, View(elem, 1), k) for k, name in enumerate(("dst", "src")))
    parts = tuple(n.Local(f"x{k}", elem) for k in range(count))
    body: tuple[n.Stmt, ...] = (
        n.LoadMany(parts, n.Place(src, (source,), elem)),
        n.StoreMany(n.Place(dst, (target,), elem), tuple(n.Read(elem, x) for x in parts)))
    if cond is not None:
        body = (n.If(cond, body),)
    return n.Kernel("copying", (dst, src), body, "range", 1)


def data(kind: str, size: int) -> Any:
    rng = np.random.default_rng(size)
    return rng.integers(0, 2 if kind == "bool" else 200, size).astype(kind)


@pytest.mark.parametrize(("kind", "count"), CASES)
@pytest.mark.parametrize("items", [64, 37])
def test_neighbours_are_copied_as_rows(kind: str, count: int, items: int) -> None:
    src = data(kind, items * count)
    dst = np.zeros_like(src)
    at = binary("mul", HERE, number(count))
    run(copying(KINDS[kind], count, at, at), (items,), view(dst), view(src))
    np.testing.assert_array_equal(dst, src)


@pytest.mark.parametrize(("kind", "count"), CASES)
def test_scattered_places_are_copied_one_by_one(kind: str, count: int) -> None:
    items = 53
    src = data(kind, items * count)
    dst = np.zeros_like(src)
    there = binary("mod", binary("mul", HERE, number(7)), number(items))
    at, to = (binary("mul", x, number(count)) for x in (HERE, there))
    run(copying(KINDS[kind], count, at, to), (items,), view(dst), view(src))
    expected = np.zeros((items, count), src.dtype)
    expected[np.arange(items) * 7 % items] = src.reshape(items, count)
    np.testing.assert_array_equal(dst, expected.reshape(-1))
    run(copying(KINDS[kind], count, to, at), (items,), view(dst), view(src))
    np.testing.assert_array_equal(
        dst.reshape(items, count), src.reshape(items, count)[np.arange(items) * 7 % items])


def test_one_place_for_all_lanes_keeps_the_last_lanes_values() -> None:
    src, dst = data("float32", 90 * 3), np.zeros(3, "f4")
    at = binary("mul", HERE, number(3))
    run(copying(d.FLOAT32, 3, at, number(0)), (32,), view(dst), view(src))
    np.testing.assert_array_equal(dst, src[31 * 3:32 * 3])
    spread = np.zeros(96, "f4")
    run(copying(d.FLOAT32, 3, number(6), at), (32,), view(spread), view(src))
    np.testing.assert_array_equal(spread, np.tile(src[6:9], 32))


@pytest.mark.parametrize("count", [2, 4])
def test_lanes_that_are_off_touch_no_memory(count: int) -> None:
    items = 70
    src = data("float32", items * count)
    even = n.Compare(BOOL, "eq", binary("mod", HERE, number(2)), number(0))
    row = binary("mul", HERE, number(count))
    apart = n.Select(WEAK_INT, even, row, WILD)
    expected = src.reshape(items, count) * (np.arange(items) % 2 == 0)[:, None]
    for source, target in ((row, row), (apart, apart), (apart, row), (row, apart)):
        dst = np.zeros_like(src)
        run(copying(d.FLOAT32, count, source, target, even), (items,), view(dst), view(src))
        np.testing.assert_array_equal(dst.reshape(items, count), expected)
