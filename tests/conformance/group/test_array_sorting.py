"""Sorting the private arrays of a group's work-items (sycl_ext_oneapi_group_sort, revision 2)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

exp = sycl.ext.oneapi.experimental
default, radix = exp.default_sorters, exp.radix_sorters
striped_in, striped_out = exp.input_data_placement.striped, exp.output_data_placement.striped
EACH, LOCAL = 3, 20
COUNT = EACH * LOCAL


def given(dtype, spread=100):
    return np.random.default_rng(spread).integers(-spread, spread, COUNT).astype(dtype)


def striped(x):
    """Return what work-item after work-item holds of a range that is dealt out in turn."""
    return x.reshape(EACH, LOCAL).T.reshape(-1)


@pytest.mark.row("M-5")
@pytest.mark.parametrize("dtype", ["int16", "float32", "uint64"])
def test_arrays_of_a_work_group_are_sorted(queue: sycl.queue, dtype) -> None:
    x = np.abs(given(dtype))
    out = np.zeros((5, COUNT), dtype)

    def kernel(it):
        g, me = it.get_group(), it.get_local_id(0)
        mine = sycl.private_array(dtype, EACH)
        for way in (0, 1, 2, 3, 4):
            for k in range(EACH):
                mine[k] = x[me * EACH + k]
            if way == 0:
                exp.sort_over_group(g, mine)
            elif way == 1:
                exp.sort_over_group(g, mine, lambda a, b: a > b)
            elif way == 2:
                exp.sort_over_group(g, mine, striped_out)
            elif way == 3:
                exp.sort_over_group(g, mine, default.group_sorter(x, lambda a, b: a > b),
                                    (exp.input_data_placement.blocked, striped_out))
            else:
                exp.sort_over_group(exp.group_with_scratchpad(g, x), mine,
                                    radix.group_sorter(x, order=exp.sorting_order.descending))
            for k in range(EACH):
                out[way, me * EACH + k] = mine[k]
    queue.parallel_for(sycl.nd_range(LOCAL, LOCAL), kernel).wait()
    up = np.sort(x)
    down = up[::-1]
    assert [up.tolist(), down.tolist(), striped(up).tolist(), striped(down).tolist(),
            down.tolist()] == out.tolist()


@pytest.mark.row("M-5")
def test_keys_keep_their_order_and_take_values_along(queue: sycl.queue) -> None:
    x = given("int32", 4)
    out, places = np.zeros((3, COUNT), np.int32), np.zeros((3, COUNT), np.int64)

    def kernel(it):
        g, me = it.get_group(), it.get_local_id(0)
        keys, values = sycl.private_array(np.int32, EACH), sycl.private_array(np.int64, EACH)
        for way in (0, 1, 2):
            for k in range(EACH):
                at = k * LOCAL + me if way == 1 else me * EACH + k
                keys[k] = x[at]
                values[k] = at
            if way == 0:
                exp.sort_key_value_over_group(g, keys, values)
            elif way == 1:
                exp.sort_key_value_over_group(g, keys, values, (striped_in, striped_out))
            else:
                exp.sort_key_value_over_group(g, keys, values, radix.group_key_value_sorter(x),
                                              striped_out)
            for k in range(EACH):
                out[way, me * EACH + k] = keys[k]
                places[way, me * EACH + k] = values[k]
    queue.parallel_for(sycl.nd_range(LOCAL, LOCAL), kernel).wait()
    order = np.argsort(x, kind="stable")
    assert [order.tolist(), striped(order).tolist(), striped(order).tolist()] == places.tolist()
    assert [x[order].tolist(), striped(x[order]).tolist(), striped(x[order]).tolist()] \
        == out.tolist()


@pytest.mark.row("M-5")
def test_arrays_of_sub_groups_are_sorted(queue: sycl.queue) -> None:
    x, out, number = given("int32"), np.zeros(COUNT, np.int32), np.zeros(LOCAL, np.int32)

    def kernel(it):
        sg, me = it.get_sub_group(), it.get_local_id(0)
        mine = sycl.private_array(np.int32, EACH)
        for k in range(EACH):
            mine[k] = x[me * EACH + k]
        exp.sort_over_group(sg, mine)
        for k in range(EACH):
            out[me * EACH + k] = mine[k]
        number[me] = sg.get_group_linear_id()
    queue.parallel_for(sycl.nd_range(LOCAL, LOCAL), kernel).wait()
    parts = np.repeat(number, EACH)
    assert [np.sort(x[parts == k]).tolist() for k in set(number)] == [
        out[parts == k].tolist() for k in set(number)]


@pytest.mark.row("M-5")
def test_the_feature_is_announced() -> None:
    assert 2 == sycl.SYCL_EXT_ONEAPI_GROUP_SORT
