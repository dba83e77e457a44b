"""Kernels that wait for one another: several, of several shapes, in queues and in graphs.

Devices that run kernels beside one another do so here; those that launch such kernels as one show
that every part has the ids, local memory and groups of its own launch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.ext.intel import pipe
from unisycl.ext.oneapi import experimental as ext

first, second, third = pipe(np.int32, 16), pipe(np.int32, 16), pipe(np.int32, 4)
pairs = [pipe(np.int64, 4), pipe(np.int64, 2)]
floats = pipe(np.float32, 16)


def many(q: sycl.queue) -> int:
    """Return how many packets go through a pipe: few where each costs much."""
    return 100 if q.get_device().get_backend() is sycl.backend.host else 5000


def put(count: int) -> None:
    for k in range(count):
        first.write(k)


def double(count: int) -> None:
    for _ in range(count):
        second.write(first.read() * 2)


def take(out: Any, count: int) -> None:
    total = np.int64(0)
    wrong = 0
    for k in range(count):
        value = second.read()
        if value != 2 * k:
            wrong += 1
        total += value
    out[0] = total
    out[1] = wrong


@pytest.mark.part("K-13")
@pytest.mark.parametrize("order", ["forwards", "backwards"])
def test_three_kernels_are_a_chain(waiting: sycl.queue, order: str) -> None:
    count = many(waiting)
    out = np.zeros(2, np.int64)
    kernels = [(put, count), (double, count), (take, out, count)]
    for one in kernels if order == "forwards" else kernels[::-1]:
        waiting.single_task(*one)
    waiting.wait()
    assert [count * (count - 1), 0] == out.tolist()


@pytest.mark.part("K-13")
def test_pairs_of_several_queues_do_not_mix(waiting: sycl.queue) -> None:
    count, out = many(waiting), np.zeros((2, 2), np.int64)
    queues = [sycl.queue(waiting.get_context(), waiting.get_device(), sycl.property_list(
        sycl.property.queue.in_order())) for _ in range(2)]
    zero, one = pairs

    def write_zero(count):
        for k in range(count):
            zero.write(k * 3)

    def write_one(count):
        for k in range(count):
            one.write(k * 5)

    def read_zero(out, count):
        for k in range(count):
            out[0, 0] += zero.read()
        out[0, 1] = count

    def read_one(out, count):
        for k in range(count):
            out[1, 0] += one.read()
        out[1, 1] = count
    sums = [np.zeros((2, 2), np.int64) for _ in range(2)]
    queues[0].single_task(write_zero, count)
    queues[1].single_task(read_zero, sums[0], count)
    waiting.single_task(write_one, count)
    other = waiting.single_task(read_one, sums[1], count)
    queues[1].wait()
    other.wait()
    queues[0].wait()
    out = sums[0] + sums[1]
    half = count * (count - 1) // 2
    assert [[3 * half, count], [5 * half, count]] == out.tolist()


@pytest.mark.part("K-13")
def test_parts_of_different_shapes_keep_ids_barriers_and_local_memory(waiting: sycl.queue) -> None:
    """A wide kernel sums its groups by barriers and sub-groups; a small one, and a range, read."""
    rows, groups, items = 3, 2, 48
    found = np.zeros((rows, groups * items), np.int32)
    sums, seen = np.zeros(rows * groups, np.int32), np.zeros(rows * groups, np.int32)

    def wide(it, found, tile):
        row, column, mine = it.get_global_id(0), it.get_global_id(1), it.get_local_id(1)
        tile[mine] = row * 1000 + column
        sycl.group_barrier(it.get_group())
        there = tile[it.get_local_range(1) - 1 - mine]
        sycl.group_barrier(it.get_group())
        found[row, column] = there
        total = sycl.reduce_over_group(it.get_group(), np.int32(1), sycl.plus())
        if mine == 0:
            first.write(total * 100 + it.get_group(0) * 10 + it.get_group_linear_id())

    def small(it, seen):
        value = np.int32(0)
        if it.get_local_id(0) == 2:
            value = first.read()
        value = sycl.group_broadcast(it.get_group(), value, 2)
        if it.get_local_id(0) == it.get_local_range(0) - 1:
            seen[it.get_global_linear_id() // it.get_local_range(0)] = it.get_group_range(0)
            second.write(value)

    def last(i, sums):
        sums[i] = second.read()

    def submit(h):
        tile = sycl.local_accessor(np.int32, items, h)
        h.parallel_for(sycl.nd_range((rows, groups * items), (1, items)), wide, found, tile)
    waiting.submit(submit)
    waiting.parallel_for(sycl.nd_range(rows * groups * 5, 5), small, seen)
    waiting.parallel_for(rows * groups, last, sums)
    waiting.wait()
    meant = [[r * 1000 + g * items + items - 1 - k for g in range(groups) for k in range(items)]
             for r in range(rows)]
    assert meant == found.tolist()
    assert [items * 100 + r * 10 + r * groups + g for r in range(rows) for g in range(groups)] == (
        sorted(sums.tolist()))
    assert [rows * groups] * (rows * groups) == seen.tolist()


@pytest.mark.part("K-13")
def test_two_kernels_write_what_one_reads(waiting: sycl.queue) -> None:
    out = np.zeros(60, np.int32)

    def one_side(start, count):
        for k in range(count):
            third.write(start + k)

    def other_side(out, count):
        for k in range(count):
            out[k] = third.read()
    waiting.single_task(one_side, 100, 30)
    waiting.single_task(other_side, out, 60)
    waiting.single_task(one_side, 500, 30)
    waiting.wait()
    found = out.tolist()
    assert sorted(found) == [*range(100, 130), *range(500, 530)]
    assert [x for x in found if x < 500] == [*range(100, 130)]


@pytest.mark.part("K-13")
def test_a_kernel_that_polls_is_the_other_end(waiting: sycl.queue) -> None:
    out = np.zeros(1, np.int64)

    def write(count):
        for k in range(count):
            third.write(k)

    def poll(out, count):
        left = count
        while left > 0:
            value, ok = third.read_nb()
            if ok:
                out[0] += value
                left -= 1
    waiting.single_task(write, 50)
    waiting.single_task(poll, out, 50).wait()
    waiting.wait()
    assert [49 * 25] == out.tolist()


@pytest.mark.part("K-13")
def test_nodes_of_a_graph_wait_for_one_another(waiting: sycl.queue) -> None:
    count = 50
    out = sycl.malloc_shared(2, np.int64, waiting)
    given = sycl.malloc_shared(count, np.float32, waiting)
    back = sycl.malloc_shared(count, np.float32, waiting)

    def fill(i, given):
        given[i] = i

    def send(given, count):
        for k in range(count):
            floats.write(given[k])

    def receive(back, count):
        for k in range(count):
            back[k] = floats.read() * 2

    def add(back, out, count):
        for k in range(count):
            out[0] += np.int64(back[k])
    out[:] = 0
    graph = ext.command_graph(waiting)
    before = graph.add(lambda h: h.parallel_for(count, fill, given))
    behind = graph.add(lambda h: h.single_task(receive, back, count))
    graph.add(lambda h: h.single_task(add, back, out, count),
              ext.property.node.depends_on(behind))
    graph.add(lambda h: h.single_task(send, given, count), ext.property.node.depends_on(before))
    ready = graph.finalize()
    for _ in range(3):
        waiting.ext_oneapi_graph(ready).wait()
    assert [k * 2 for k in range(count)] == back[:].tolist()
    assert 3 * count * (count - 1) == out[0]


@pytest.mark.part("K-13")
def test_asking_for_the_status_is_enough(waiting: sycl.queue) -> None:
    def write():
        third.write(7)

    def read(out):
        out[0] = third.read()
    out = sycl.malloc_shared(1, np.int32, waiting)
    waiting.single_task(write)
    event = waiting.single_task(read, out)
    status = sycl.info.event.command_execution_status
    while event.get_info(status) is not sycl.info.event_command_status.complete:
        pass
    assert out[0] == 7


@pytest.mark.part("K-13")
def test_many_items_of_a_work_group_wait_and_none_is_lost(waiting: sycl.queue) -> None:
    """More items wait at once than there is room: whoever has claimed a packet publishes it."""
    items = 8 if waiting.get_device().get_backend() is sycl.backend.host else 64
    out = sycl.malloc_shared(8 * items, np.int32, waiting)
    out[:] = -1

    def write(it):
        third.write(it.get_global_id(0))

    def read(it, out):
        for k in range(4):
            out[it.get_global_id(0) * 4 + k] = third.read()
            sycl.group_barrier(it.get_group())
    waiting.parallel_for(sycl.nd_range(8 * items, items), write)
    waiting.parallel_for(sycl.nd_range(2 * items, items // 2), read, out)
    waiting.wait()
    assert [*range(8 * items)] == sorted(out[:].tolist())
