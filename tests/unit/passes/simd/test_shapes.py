"""How locals vary over work-items."""

from __future__ import annotations

import numpy as np

import unisycl as sycl
from unisycl.backends.cpu.emit import queries
from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.simd import shapes as sh

data = np.zeros(64, np.float32)
whole = np.zeros(64, np.int64)


def analysed(function: object, *, local: tuple[int, ...] = (), lanes: int = 16) -> sh.Shapes:
    kind = "nd_range" if local else "range"
    kernel = specialize(function, kind, max(1, len(local)), (), (), local).kernel
    analysed.kernel = kernel  # type: ignore[attr-defined]
    return sh.analyse(kernel.body, queries.shapes(kernel, lanes), {})


def shape_of(found: sh.Shapes, name: str) -> sh.Shape:
    return next(s for local, s in found.locals.items() if local.name == name)


def test_an_id_and_what_is_added_to_it_stay_linear() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        a = i + 3
        b = 2 * a - 1
        whole[b] = a
    found = analysed(kernel)
    assert sh.Shape(sh.LINEAR, 1) == shape_of(found, "a")
    assert sh.Shape(sh.LINEAR, 2) == shape_of(found, "b")


def test_a_sum_that_no_lane_changes_alone_stays_uniform() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        s = 0.0
        for k in range(10):
            s += data[k]
        data[i] = s
    found = analysed(kernel)
    assert sh.UNIFORM == shape_of(found, "s")
    assert not found.divergent


def test_a_value_assigned_under_a_varying_condition_is_blended() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        s = 1.0
        if data[i] > 0:
            s = 2.0
        data[i] = s
    found = analysed(kernel)
    assert sh.ANY == shape_of(found, "s")
    assert 1 == len(found.blends)


def test_a_value_that_lives_inside_a_branch_only_needs_no_blend() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        if data[i] > 0:
            t = data[3] * 2
            data[i] = t
    found = analysed(kernel)
    assert not found.blends
    assert sh.UNIFORM == shape_of(found, "t")


def test_a_break_of_some_lanes_splits_the_loop_but_not_its_counter() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        for k in range(10):
            if data[i] > k:
                break
            data[i] += k
    found = analysed(kernel)
    assert shape_of(found, "k").rank <= sh.LANES
    loops = [s for s in visit.statements(analysed.kernel.body)  # type: ignore[attr-defined]
             if isinstance(s, n.For)]
    assert id(loops[0]) in found.divergent


def test_rows_of_a_work_group_share_the_outer_local_id() -> None:
    def kernel(it):  # type: ignore[no-untyped-def]
        r, c = it.get_local_id(0), it.get_local_id(1)
        whole[r * 16 + c] = r
    found = analysed(kernel, local=(4, 16))
    assert sh.LANES == shape_of(found, "r").rank
    assert sh.Shape(sh.LINEAR, 1) == shape_of(found, "c")


def test_a_counter_that_starts_at_the_id_stays_linear_inside_its_loop() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        for k in range(i, 64, 16):
            data[k] = 1
        for back in range(i, -1, -1):
            data[back] = 1
        after = 0
        for after in range(i, 64, 16):
            data[after] = 1
        whole[i] = after
    found = analysed(kernel)
    assert sh.Shape(sh.LINEAR, 1) == shape_of(found, "k")
    assert sh.ANY == shape_of(found, "back")
    assert sh.ANY == shape_of(found, "after")
    assert 3 == len(found.divergent)


def test_private_arrays_vary_over_lanes_only_where_there_are_several() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        stack = sycl.private_array(np.int32, 8)
        stack[0] = whole[i]
        top = 1
        while top > 0:
            top -= stack[0]
        whole[i] = top
    one, several = (analysed(kernel, lanes=lanes) for lanes in (1, 8))
    assert not one.divergent
    assert not one.blends
    assert several.divergent
    in_groups = analysed(kernel_of_groups, local=(1,), lanes=1)
    assert not in_groups.divergent


def kernel_of_groups(it):  # type: ignore[no-untyped-def]
    mine = sycl.private_array(np.int32, 2)
    mine[1] = whole[it.get_global_id(0)]
    if mine[1] > 0:
        whole[0] = mine[1]
