"""What the interior of a kernel is, and what has to hold for it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unisycl.backends.cpu.emit import queries
from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.interior import interior, needed
from unisycl.passes.simd import streams

LANES = 16
a, b = (np.zeros(64, np.float32) for _ in range(2))
u, v = (np.zeros((8, 64), np.float32) for _ in range(2))


def inner(function: object, ndim: int = 1, arguments: tuple[object, ...] = (64,),
          lanes: int = LANES, units: int = 0) -> interior.Interior | None:
    kernel = specialize(function, "range", ndim, arguments).kernel
    found = interior.find(kernel, interior.Search(
        queries.shapes(kernel, lanes, units), lanes, 1 << 31, units))
    return found and replace(found, body=needed.run(replace(kernel, body=found.body)).body)


def straight(found: interior.Interior | None) -> bool:
    """Say whether an interior has no branch and no choice."""
    assert found is not None
    return not visit.contains(found.body, n.If) and not any(
        isinstance(x, n.Select) for x in visit.all_expressions(found.body))


def test_a_guard_around_all_work_is_gone_inside() -> None:
    def guarded(i, n):  # type: ignore[no-untyped-def]
        if i < n:
            b[i] = a[i]

    def early(i, n):  # type: ignore[no-untyped-def]
        if i >= n:
            return
        b[i] = a[i]

    def named(i, n):  # type: ignore[no-untyped-def]
        inside = i >= 3 and i < n
        if inside:
            b[i] = a[i]
    assert [True] * 3 == [straight(inner(f)) for f in (guarded, early, named)]


def test_the_border_of_a_plane_is_left_out_whichever_side_is_written() -> None:
    def within(it, n):  # type: ignore[no-untyped-def]
        y, x = it[0], it[1]
        if x > 0 and x < n - 1 and 0 < y < 7:
            v[y, x] = u[y, x - 1] + u[y, x + 1]

    def border(it, n):  # type: ignore[no-untyped-def]
        y, x = it[0], it[1]
        if x == 0 or x == n - 1 or y == 0:
            v[y, x] = 0
        else:
            v[y, x] = u[y, x - 1] + u[y, x + 1]
    assert straight(inner(within, 2))
    assert straight(inner(border, 2))


def test_two_sides_of_equal_weight_are_branches_that_all_lanes_take_alike() -> None:
    def halves(i, n):  # type: ignore[no-untyped-def]
        if i < n:
            b[i] = a[i] + 1
        else:
            b[i] = a[i] - 1
    found = inner(halves)
    assert found is not None
    conditions = [s.cond for s in visit.statements(found.body) if isinstance(s, n.If)]
    assert 1 == len(conditions)
    assert {x.local for x in visit.walk(conditions[0]) if isinstance(x, n.Read)} <= set(found.seeds)


def test_clamps_and_remainders_are_sums_inside() -> None:
    def neighbours(i, size):  # type: ignore[no-untyped-def]
        b[i] = a[max(i - 1, 0)] + a[min(i + 1, size - 1)] + a[(i - 1 + size) % size]
    found = inner(neighbours)
    assert found is not None
    for x in visit.all_expressions(found.body):
        assert not isinstance(x, n.Call)
        assert not isinstance(x, n.Binary) or x.op not in ("mod", "floordiv")


def test_a_window_is_clamped_for_all_its_turns_at_once() -> None:
    def window(it, n):  # type: ignore[no-untyped-def]
        y, x = it[0], it[1]
        total = np.float32(0)
        for dx in range(-2, 3):
            total += u[y, min(max(x + dx, 0), n - 1)]
        v[y, x] = total

    def ring(it, n):  # type: ignore[no-untyped-def]
        y, x = it[0], it[1]
        total = np.float32(0)
        for dx in range(-2, 3):
            total += u[y, (x + dx + 64) % 64]
        v[y, x] = total
    for function in (window, ring):
        found = inner(function, 2)
        assert straight(found)
        assert found is not None
        assert not any(isinstance(x, n.Call) or (isinstance(x, n.Binary) and x.op == "mod")
                       for x in visit.all_expressions(found.body))


def test_turns_that_a_condition_tells_apart_stay_apart() -> None:
    def lower(i, n):  # type: ignore[no-untyped-def]
        total = np.float32(0)
        for k in range(n):
            if k < i:
                total += a[k]
        b[i] = total
    found = inner(lower)
    assert found is None or (not found.seeds and visit.contains(found.body, n.If))


def test_one_id_of_a_plane_is_divided_once_for_a_vector() -> None:
    def flat(i, width):  # type: ignore[no-untyped-def]
        v[i // width, i % width] = u[i // width, i % width]
    found = inner(flat)
    assert found is not None
    assert not any(isinstance(x, n.Binary) and x.op in ("mod", "floordiv")
                   for x in visit.all_expressions(found.body))
    assert 1 == sum(isinstance(x, n.Binary) and x.op == "floordiv"
                    for x in visit.all_expressions(found.lead))


def test_a_guard_by_data_or_by_single_lanes_has_no_interior() -> None:
    def data(i, n):  # type: ignore[no-untyped-def]
        if a[i] > 0:
            b[i] = a[i]

    def even(i, n):  # type: ignore[no-untyped-def]
        if i % 2 == 0:
            b[i] = a[i]

    def none(i, n):  # type: ignore[no-untyped-def]
        b[i] = a[i] * n
    assert [None] * 3 == [inner(f) for f in (data, even, none)]


def test_one_lane_has_no_interior() -> None:
    def guarded(i, n):  # type: ignore[no-untyped-def]
        if i < n:
            b[i] = a[i]
    assert inner(guarded, lanes=1) is None


def test_a_guarded_output_is_a_stream_inside() -> None:
    def guarded(i, n):  # type: ignore[no-untyped-def]
        if i < n:
            b[i] = a[i]

    def added(i, n):  # type: ignore[no-untyped-def]
        if i < n:
            b[i] = b[i] + a[i]
    for function, wanted in ((guarded, True), (added, False)):
        found = inner(function)
        assert found is not None
        kernel = specialize(function, "range", 1, (64,)).kernel
        assert streams.output(kernel) is None
        assert (streams.output(kernel, found.body) is not None) is wanted


def test_bounds_that_are_small_make_their_comparisons_narrow() -> None:
    def nearest(i, count):  # type: ignore[no-untyped-def]
        best = 0
        for k in range(count):
            if a[k] < a[best]:
                best = k
        b[i] = best
    found = inner(nearest)
    assert found is not None
    assert {"int32"} == {x.type.dtype.name for x in visit.assigned(found.body)
                         if x.name == "best"}


def test_patterns_of_bits_are_not_taken_for_small() -> None:
    def mixed(i, seed):  # type: ignore[no-untyped-def]
        k = (i * 3 + seed) ^ (seed >> 7)
        if k % 5 < seed % 3:
            b[i] = 1
    assert inner(mixed) is None


def test_a_neighbour_that_a_branch_bends_back_is_along_the_row_inside() -> None:
    def periodic(it, n):  # type: ignore[no-untyped-def]
        y, x = it[0], it[1]
        left, right = x - 1, x + 1
        if left < 0:
            left = n - 1
        elif left > n:
            left = 0
        if right == n:
            right = 0
        v[y, x] = u[y, left] + u[y, right]
    assert straight(inner(periodic, 2))


def test_neighbours_of_a_ring_divide_nothing_and_rows_of_one_id_do() -> None:
    def divides(found: interior.Interior | None) -> bool:
        assert found is not None
        every = [found.holds, *(s.value for s in found.lead)]
        return any(isinstance(x, n.Binary) and x.op in ("floordiv", "mod")
                   for e in every for x in visit.walk(e))

    def ring(it, n):  # type: ignore[no-untyped-def]
        y, x = it[0], it[1]
        v[y, x] = u[y, (x - 1) % n] + u[y, (x + 1 + n) % n] + u[y, (x + n - 3) % n]

    def flat(i, w):  # type: ignore[no-untyped-def]
        y, x = i // w, i % w
        b[i] = u[y, x] + a[(i + 1) % w]
    assert straight(inner(ring, 2))
    assert not divides(inner(ring, 2))
    assert straight(inner(flat))
    assert divides(inner(flat))


def loads(found: interior.Interior | None, array: str) -> int:
    """Return how many elements of an array an interior reads."""
    assert found is not None
    return sum(isinstance(x, n.Load) and array in str(x.place.base)
               for x in visit.all_expressions(found.body))


def test_conditions_are_settled_however_they_are_written() -> None:
    def not_outside(i, n):  # type: ignore[no-untyped-def]
        if not (i < 3 or i >= n):
            b[i] = a[i]

    def not_both(i, n):  # type: ignore[no-untyped-def]
        if not (i < n and i > 2):
            return
        b[i] = a[i]

    def one_of_two(i, n):  # type: ignore[no-untyped-def]
        if i < n or i < 5:
            b[i] = a[i]

    def mirrored(i, n):  # type: ignore[no-untyped-def]
        if n > i and 3 <= i:
            b[i] = a[i]

    def nested(i, n):  # type: ignore[no-untyped-def]
        if i < n:
            if not i < 3:
                b[i] = a[i]

    def unequal(i, n):  # type: ignore[no-untyped-def]
        if i != n:
            b[i] = a[i]

    def of_a_sum(i, n):  # type: ignore[no-untyped-def]
        if 2 * i + 1 < n:
            b[i] = a[i]

    def turned_round(i, n):  # type: ignore[no-untyped-def]
        if n - i > 0:
            b[i] = a[i]
    every = (not_outside, not_both, one_of_two, mirrored, nested, unequal, of_a_sum, turned_round)
    assert [f.__name__ for f in every if not straight(inner(f))] == []


def test_loops_of_windows_are_settled_in_both_directions() -> None:
    def upwards(i, n):  # type: ignore[no-untyped-def]
        total = np.float32(0)
        for k in range(-2, 3):
            if 0 <= i + k < n:
                total += a[i + k]
        b[i] = total

    def downwards(i, n):  # type: ignore[no-untyped-def]
        total = np.float32(0)
        for k in range(2, -3, -1):
            if 0 <= i + k < n:
                total += a[i + k]
        b[i] = total
    assert straight(inner(upwards))
    assert straight(inner(downwards))


def test_bits_above_the_lanes_are_those_of_the_first() -> None:
    def operations(found: interior.Interior | None) -> set[str]:
        assert found is not None
        return {x.op for x in visit.all_expressions(found.body) if isinstance(x, n.Binary)
                and x.op in ("and", "or", "xor", "shr")}

    def partners(i, m):  # type: ignore[no-untyped-def]
        b[i] = a[i ^ m]

    def parts(i, m):  # type: ignore[no-untyped-def]
        b[i] = a[i & (m - 1)] + a[i >> m] + a[i | m]

    def near(i, m):  # type: ignore[no-untyped-def]
        b[i] = a[i ^ 1] + a[i & 5]

    def of_a_mask(i, m):  # type: ignore[no-untyped-def]
        b[i] = a[i & 31] + a[i & ~15] + a[i ^ 64]
    assert operations(inner(partners)) == set()
    assert operations(inner(parts)) == set()
    assert operations(inner(of_a_mask)) == set()
    assert inner(partners).aligned  # type: ignore[union-attr]
    found = inner(near)
    assert found is None or operations(found) == {"xor", "and"}  # lanes differ in these bits


def test_what_is_always_so_needs_no_look_at_the_other_side() -> None:
    def larger(i, n):  # type: ignore[no-untyped-def]
        b[i] = a[max(i - 1, 0)] + a[min(i, n)] + a[max(0, i)]
    found = inner(larger)
    assert straight(found)
    assert loads(found, "a") == 3
    assert found is not None
    assert not any(isinstance(x, n.Call) for x in visit.all_expressions(found.body))
