"""The common interface of groups and the free queries of ``sycl::khr`` (its KHR extensions)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

khr = sycl.khr


def total(khr_group, x):
    return sycl.reduce_over_group(khr_group.group, x, sycl.plus)


@pytest.mark.row("D-54", "P-9")
def test_the_example_of_the_extension(queue: sycl.queue) -> None:
    rows, columns = 20, 30
    data = np.arange(rows * columns, dtype=np.int64)
    out = np.zeros(rows, np.int64)

    def kernel(ndit):
        g = khr.work_group(ndit.get_group())
        it = khr.get_item(g)
        i = g.linear_id()
        while i < rows:
            part = np.int64(0)
            j = it.linear_id()
            while j < columns:
                part += data[i * columns + j]
                j += it.range().size()
            whole = total(g, part)
            if khr.leader_of(g):
                out[i] = whole
            i += g.range().size()
    queue.parallel_for(sycl.nd_range(32, 8), kernel).wait()
    assert data.reshape(rows, columns).sum(axis=1).tolist() == out.tolist()


@pytest.mark.row("D-54", "P-9")
def test_work_groups_say_where_and_how_large_they_are(queue: sycl.queue) -> None:
    out = np.zeros((24, 16), np.int64)

    def kernel(it):
        g = khr.work_group(it.get_group())
        me = khr.get_member_item(g)
        at = it.get_group(0), it.get_group(1)
        row = out[6 * (2 * at[0] + at[1]) + me.linear_id()]
        if me.linear_id() % 2 == 0:
            row[0] = g.id()[0] * 10 + g.id()[1]
            row[1] = g.linear_id()
            row[2] = g.range()[0] * 10 + g.range()[1]
            row[3] = g.extent(0) * 10 + g.extents()[1]
            row[4] = g.size()
            row[5] = g.rank() * 10 + g.dimensions
            row[6] = me.id()[0] * 10 + me.id()[1]
            row[7] = me.range()[0] * 10 + me.range()[1]
            row[8] = me.size() * 100 + me.extent(0) * 10 + me.extents()[1]
            row[9] = me.rank() * 10 + me.dimensions
            row[10] = khr.leader_of(g)
            row[11] = khr.leader_of(me)
            row[12] = g.fence_scope == sycl.memory_scope.work_group
            row[13] = me.fence_scope == sycl.memory_scope.work_item
            row[14] = isinstance(g, khr.work_group) and isinstance(me, khr.work_item)
            row[15] = g.rank_dynamic() * 10 + me.rank_dynamic()
    queue.parallel_for(sycl.nd_range((4, 6), (2, 3)), kernel).wait()
    expected = [[10 * (n // 2) + n % 2, n, 22, 23, 6, 22, 10 * (k // 3) + k % 3, 23, 111, 22,
                 k == 0, 1, 1, 1, 1, 20] for n in range(4) for k in range(0, 6, 2)]
    assert expected == out[::2].tolist()


@pytest.mark.row("D-54", "P-9")
def test_sub_groups_have_the_same_interface(queue: sycl.queue) -> None:
    out = np.zeros((16, 8), np.int64)

    def kernel(it):
        sg = khr.sub_group(it.get_sub_group())
        me = khr.get_item(sg)
        old = it.get_sub_group()
        row = out[it.get_global_id(0)]
        row[0] = sg.linear_id() == old.get_group_linear_id()
        row[1] = sg.id()[0] == old.get_group_id()[0]
        row[2] = sg.range()[0] == old.get_group_range()[0]
        row[3] = sg.size() == old.get_local_linear_range()
        row[4] = sg.max_size() == old.get_max_local_range()[0]
        row[5] = me.linear_id() == old.get_local_linear_id() and me.range().size() == sg.size()
        row[6] = khr.leader_of(sg) == old.leader() and sg.dimensions == 1
        row[7] = total(sg, 1) == sg.size()
    queue.parallel_for(sycl.nd_range(16, 8), kernel).wait()
    assert [[1] * 8] * 16 == out.tolist()


@pytest.mark.row("D-54", "P-9")
def test_the_free_queries_have_their_names_there(queue: sycl.queue) -> None:
    out = np.zeros(12, np.int64)

    def helper():
        out[khr.this_nd_item().get_global_linear_id()] = (
            khr.this_group().get_group_linear_id() * 100
            + khr.leader_of(khr.this_group()) * 10
            + (khr.this_sub_group().get_local_linear_id() >= 0))

    def kernel(it):
        helper()
    queue.parallel_for(sycl.nd_range(12, 4), kernel).wait()
    assert [100 * (k // 4) + 10 * (k % 4 == 0) + 1 for k in range(12)] == out.tolist()
    assert 1 == sycl.SYCL_KHR_GROUP_INTERFACE == sycl.SYCL_KHR_WORK_ITEM_QUERIES
