"""Barriers that provably not every work-item reaches are refused; doubtful ones are not."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.frontend.specialize import specialize

data = np.zeros(64, np.int64)


def refused(function: object, local: tuple[int, ...] = (16,)) -> str:
    with pytest.raises(sycl.exception) as caught:
        specialize(function, "nd_range", len(local), (), (), local)
    assert caught.value.diagnostics[0].id == "K051"
    return str(caught.value)


def accepted(function: object, local: tuple[int, ...] = (16,)) -> None:
    specialize(function, "nd_range", len(local), (), (), local)


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
