"""Which elements of memory loops keep in locals."""

from __future__ import annotations

import numpy as np

from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.shared import loop_steps
from unisycl.passes.simd import registers

c, d = (np.zeros((64, 64), np.float32) for _ in range(2))


def kept(function: object) -> tuple[int, int]:
    """Return how many elements are kept in locals, and how many tests of memories there are."""
    kernel = registers.run(specialize(function, "range", 1).kernel)
    locals = {x for x in visit.assigned(kernel.body) if x.name == "kept"}
    tests = [s for s in visit.statements(kernel.body) if isinstance(s, n.If)
             and any(isinstance(x, n.Address) for x in visit.walk(s.cond))]
    return len(locals), len(tests)


def test_a_sum_in_memory_is_kept_where_memories_are_apart() -> None:
    def summed(i):  # type: ignore[no-untyped-def]
        for k in range(64):
            c[i, 3] += d[k, i]
    assert (1, 1) == kept(summed)


def test_a_step_that_a_launch_gives_keeps_them_too() -> None:
    def summed(i, step):  # type: ignore[no-untyped-def]
        for k in range(i, 64, step):
            c[i, 3] += d[k, i]
    kernel = registers.run(loop_steps.run(specialize(summed, "range", 1, (-3,)).kernel))
    loops = [s for s in visit.statements(kernel.body) if isinstance(s, n.For)]
    assert loops
    assert not any(isinstance(s.step, n.Const) for s in loops)
    assert any(x.name == "kept" for x in visit.assigned(kernel.body))


def test_a_sum_of_nothing_else_in_memory_needs_no_test() -> None:
    def powers(i):  # type: ignore[no-untyped-def]
        for k in range(64):
            c[i, 3] *= 1 + k
    assert (1, 0) == kept(powers)


def test_loops_around_that_always_turn_share_the_local() -> None:
    def window(i):  # type: ignore[no-untyped-def]
        for y in range(3):
            for x in range(3):
                c[i, 3] += d[i, y + x]
    assert (1, 1) == kept(window)
    kernel = registers.run(specialize(window, "range", 1).kernel)
    first = registers.likely(kernel.body)
    assert not any(isinstance(s, n.Store) for loop in visit.statements(first)
                   if isinstance(loop, n.For) for s in visit.statements(loop.body))


def test_elements_that_move_or_have_conditions_stay_in_memory() -> None:
    def moves(i):  # type: ignore[no-untyped-def]
        for k in range(64):
            c[i, k] += d[k, i]

    def branch(i):  # type: ignore[no-untyped-def]
        for k in range(64):
            if d[k, i] > 0:
                c[i, 3] += d[k, i]

    def neighbour(i):  # type: ignore[no-untyped-def]
        for k in range(64):
            c[i, 3] += c[i, k]

    def left(i):  # type: ignore[no-untyped-def]
        for k in range(64):
            if d[k, i] > 0:
                break
            c[i, 3] += d[k, i]

    def written(i):  # type: ignore[no-untyped-def]
        for k in range(64):
            c[i, 3] = d[k, i]
    assert {(0, 0)} == {kept(f) for f in (moves, branch, neighbour, left, written)}
