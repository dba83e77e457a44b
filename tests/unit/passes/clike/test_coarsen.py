"""Work-items side by side: which kernels, and in which order their accesses stand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import INT64
from unisycl.passes.clike import coarsen

a, b, c = (np.zeros(64, np.float32) for _ in range(3))
doubles, small, places = np.zeros(64), np.zeros(64, np.int8), np.zeros(64, np.int64)
rows = np.zeros(64, sycl.float4)


def kernel_of(function: Any, ndim: int = 1) -> n.Kernel:
    return specialize(function, "range", ndim).kernel


def triad(i: Any) -> None:
    c[i] = a[i] + b[i] * 2


def gather(i: Any) -> None:
    at = places[i]
    c[places[at]] = a[at]


def narrow(i: Any) -> None:
    small[i] = small[i] + 1


def wide(i: Any) -> None:
    doubles[i] = a[i]


def wider(i: Any) -> None:
    rows[i] = rows[i] * 2


def branch(i: Any) -> None:
    if a[i] > 0:
        c[i] = 1


def early(i: Any) -> None:
    if i > 9:
        return
    c[i] = 1


def loop(i: Any) -> None:
    c[i] = 0
    for k in range(9):
        c[i] += a[k]


def own(i: Any) -> None:
    mine = sycl.private_array(np.float32, 3)
    mine[i % 3] = a[i]
    c[i] = mine[0]


def counted(i: Any) -> None:
    sycl.atomic_ref(c, 0, sycl.memory_order.relaxed, sycl.memory_scope.device).fetch_add(a[i])


def told(i: Any) -> None:
    print(a[i])


@pytest.mark.parametrize(("function", "items"), [
    (triad, 4), (gather, 2), (narrow, 8), (wide, 2), (wider, 1), (branch, 1), (early, 1),
    (loop, 1), (own, 1), (counted, 1), (told, 1)])
def test_plain_kernels_take_sixteen_bytes_of_what_is_widest(function: Any, items: int) -> None:
    assert items == coarsen.items(kernel_of(function))


def test_more_dimensions_are_left_alone() -> None:
    plane = np.zeros((8, 8), np.float32)

    def kernel(i: Any) -> None:
        plane[i] = 1
    assert 1 == coarsen.items(kernel_of(kernel, 2))


@pytest.mark.parametrize("function", [triad, gather, narrow])
def test_everything_is_read_before_anything_is_written(function: Any) -> None:
    ids = [n.Local("global_id", INT64) for _ in range(3)]
    body = coarsen.side_by_side(kernel_of(function).body, ids)
    reads = [k for k, s in enumerate(body) if visit.contains((s,), n.Assign)
             and any(isinstance(x, n.Load) for x in visit.all_expressions((s,)))]
    stores = [k for k, s in enumerate(body) if isinstance(s, n.Store)]
    assert 3 == len(stores)
    assert max(reads) < min(stores)
    assert not any(isinstance(x, n.Query) for x in visit.all_expressions(body))
    seen = [{x.local for x in visit.all_expressions((body[k],)) if isinstance(x, n.Read)}
            for k in stores]
    assert not seen[0] & seen[1]
