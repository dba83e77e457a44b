"""Work-items, barriers, group functions, hierarchical kernels and reducers on the host device."""

import itertools

import numpy as np
import pytest

from unisycl.base.enums import memory_order, memory_scope
from unisycl.base.errors import DeviceError, UsageError
from unisycl.lang.groups.group_functions import (
    all_of_group,
    any_of_group,
    exclusive_scan_over_group,
    group_barrier,
    group_broadcast,
    inclusive_scan_over_group,
    none_of_group,
    permute_group_by_xor,
    reduce_over_group,
    select_from_group,
    shift_group_left,
    shift_group_right,
)
from unisycl.lang.memory.atomic import atomic_ref
from unisycl.lang.numbers.function_objects import maximum, minimum, multiplies, plus

DOUBLED = np.zeros(4, np.int32)


def test_a_single_task_runs_once(host):
    out = np.zeros(1, np.int32)

    def kernel():
        out[0] += 7
    host.run(kernel, "single", ())
    assert out[0] == 7


def test_a_range_visits_every_id_with_the_last_dimension_fastest(host):
    out = np.full((2, 3), -1, np.int32)
    order = np.zeros(1, np.int32)

    def kernel(it):
        out[it] = order[0]
        order[0] += 1
    host.range(kernel, (2, 3))
    assert out.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_an_offset_shifts_ids_and_not_linear_ids(host):
    out = np.zeros(8, np.int32)

    def kernel(it):
        out[it.get_id(0)] = it.get_linear_id() + 10
    host.range(kernel, 3, offset=(4,))
    assert out.tolist() == [0, 0, 0, 0, 10, 11, 12, 0]


def test_nd_items_know_where_they_are(host):
    out = np.zeros((4, 6), np.int32)

    def kernel(it):
        g0 = it.get_group().get_group_id(0) * it.get_local_range(0) + it.get_local_id(0)
        g1 = it.get_group().get_group_id(1) * it.get_local_range(1) + it.get_local_id(1)
        if g0 == it.get_global_id(0) and g1 == it.get_global_id(1):
            out[g0, g1] = it.get_global_linear_id()
    host.nd_range(kernel, (4, 6), (2, 3))
    assert out.ravel().tolist() == list(range(24))


def test_a_tree_reduction_with_barriers_in_a_loop_sums_each_group(host):
    source = np.arange(64, dtype=np.float32)
    sums = np.zeros(4, np.float32)
    tile = host.Local(np.float32, 16)

    def kernel(it):
        local = it.get_local_id(0)
        tile[local] = source[it.get_global_id(0)]
        group_barrier(it.get_group())
        step = 8
        while step > 0:
            if local < step:
                tile[local] += tile[local + step]
            group_barrier(it.get_group())
            step //= 2
        if local == 0:
            sums[it.get_group_linear_id()] = tile[0]
    host.nd_range(kernel, 64, 16)
    assert sums.tolist() == source.reshape(4, 16).sum(axis=1).tolist()


def meet(it):
    group_barrier(it.get_group())


def exchange(it, tile, value):
    tile[it.get_local_id(0)] = value
    meet(it)
    return tile[it.get_local_range(0) - 1 - it.get_local_id(0)]


def test_a_barrier_in_a_helper_called_by_a_helper_is_one(host):
    out = np.zeros(8, np.int32)
    tile = host.Local(np.int32, 4)

    def kernel(it):
        out[it.get_global_id(0)] = exchange(it, tile, it.get_global_id(0))
    host.nd_range(kernel, 8, 4)
    assert out.tolist() == [3, 2, 1, 0, 7, 6, 5, 4]


def test_a_function_defined_inside_the_kernel_may_hold_a_barrier(host):
    out = np.zeros(4, np.int32)
    tile = host.Local(np.int32, 4)

    def kernel(it):
        def put(value):
            tile[it.get_local_id(0)] = value
            group_barrier(it.get_group())
        put(it.get_local_id(0) + 1)
        out[it.get_local_id(0)] = tile[(it.get_local_id(0) + 1) % 4]
    host.nd_range(kernel, 4, 4)
    assert out.tolist() == [2, 3, 4, 1]


def test_the_old_barrier_method_meets_too(host):
    out = np.zeros(4, np.int32)
    tile = host.Local(np.int32, 4)

    def kernel(it):
        tile[it.get_local_id(0)] = it.get_local_id(0)
        it.barrier()
        out[it.get_local_id(0)] = tile[3 - it.get_local_id(0)]
    host.nd_range(kernel, 4, 4)
    assert out.tolist() == [3, 2, 1, 0]


def test_the_leader_may_work_long_while_the_others_wait(host):
    out = np.zeros(6, np.int32)
    tile = host.Local(np.int32, 1)

    def kernel(it):
        if it.get_group().leader():
            total = 0
            for k in range(100):
                total += k
            tile[0] = total
        group_barrier(it.get_group())
        out[it.get_global_id(0)] = tile[0]
    host.nd_range(kernel, 6, 3)
    assert out.tolist() == [4950] * 6


def test_scans_and_reductions_over_the_group_equal_accumulate(host):
    x = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8], np.int32)
    out = np.zeros((4, 12), np.int32)

    def kernel(it):
        i = it.get_global_id(0)
        g = it.get_group()
        out[0, i] = inclusive_scan_over_group(g, x[i], plus)
        out[1, i] = exclusive_scan_over_group(g, x[i], 100, plus)
        out[2, i] = exclusive_scan_over_group(g, x[i], minimum)
        out[3, i] = reduce_over_group(g, x[i], 2, multiplies)
    host.nd_range(kernel, 12, 6)
    for start in (0, 6):
        part = x[start:start + 6].tolist()
        span = slice(start, start + 6)
        assert out[0, span].tolist() == list(itertools.accumulate(part))
        assert out[1, span].tolist() == list(itertools.accumulate(part, initial=100))[:-1]
        assert out[2, span].tolist() == [2**31 - 1, *itertools.accumulate(part, min)][:-1]
        assert out[3, span].tolist() == [2 * int(np.prod(part))] * 6


def test_sub_groups_are_consecutive_and_the_last_may_be_partial(host):
    out = np.zeros((4, 20), np.int32)

    def kernel(it):
        i = it.get_global_id(0)
        sg = it.get_sub_group()
        out[0, i] = sg.get_group_linear_id()
        out[1, i] = sg.get_local_linear_range()
        out[2, i] = reduce_over_group(sg, i, plus)
        out[3, i] = reduce_over_group(it.get_group(), i, maximum)
    host.nd_range(kernel, 20, 20)
    assert out[0].tolist() == [0] * 8 + [1] * 8 + [2] * 4
    assert out[1].tolist() == [8] * 16 + [4] * 4
    assert out[2].tolist() == [28] * 8 + [92] * 8 + [70] * 4
    assert out[3].tolist() == [19] * 20


def test_sub_groups_may_part_ways_between_meetings_of_the_group(host):
    out = np.zeros(16, np.int32)

    def kernel(it):
        sg = it.get_sub_group()
        x = 1
        if sg.get_group_linear_id() == 0:
            x = reduce_over_group(sg, 1, plus)
        group_barrier(it.get_group())
        out[it.get_global_id(0)] = x
    host.nd_range(kernel, 16, 16)
    assert out.tolist() == [8] * 8 + [1] * 8


def test_votes_broadcast_and_shuffles(host):
    out = np.zeros((8, 8), np.int32)

    def kernel(it):
        i = it.get_local_id(0)
        g, sg = it.get_group(), it.get_sub_group()
        out[0, i] = any_of_group(g, i == 3)
        out[1, i] = all_of_group(g, i == 3)
        out[2, i] = none_of_group(g, i > 8)
        out[3, i] = group_broadcast(g, i * 10, 5)
        out[4, i] = shift_group_left(sg, i, 1)
        out[5, i] = shift_group_right(sg, i, 2)
        out[6, i] = permute_group_by_xor(sg, i, 1)
        out[7, i] = select_from_group(sg, i, (i + 3) % 8)
    host.nd_range(kernel, 8, 8)
    assert out[0].tolist() == [1] * 8
    assert out[1].tolist() == [0] * 8
    assert out[2].tolist() == [1] * 8
    assert out[3].tolist() == [50] * 8
    assert out[4].tolist()[:7] == [1, 2, 3, 4, 5, 6, 7]
    assert out[5].tolist()[2:] == [0, 1, 2, 3, 4, 5]
    assert out[6].tolist() == [1, 0, 3, 2, 5, 4, 7, 6]
    assert out[7].tolist() == [3, 4, 5, 6, 7, 0, 1, 2]


def test_contended_atomics_are_exact(host):
    bins = np.zeros(3, np.int32)
    data = np.arange(300) % 3

    def kernel(i):
        atomic_ref(bins, data[i], memory_order.relaxed, memory_scope.device).fetch_add(1)
    host.range(kernel, 300)
    assert bins.tolist() == [100, 100, 100]


def test_local_memory_of_one_group_says_nothing_to_the_next(host):
    out = np.zeros(2, np.float32)
    tile = host.Local(np.float32, 1)

    def kernel(it):
        out[it.get_global_id(0)] = tile[0]
        tile[0] = 1.0
    host.nd_range(kernel, 2, 1)
    assert np.isnan(out).all()


def test_work_item_loops_of_a_hierarchical_kernel_see_each_others_writes(host):
    out = np.zeros(8, np.int32)
    tile = host.Local(np.int32, 4)

    def kernel(group):
        def fill(h):
            tile[h.get_local_id(0)] = h.get_global_id(0)

        def turn(h):
            out[h.get_global_id(0)] = tile[3 - h.get_local_id(0)]
        group.parallel_for_work_item(fill)
        group.parallel_for_work_item(turn)
    host.run(kernel, "work_group", 2, 4)
    assert out.tolist() == [3, 2, 1, 0, 7, 6, 5, 4]


def test_a_logical_range_may_be_larger_than_the_physical(host):
    out = np.zeros(2, np.int32)

    def kernel(group):
        def count(h):
            out[group.get_group_id(0)] += 1
        group.parallel_for_work_item((10,), count)
    host.run(kernel, "work_group", 2, 4)
    assert out.tolist() == [10, 10]


def test_two_reducers_combine_with_what_was_there(host):
    x = np.arange(1, 11, dtype=np.int32)
    total, largest = np.array([1000], np.int32), np.array([3], np.int32)

    def kernel(i, s, m):
        s += x[i]
        m.combine(x[i])
    host.range(kernel, 10, reductions=(host.reduction(plus, np.int32, 0),
                                       host.reduction(maximum, np.int32, -(2**31))),
               results=(total, largest))
    assert total[0] == 1055
    assert largest[0] == 10


def test_a_reduction_may_drop_the_old_value_and_have_no_identity(host):
    x = np.array([2, 3, 7], np.int64)
    product, kept = np.array([99], np.int64), np.array([5], np.int64)

    def kernel(i, p, k):
        p *= x[i]
        if x[i] > 2:
            k.combine(x[i])
    host.range(kernel, 3, reductions=(host.reduction(multiplies, np.int64, 1, initialize=True),
                                      host.reduction(lambda a, b: a * b, np.int64)),
               results=(product, kept))
    assert product[0] == 42
    assert kept[0] == 5 * 21


def test_integer_arithmetic_wraps_and_divides_by_zero_as_numpy_does_without_warning(host):
    x = np.array([2**31 - 1, 5], np.int32)
    out = np.zeros(3, np.int32)
    zero = np.int32(0)

    def kernel():
        out[0] = x[0] + x[1]
        out[1] = x[1] // zero
        out[2] = x[1] % zero
    host.run(kernel, "single", ())
    assert out.tolist() == [-(2**31) + 4, 0, 0]


def test_stores_wrap_and_truncate_as_devices_do(host):
    out = np.zeros(3, np.uint8)

    def kernel(i):
        out[0] = 255 + i + 2
        out[1] = np.int64(-1)
        out[2] = 3.9
    host.range(kernel, 1)
    assert out.tolist() == [1, 255, 3]


def test_nothing_runs_in_an_empty_range(host):
    out = np.zeros(1, np.int32)

    def kernel(i):
        out[0] = 1
    host.range(kernel, 0)
    assert out[0] == 0


def test_work_item_loops_need_a_size_from_somewhere():
    from unisycl.lang.index.groups import group
    from unisycl.lang.index.place import Place
    open_group = group._make(Place((2,), (1,), (0,), 8, sized=False), None)
    with pytest.raises(UsageError, match="needs a range"):
        open_group.parallel_for_work_item(lambda h: None)


def test_a_group_function_given_a_wrong_operand_names_the_line(host):
    out = np.zeros(4, np.int32)

    def kernel(it):
        out[it.get_global_id(0)] = group_broadcast(it.get_group(), it.get_local_id(0), 9)
    with pytest.raises(DeviceError, match=r"kernel 'kernel' failed.*there is no id 9"):
        host.nd_range(kernel, 4, 4)


def test_whole_ids_of_one_dimension_compare_as_ints(host):
    out = np.zeros(4, np.int32)

    def kernel(it):
        if it.get_global_id() < 2:
            out[it.get_global_id()] = 1
    host.nd_range(kernel, 4, 2)
    assert out.tolist() == [1, 1, 0, 0]
