"""Barriers that provably not every work-item reaches are refused; doubtful ones are not."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit

data = np.zeros(64, np.int64)


def refused(function: object, local: tuple[int, ...] = (16,)) -> str:
    with pytest.raises(sycl.exception) as caught:
        specialize(function, "nd_range", len(local), (), (), local)
    assert caught.value.diagnostics[0].id == "K051"
    return str(caught.value)


def accepted(function: object, local: tuple[int, ...] = (16,)) -> None:
    made = specialize(function, "nd_range", len(local), (), (), local)
    assert visit.contains(made.kernel.body, n.Barrier), "it has the barrier that is asked about"


def test_a_condition_on_the_local_id_is_refused_with_two_witnesses() -> None:
    def kernel(it):  # type: ignore[no-untyped-def]
        if it.get_local_id(0) < 8:
            sycl.group_barrier(it.get_group())
    text = refused(kernel)
    assert "True for local id 0, False for local id 8" in text


def test_the_same_condition_is_fine_where_all_items_agree() -> None:
    def kernel(it):  # type: ignore[no-untyped-def]
        if it.get_local_id(0) < 16:
            sycl.group_barrier(it.get_group())
    accepted(kernel)


def test_an_early_return_of_some_items_is_refused() -> None:
    def kernel(it):  # type: ignore[no-untyped-def]
        lid = it.get_local_linear_id()
        if lid % 2 == 1:
            return
        sycl.group_barrier(it.get_group())
    refused(kernel, (4, 4))


def test_a_loop_with_a_bound_of_its_own_for_each_item_is_refused() -> None:
    def kernel(it):  # type: ignore[no-untyped-def]
        for _k in range(it.get_local_id(0)):
            sycl.group_barrier(it.get_group())
    refused(kernel)


def test_a_condition_that_data_decides_is_accepted() -> None:
    def kernel(it):  # type: ignore[no-untyped-def]
        if data[it.get_group(0)] > 0:
            sycl.group_barrier(it.get_group())
    accepted(kernel)


def test_a_tail_guard_is_accepted_because_the_size_may_divide() -> None:
    def kernel(it):  # type: ignore[no-untyped-def]
        if it.get_global_id(0) >= len(data):
            return
        sycl.group_barrier(it.get_group())
    accepted(kernel)


def test_loops_with_turns_of_their_own_are_fine_where_all_meet() -> None:
    def counted(it):  # type: ignore[no-untyped-def]
        for k in range(2 + it.get_local_id(0)):
            if k < 2:
                sycl.group_barrier(it.get_group())

    def asked(it):  # type: ignore[no-untyped-def]
        k = 0
        while k < 2 + it.get_local_id(0):
            if k < 2:
                sycl.group_barrier(it.get_group())
            k += 1

    def left(it):  # type: ignore[no-untyped-def]
        k = 0
        while True:
            if k >= 3 + it.get_local_id(0) % 3:
                break
            k += 1
            if k > 3:
                continue
            sycl.group_barrier(it.get_group())
    for kernel in (counted, asked, left):
        accepted(kernel)


def test_loops_are_refused_alike_however_they_are_written() -> None:
    def counted(it):  # type: ignore[no-untyped-def]
        for k in range(3 + it.get_local_id(0) % 2):
            if k > 1:
                sycl.group_barrier(it.get_group())

    def asked(it):  # type: ignore[no-untyped-def]
        k = 0
        while k < 3 + it.get_local_id(0) % 2:
            if k > 1:
                sycl.group_barrier(it.get_group())
            k += 1

    def left(it):  # type: ignore[no-untyped-def]
        k = 0
        while True:
            if k == 3 + it.get_local_id(0) % 2:
                break
            k += 1
            if k < 3:
                continue
            sycl.group_barrier(it.get_group())
    for kernel in (counted, asked, left):
        assert "for local id 1" in refused(kernel)


def test_what_data_decides_around_a_loop_is_taken_to_be_alike() -> None:
    def kernel(it):  # type: ignore[no-untyped-def]
        k = it.get_local_id(0)
        if data[0] > 3:
            k = 0
        while k < 4:
            sycl.group_barrier(it.get_group())
            k += 1
    accepted(kernel)


def test_a_return_of_all_items_on_one_way_takes_none_away_on_the_other() -> None:
    def kernel(it, a):  # type: ignore[no-untyped-def]
        if a[0]:
            return
        else:
            if it.get_local_id(0) < 8:
                for _k in range(a[1]):
                    if a[2] > 0:
                        break
                    a[2] = 1
            sycl.group_barrier(it.get_group())
        a[2] = 2

    a = np.zeros(3, np.int32)
    sycl.queue(sycl.cpu_selector_v).parallel_for(sycl.nd_range(16, 16), kernel, a).wait()
    assert [0, 0, 2] == a.tolist()
