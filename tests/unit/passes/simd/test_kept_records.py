"""Which records are kept in locals."""

from __future__ import annotations

import numpy as np

from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.simd import kept_records

POINT = np.dtype([("x", "f4"), ("y", "f4"), ("z", "f4")])
a, b = (np.zeros(64, POINT).view(np.recarray) for _ in range(2))
rows = np.zeros((64, 3), np.float32)


def kept(function: object) -> tuple[int, int, int]:
    """Return how many members are kept, how many of them have flags, and the tests of memories."""
    kernel = kept_records.run(specialize(function, "range", 1).kernel)
    names = [x.name for x in visit.assigned(kernel.body)]
    tests = [s for s in visit.statements(kernel.body) if isinstance(s, n.If)
             and any(isinstance(x, n.Address) for x in visit.walk(s.cond))]
    return names.count("member"), names.count("written"), len(tests)


def test_a_record_that_is_alone_needs_no_test() -> None:
    def moved(i):  # type: ignore[no-untyped-def]
        p = a[i]
        p.x += p.y
        p.y = p.x
    assert (2, 0, 0) == kept(moved)


def test_other_memories_are_asked_about() -> None:
    def moved(i):  # type: ignore[no-untyped-def]
        p = a[i]
        p.x += b[i].y
        p.y += b[i].x + rows[i, 0]
    assert (2, 0, 1) == kept(moved)


def test_what_a_branch_writes_has_a_flag() -> None:
    def bounced(i):  # type: ignore[no-untyped-def]
        p = a[i]
        p.x += p.y
        if p.x < 0:
            p.y = -p.y
    assert (2, 1, 0) == kept(bounced)


def test_elements_of_rows_that_only_a_branch_reaches_stay_in_memory() -> None:
    def moved(i):  # type: ignore[no-untyped-def]
        rows[i, 0] += 1
        rows[i, 1] += rows[i, 0]
        if i < 20:
            rows[i, 2] = rows[i, 0]
    assert (2, 0, 0) == kept(moved)


def test_records_that_may_be_others_stay_in_memory() -> None:
    def swapped(i):  # type: ignore[no-untyped-def]
        p, q = a[i], a[63 - i]
        p.x += q.x
        q.x += p.x
        p.y = q.x
    assert 0 == kept(swapped)[0]


def test_loops_and_early_ends_around_the_record_are_left_alone() -> None:
    def walk(i):  # type: ignore[no-untyped-def]
        for k in range(4):
            a[i].x += k
            if a[i].x > 9:
                break
            a[i].y = a[i].x
    assert 0 == kept(walk)[0]
