"""Which stores in branches become one store behind them."""

from __future__ import annotations

import numpy as np
import pytest

from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.simd import settled

a, b, c = (np.zeros(64, np.float32) for _ in range(3))
own = np.zeros((64, 4), np.int32)


def stores(function: object) -> tuple[int, int]:
    """Return how many stores are in branches on data, and how many tests of memories there are."""
    kernel = settled.run(specialize(function, "range", 1).kernel)
    ifs = [s for s in visit.statements(kernel.body) if isinstance(s, n.If)]
    tests = [s for s in ifs if any(isinstance(x, n.Address) for x in visit.walk(s.cond))]
    return sum(visit.contains((s,), n.Store) for s in ifs if s not in tests), len(tests)


def test_what_both_sides_write_is_written_behind_them() -> None:
    def both(i):  # type: ignore[no-untyped-def]
        if a[i] > 0:
            b[i] = a[i]
        else:
            b[i] = 0

    def three(i):  # type: ignore[no-untyped-def]
        if a[i] > 0:
            own[i, 1] = 1
        elif a[i] < 0:
            own[i, 1] = 2
        else:
            own[i, 1] = 3
    def left(i):  # type: ignore[no-untyped-def]
        b[i] = 0
        if a[i] > 0:
            if a[i] > 2:
                return
            b[i] = 1

    assert {(0, 0)} == {stores(f) for f in (both, three, left)}


def test_branches_in_branches_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def chain(i):  # type: ignore[no-untyped-def]
        if a[i] > 0:
            b[i] = 1
        elif a[i] > 1:
            b[i] = 2
        elif a[i] > 2:
            b[i] = 3
        elif a[i] > 3:
            b[i] = 4
    looked: list[n.Stmt] = []
    find = settled._Settling.found
    monkeypatch.setattr(settled._Settling, "found",
                        lambda self, stmt: (looked.append(stmt), find(self, stmt))[1])
    assert stores(chain) == (4, 0)
    assert len(looked) == len({id(stmt) for stmt in looked}) >= 8


def test_what_was_written_before_is_written_again() -> None:
    def chain(i):  # type: ignore[no-untyped-def]
        b[i] = a[i] * 2
        if b[i] < 1:
            b[i] = 1
        if a[i] > 3:
            b[i] = 3
    assert stores(chain) == (0, 0)
    body = settled.run(specialize(chain, "range", 1).kernel).body
    assert sum(isinstance(s, n.Store) for s in body) == 2  # a may be b where the second one asks


def test_reads_behind_a_store_want_memories_apart() -> None:
    def two(i):  # type: ignore[no-untyped-def]
        if a[i] > 0:
            b[i] = a[i]
            c[i] = a[i] + 1
        else:
            b[i] = 0
            c[i] = 0
    assert stores(two) == (1, 1)  # what is left is there for memories that overlap


def test_what_is_read_behind_a_store_may_be_what_was_stored() -> None:
    def another(i):  # type: ignore[no-untyped-def]
        if a[i] > 0:
            b[i] = 1
            b[i] = c[i] + 2
        else:
            b[i] = 0

    def neighbour(i):  # type: ignore[no-untyped-def]
        if a[i] > 0:
            b[i] = 1
            b[i] = b[(i + 1) % 64]
        else:
            b[i] = 0

    def in_a_loop(i):  # type: ignore[no-untyped-def]
        b[i] = 0
        if a[i] > 0:
            for _ in range(own[i, 0]):
                b[i] = b[i] + 1

    def moved(i):  # type: ignore[no-untyped-def]
        j = i
        for _ in range(own[i, 0]):
            b[j] = 0
            j = 63 - j
            if a[i] > 0:
                b[j] = 1
    assert [(1, 1), (1, 0), (1, 0), (1, 0)] == [
        stores(f) for f in (another, neighbour, in_a_loop, moved)]


def test_others_stay_where_they_are() -> None:
    def spiking(i):  # type: ignore[no-untyped-def]
        if a[i] > 0:
            a[i] -= 1
            own[i, 0] = 0
        elif b[i] > 2:
            own[i, 0] = 1
        else:
            b[i] = 1
            own[i, 0] = 2

    def twice(i):  # type: ignore[no-untyped-def]
        if a[i] > 0:
            b[i] = 1
            b[63 - i] = 2
        else:
            b[i] = 0
    kernel = settled.run(specialize(spiking, "range", 1).kernel)
    test = kernel.body[-1]
    assert isinstance(test, n.If)
    assert isinstance(test.then[-1], n.Store)
    assert test.then[-1].place.base.name == "own"
    assert stores(twice) == (1, 0)


def test_elements_that_some_items_leave_alone_stay() -> None:
    def one_side(i):  # type: ignore[no-untyped-def]
        if a[i] > 0:
            b[i] = 1

    def other_place(i):  # type: ignore[no-untyped-def]
        if a[i] > 0:
            b[i] = 1
        else:
            b[63 - i] = 1

    def other_write(i):  # type: ignore[no-untyped-def]
        b[i] = 0
        c[i] = 1
        if a[i] > 0:
            b[i] = 1

    def moved(i):  # type: ignore[no-untyped-def]
        j = i
        b[j] = 0
        j = 63 - i
        if a[i] > 0:
            b[j] = 1

    def by_data(i):  # type: ignore[no-untyped-def]
        k = own[i, 0]
        b[k] = 0
        if a[i] > 0:
            b[k] = 1

    def shared(i):  # type: ignore[no-untyped-def]
        b[0] = 0
        if a[i] > 0:
            b[0] = 1
    assert {(1, 0)} == {stores(f) for f in (one_side, other_place, other_write, moved, by_data,
                                            shared)}
