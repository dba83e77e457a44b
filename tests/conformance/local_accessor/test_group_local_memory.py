"""Local memory declared inside a kernel (sycl_ext_oneapi_local_memory)."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import unisycl as sycl

ext = sycl.ext.oneapi
LOCAL, GROUPS = 8, 3


def launch(queue, kernel, *args):
    queue.parallel_for(sycl.nd_range(LOCAL * GROUPS, LOCAL), kernel, *args).wait()


@pytest.mark.row("M-8")
def test_a_tile_without_an_accessor(queue: sycl.queue) -> None:
    x, out = np.arange(LOCAL * GROUPS, dtype=np.float32), np.zeros(LOCAL * GROUPS, np.float32)

    def kernel(it):
        tile = ext.group_local_memory_for_overwrite((np.float32, LOCAL), it.get_group())
        k = it.get_local_id(0)
        tile[k] = x[it.get_global_id(0)]
        sycl.group_barrier(it.get_group())
        out[it.get_global_id(0)] = tile[LOCAL - 1 - k] + tile.size()
    launch(queue, kernel)
    assert (x.reshape(GROUPS, LOCAL)[:, ::-1].reshape(-1) + LOCAL).tolist() == out.tolist()


@pytest.mark.row("M-8")
def test_initial_values(queue: sycl.queue) -> None:
    out = np.zeros((LOCAL * GROUPS, 8), np.int64)

    def kernel(it):
        g = it.get_group()
        zero = ext.group_local_memory(np.int32, g)
        one = ext.group_local_memory(np.int64, g, 42)
        many = ext.group_local_memory((np.int16, (5, 4)), g, 7)
        listed = ext.group_local_memory((np.int32, 20), g, (1, 2, 3))
        row = out[it.get_global_id(0)]
        row[0] = zero[0]
        row[1] = one[0]
        row[2] = many[4, 3] + many[0][0] * 10
        row[3] = listed[0] * 100 + listed[1] * 10 + listed[2]
        row[4] = listed[3] + listed[19]
        sycl.group_barrier(g)
        sycl.atomic_ref(zero, 0, sycl.memory_order.relaxed, sycl.memory_scope.work_group
                        ).fetch_add(1)
        one[0] = g.get_group_linear_id()
        sycl.group_barrier(g)
        row[5] = zero[0]
        row[6] = one[0]
        p = sycl.multi_ptr(many)
        row[7] = p.address_space == sycl.address_space.local_space
    launch(queue, kernel)
    assert [[0, 42, 77, 123, 0, LOCAL, k // LOCAL, 1] for k in range(LOCAL * GROUPS)] \
        == out.tolist()


@pytest.mark.row("M-8")
def test_each_call_has_a_memory_and_helpers_their_own(queue: sycl.queue) -> None:
    out = np.zeros((LOCAL * GROUPS, 3), np.int64)

    def counted(g, first):
        cell = ext.group_local_memory(np.int32, g, first)
        sycl.atomic_ref(cell, 0, sycl.memory_order.relaxed, sycl.memory_scope.work_group
                        ).fetch_add(1)
        sycl.group_barrier(g)
        return cell[0]

    def kernel(it):
        g, row = it.get_group(), out[it.get_global_id(0)]
        row[0] = counted(g, 100)
        row[1] = counted(g, 200)
        for _ in range(3):
            row[2] += counted(g, 0)
    launch(queue, kernel)
    assert [[100 + LOCAL, 200 + LOCAL, 3 * LOCAL]] * (LOCAL * GROUPS) == out.tolist()


@pytest.mark.row("M-8")
def test_where_it_cannot_be(queue: sycl.queue) -> None:
    out = np.zeros(8, np.int32)

    def plain(i):
        out[i] = ext.group_local_memory(np.int32, i)[0]

    def of_sub_group(it):
        out[0] = ext.group_local_memory(np.int32, it.get_sub_group())[0]

    def size_unknown(it):
        out[0] = ext.group_local_memory((np.int32, out[0]), it.get_group())[0]

    with pytest.raises(sycl.exception):
        queue.parallel_for(8, plain)
    for kernel, text in ((of_sub_group, "local memory belongs to work-groups"),
                         (size_unknown, "the shape of group_local_memory")):
        with pytest.raises(sycl.exception, match=text):
            launch(queue, kernel)
    with pytest.raises(sycl.exception, match="group_local_memory"):
        ext.group_local_memory(np.int32, None)
    assert 1 == sycl.SYCL_EXT_ONEAPI_LOCAL_MEMORY


@sycl.is_device_copyable.register
@dataclasses.dataclass
class Cell:
    weight: np.float32
    where: sycl.int2
    inner: (np.int16, 3)
    next: sycl.global_ptr[Cell]


@pytest.mark.row("M-8")
def test_records_begin_as_zero_or_as_what_is_given(queue: sycl.queue) -> None:
    out = sycl.malloc_shared((LOCAL * GROUPS, 5), np.int64, queue)
    out[:] = -1
    plain = np.dtype([("a", np.int32), ("b", np.float32)])

    def kernel(it):
        g, i = it.get_group(), it.get_local_id(0)
        cells = ext.group_local_memory((Cell, LOCAL), g)
        pairs = ext.group_local_memory((plain, (2, 3)), g)
        vectors = ext.group_local_memory((sycl.float4, 5), g)
        copies = ext.group_local_memory((Cell, 2), g, cells[1])
        row = it.get_global_id(0)
        out[row, 0] = cells[i].where.x + cells[i].where.y + cells[i].inner[0] + cells[i].inner[2]
        out[row, 1] = int(cells[i].weight) + (0 if cells[i].next is None else 100)
        out[row, 2] = pairs[1, 2].a + int(pairs[0, 0].b)
        out[row, 3] = int(vectors[4].w) + int(vectors[0].x)
        out[row, 4] = copies[1].inner[1]
        sycl.group_barrier(g)
        cells[i].inner[2] = 7  # nothing of a group's is left for the next one
        pairs[1, 2] = pairs[0, 1]
        pairs[1, 2].a = 9
    for _ in range(2):
        launch(queue, kernel)
        assert not np.any(out[:])
