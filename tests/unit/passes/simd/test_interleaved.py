"""Which elements of neighbours are read and written together."""

from __future__ import annotations

import numpy as np

import unisycl as sycl
from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.simd import interleaved

a, b = np.zeros(64, np.float32), np.zeros(64, np.float32)
table = np.zeros((4, 64), np.float32)


def joined(function: object, kind: str = "range") -> list[tuple[str, int]]:
    """Return the joined accesses of a kernel in order: 'r' or 'w' and how many elements."""
    body = interleaved.gather(specialize(function, kind, 1).kernel).body
    return [("r", len(s.results)) if isinstance(s, n.LoadMany) else ("w", len(s.values))
            for s in visit.statements(body) if isinstance(s, n.LoadMany | n.StoreMany)]


def test_what_differs_by_a_constant_is_joined() -> None:
    def pairs(i):  # type: ignore[no-untyped-def]
        b[2 * i + 1] = a[i * 2] - 1
        b[2 * i] = a[i * 2 + 1] + 1

    def pixels(i):  # type: ignore[no-untyped-def]
        p = (i + 1) * 4
        grey = a[p - 1] + a[p] + a[p - 2]
        b[p - 3], b[p - 2], b[p - 1], b[p] = grey, grey, grey, 1

    def rows(i):  # type: ignore[no-untyped-def]
        k = 3 * i
        table[1, k] = a[k]
        table[1, 1 + k] = a[k + 1]
        table[1, k + 2] = a[k + 2]

    def of_group(it):  # type: ignore[no-untyped-def]
        i = it.get_global_id(0)
        b[2 * i] = 1
        b[2 * i + 1] = 2
    assert joined(pairs) == [("r", 2), ("w", 2)]
    assert joined(pixels) == [("r", 3), ("w", 4)]
    assert joined(rows) == [("r", 3), ("w", 3)]
    assert joined(of_group, "nd_range") == [("w", 2)]


def test_what_is_read_between_stores_asks_where_memories_end() -> None:
    def between(i):  # type: ignore[no-untyped-def]
        b[2 * i] = a[2 * i]
        b[2 * i + 1] = a[2 * i + 1]
    body = interleaved.gather(specialize(between, "range", 1).kernel).body
    assert [type(s) for s in body if not isinstance(s, n.Assign)] == [n.If]
    assert joined(between) == [("r", 2), ("w", 2)]


def test_what_is_no_row_of_neighbours_stays() -> None:
    def stencil(i):  # type: ignore[no-untyped-def]
        b[i] = a[i] + a[i + 1] + a[i + 2]

    def gaps(i):  # type: ignore[no-untyped-def]
        b[5 * i] = a[5 * i] + a[5 * i + 1]

    def twice(i):  # type: ignore[no-untyped-def]
        b[2 * i] = 1
        b[2 * i] = 2

    def reads_back(i):  # type: ignore[no-untyped-def]
        b[2 * i] = 1
        b[2 * i + 1] = b[2 * i]

    def changed(i):  # type: ignore[no-untyped-def]
        k = 2 * i
        b[k] = 1
        k += 2
        b[k + 1] = 2

    def backwards(i):  # type: ignore[no-untyped-def]
        b[63 - 2 * i] = 1
        b[62 - 2 * i] = 2

    def fraction(i):  # type: ignore[no-untyped-def]
        mine = sycl.private_array(np.float32, 4)
        mine[0] = mine[1] = i
        b[i] = mine[0] + mine[1]
    for function in (stencil, gaps, twice, changed, backwards, fraction):
        assert joined(function) == [], function
    assert joined(reads_back) == [("r", 1)]
