"""What kernels look like once lowered: the shape of the IR that backends build on."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.unit.frontend.lowering import found, lower, problems
from unisycl.base.enums import memory_scope
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import WEAK_INT

a = np.zeros(8, np.float32)
k = np.zeros(8, np.int32)


def test_a_guard_takes_the_rest_as_its_else_branch():
    def kernel(i):
        if a[i] < 0:
            return
        a[i] = 1
        if a[i] > 5:
            return
        a[i] = 2
    kernel = lower(kernel)
    assert [] == found(kernel, n.Leave)
    assert [] == found(kernel, n.Scope)


def test_a_return_inside_a_loop_leaves_a_scope():
    def kernel(i):
        for j in range(4):
            if a[j] > 1:
                return
        a[i] = 1
    kernel = lower(kernel)
    assert 1 == len(found(kernel, n.Leave))


def test_helpers_are_inlined_and_constant_arguments_stay_constants():
    def helper(x, wide):
        if wide:
            return np.float64(x)
        return x

    def kernel(i):
        a[i] = helper(a[i], False) + helper(a[i], wide=True)
    assert [] == found(lower(kernel), n.If)


def test_branches_on_constants_leave_no_trace():
    mode = "fast"

    def kernel(i):
        if mode == "fast" and mode is not None and len(mode) == 4:
            a[i] = 1
        else:
            a[i] = undefined  # noqa: F821
    assert [] == found(lower(kernel), n.If)


def test_names_given_one_constant_are_constants():
    def kernel(i):
        size = 3
        w = sycl.private_array(np.float32, size)
        w[0] = size
        a[i] = w[0]
    kernel = lower(kernel)
    assert (3,) == kernel.arrays[0].shape
    assert [] == found(kernel, n.Assign)


def test_captured_integers_can_be_shapes():
    size = 5

    def kernel(i):
        w = sycl.private_array(np.float32, (size, 2))
        w[0, 0] = 1
    assert (5, 2) == lower(kernel).arrays[0].shape


def test_static_loops_unroll_and_ranges_do_not():
    def kernel(i):
        for w in (1, 2, 3):
            a[i] += w
        for j in range(3):
            a[i] += j
    kernel = lower(kernel)
    assert 1 == len(found(kernel, n.For))
    assert 4 == len(found(kernel, n.Store))


def test_a_loop_counter_that_is_not_changed_is_the_variable():
    def kernel(i):
        for j in range(4):
            a[0] += j
    kernel = lower(kernel)
    loop, = found(kernel, n.For)
    assert WEAK_INT == loop.local.type
    assert [] == found(kernel, n.Assign)


def test_barriers_and_collectives_are_statements():
    def kernel(it):
        g = it.get_group()
        sycl.group_barrier(g)
        a[it.get_global_id(0)] = sycl.reduce_over_group(it.get_sub_group(), 1, sycl.plus)
    kernel = lower(kernel, "nd_range", local=(4,))
    assert [memory_scope.work_group] == [s.scope for s in found(kernel, n.Barrier)]
    assert [("reduce", "plus", memory_scope.sub_group)] == [
        (s.op, s.combine, s.scope) for s in found(kernel, n.GroupCall)]


def test_aspects_follow_the_types_that_are_used():
    half, double = np.zeros(4, np.float16), np.zeros(4)

    def kernel(i):
        half[i] = 1
        double[i] = 0.5
    assert {"fp16", "fp64"} == lower(kernel).aspects

    def plain(i):
        a[i] = 0.5
    assert set() == lower(plain).aspects


def test_64_bit_atomics_need_their_aspect():
    wide = np.zeros(4, np.int64)

    def kernel(i):
        sycl.atomic_ref(wide, i, sycl.memory_order.relaxed, sycl.memory_scope.device).fetch_add(1)
    assert "atomic64" in lower(kernel).aspects


def test_every_statement_that_touches_memory_knows_its_line():
    def kernel(i):
        a[i] = a[i] + k[i]
        k[i] += 1
    lowered, first = lower(kernel), kernel.__code__.co_firstlineno
    stores = found(lowered, n.Store)
    assert [first + 1, first + 2] == [store.span.line for store in stores]
    assert {__file__} == {store.span.file.name for store in stores}
    loads = [x for s in visit.statements(lowered.body) for x in visit.all_expressions((s,))
             if isinstance(x, n.Load)]
    assert {"a", "k"} == {x.place.base.name for x in loads}
    lines = {place.span.line for place in (*(s.place for s in stores), *(x.place for x in loads))}
    assert {first + 1, first + 2} == lines


def test_parameters_come_once_in_the_order_of_use():
    def kernel(i, x, y):
        a[i] = y[i] + x + a[i]
    kernel = lower(kernel, arguments=(1.5, k))
    assert ["x", "y", "a"] == [p.name for p in kernel.params]
    assert [0, 1, 2] == [p.index for p in kernel.params]


@pytest.mark.parametrize("kind", ["single", "range", "nd_range", "work_group"])
def test_the_index_is_the_first_parameter_but_for_single_tasks(kind):
    def with_index(it):
        a[0] = 1

    def without():
        a[0] = 1
    right, wrong = (without, with_index) if kind == "single" else (with_index, without)
    assert kind == lower(right, kind, local=(4,) if kind != "range" else ()).index_kind
    assert ["K034"] == problems(wrong, kind)


def test_problems_inside_statements_whose_head_is_wrong_are_found_too():
    def kernel(i):
        if missing_one:  # noqa: F821
            a[1.5] = 1
        for _ in missing_two:  # noqa: F821
            missing_three()  # noqa: F821
    assert ["K030", "K038", "K030", "K030"] == problems(kernel)


def test_a_problem_in_a_helper_is_told_once_however_often_it_is_called():
    def helper(x):
        return x.nothing

    def kernel(i):
        a[i] = helper(1) + helper(2)
        a[i] = helper(3)
    assert ["K032"] == problems(kernel)
