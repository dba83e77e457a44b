"""Short loops over tables, as turns whose numbers are known."""

from __future__ import annotations

import numpy as np

from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.simd import choices, unrolled

AWAY = (0, 1, -1, 2, -2, 3, -3, 4, -4, 5)
a, b = (np.zeros(64, np.int64) for _ in range(2))


def body(function: object) -> n.Block:
    return unrolled.run(choices.run(specialize(function, "range", 1).kernel)).body


def test_turns_know_what_the_table_holds() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        total = 0
        for k in range(10):
            total += a[i + AWAY[k]]
        b[i] = total
    found = body(kernel)
    assert not visit.contains(found, n.For)
    places = [x.place for x in visit.all_expressions(found) if isinstance(x, n.Load)]
    assert {"a"} == {p.base.name for p in places}
    assert sorted(AWAY) == sorted(
        x.value for p in places for e in p.index for x in visit.walk(e) if isinstance(x, n.Const))


def test_what_branches_change_is_not_known() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        total = turn = 0
        for k in range(10):
            if a[i] > 0:
                turn = k + AWAY[k]
            total += b[turn]
        b[i] = total
    found = body(kernel)
    assert not visit.contains(found, n.For)
    reads = [x.place.index[0] for s in visit.statements(found) for e in visit.expressions(s)
             for x in visit.walk(e) if isinstance(x, n.Load) and x.place.base.name == "b"]
    assert not any(isinstance(x, n.Const) for x in reads)


def test_loops_that_end_early_or_are_long_stay() -> None:
    def early(i):  # type: ignore[no-untyped-def]
        for k in range(10):
            if a[i + AWAY[k]] > 0:
                break
            b[i] = AWAY[k]

    def by_data(i):  # type: ignore[no-untyped-def]
        for k in range(a[i]):
            b[i] = AWAY[k]
    assert all(visit.contains(body(f), n.For) for f in (early, by_data))
