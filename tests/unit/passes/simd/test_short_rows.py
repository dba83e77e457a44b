"""Which elements of short rows are read and written together."""

from __future__ import annotations

import numpy as np

from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.simd import row_loops, short_rows, unrolled

p, q = (np.zeros((64, 3), np.float32) for _ in range(2))
out = np.zeros(64, np.float32)


def joined(function: object) -> tuple[list[int], list[int]]:
    """Return how many elements are read together, and written together."""
    body = short_rows.gather(specialize(function, "range", 1).kernel).body
    return ([len(s.results) for s in visit.statements(body) if isinstance(s, n.LoadMany)],
            [len(s.values) for s in visit.statements(body) if isinstance(s, n.StoreMany)])


def test_elements_of_a_row_are_joined() -> None:
    def length(i):  # type: ignore[no-untyped-def]
        out[i] = p[i, 0] * p[i, 0] + p[i, 1] * p[i, 1]

    def between(i):  # type: ignore[no-untyped-def]
        x = q[i, 1] + p[i, 2]
        out[i] = x * q[i, 2] - p[i, 1]

    def copied(i):  # type: ignore[no-untyped-def]
        x, y, z = p[i, 0], p[i, 1], p[i, 2]
        q[i, 2], q[i, 0], q[i, 1] = x, y, z
    assert ([2], []) == joined(length)
    assert ([2, 2], []) == joined(between)
    assert ([3], [3]) == joined(copied)


def test_elements_that_may_change_or_have_gaps_stay() -> None:
    def gap(i):  # type: ignore[no-untyped-def]
        out[i] = p[i, 0] + p[i, 2]

    def other_rows(i):  # type: ignore[no-untyped-def]
        out[i] = p[i, 0] + p[63 - i, 1]

    def written_between(i):  # type: ignore[no-untyped-def]
        x = p[i, 0]
        q[i, 0] = x
        out[i] = x + p[i, 1]

    def not_from_the_first_on(i):  # type: ignore[no-untyped-def]
        q[i, 1] = i
        q[i, 2] = i

    def behind_a_condition(i):  # type: ignore[no-untyped-def]
        x = p[i, 0]
        if x > 0:
            x = p[i, 1]
        out[i] = x
    assert {((), ())} == {tuple(map(tuple, joined(f))) for f in (
        gap, other_rows, written_between, not_from_the_first_on, behind_a_condition)}


def test_what_is_read_between_stores_asks_where_memories_end() -> None:
    def swapped(i):  # type: ignore[no-untyped-def]
        q[i, 0] = p[i, 1]
        q[i, 1] = p[i, 0]

    def in_place(i):  # type: ignore[no-untyped-def]
        q[i, 0] = q[i, 1]
        q[i, 1] = q[i, 0]
    body = short_rows.gather(specialize(swapped, "range", 1).kernel).body
    tests = [s for s in body if isinstance(s, n.If)]
    assert len(tests) == 1
    assert any(isinstance(x, n.Address) for x in visit.walk(tests[0].cond))
    assert joined(swapped) == ([2], [2])
    assert joined(in_place) == ([], [])


def test_loops_of_few_turns_along_a_row_are_unrolled() -> None:
    def moved(i):  # type: ignore[no-untyped-def]
        for d in range(3):
            step = p[i, d]
            q[i, d] += step * 2
    kernel = row_loops.run(specialize(moved, "range", 1).kernel)
    body = short_rows.gather(unrolled.run(kernel)).body
    assert not visit.contains(body, n.For)
    assert [len(s.values) for s in visit.statements(body) if isinstance(s, n.StoreMany)] == [3]
