"""``atomic_ref(a[i])``: the element itself written where C++ binds a reference to it."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

relaxed, device_scope = sycl.memory_order.relaxed, sycl.memory_scope.device
RECORD = np.dtype([("a", np.int32), ("h", np.int32, 3)])


def elements(i, a, rows, records, turns):
    r = sycl.atomic_ref(a[i % 2], relaxed, device_scope)
    r += 1
    sycl.atomic_ref(sycl.multi_ptr(a)[1]).fetch_add(100)
    sycl.atomic_ref(rows[i % 2, 1]).fetch_add(2)
    sycl.atomic_ref(rows[i % 2][2], scope=device_scope).fetch_max(i)
    sycl.atomic_ref(rows[0], 0).fetch_add(1)
    sycl.atomic_ref(records[i % 2].a, relaxed).fetch_add(1)
    sycl.atomic_ref(records[i % 2]["a"], relaxed).fetch_add(1)
    sycl.atomic_ref(records[i % 2].h[2], relaxed, device_scope).fetch_add(i)
    sycl.atomic_ref(records[i % 2].h, 1, relaxed).fetch_add(i)
    turns[sycl.atomic_ref(turns[0]).fetch_add(1) + 1] = 7


def in_local_memory(it, out, mine):
    group = it.get_group()
    if group.leader():
        mine[0] = 0
    sycl.group_barrier(group)
    sycl.atomic_ref(mine[0], relaxed, sycl.memory_scope.work_group).fetch_add(it.get_local_id(0))
    sycl.group_barrier(group)
    if group.leader():
        out[it.get_group(0)] = mine[0]


@pytest.mark.row("D-32")
def test_an_element_may_be_written_instead_of_its_place(queue: sycl.queue) -> None:
    """Elements of memory, rows, records, arrays in records, pointers; evaluated once."""
    records = sycl.malloc_shared(2, RECORD, queue)
    records.get_view()[:] = np.zeros((), RECORD)
    given = np.zeros(2, np.int32), np.zeros((2, 3), np.int32)
    with sycl.buffer(given[0]) as a, sycl.buffer(given[1]) as rows, \
            sycl.buffer(np.zeros(12, np.int32)) as turns:
        def group(h: sycl.handler) -> None:
            views = (sycl.accessor(b, h, sycl.read_write) for b in (a, rows))
            h.parallel_for(10, elements, *views, records, sycl.accessor(turns, h))
        queue.submit(group)
        with sycl.host_accessor(turns) as seen:
            assert list(seen) == [10, *[7] * 10, 0]
    assert given[0].tolist() == [5, 1005]
    assert given[1].tolist() == [[10, 10, 8], [0, 10, 9]]
    queue.wait()
    assert [(int(r["a"]), r["h"].tolist()) for r in records.get_view()] \
        == [(10, [0, 20, 20]), (10, [0, 25, 25])]


@pytest.mark.row("D-32")
def test_an_element_of_local_memory_may_be_written(queue: sycl.queue) -> None:
    out = sycl.malloc_shared(4, np.int32, queue)
    queue.parallel_for(sycl.nd_range(16, 4), in_local_memory, out,
                       sycl.local_accessor(np.int32, 1)).wait()
    assert list(out) == [6] * 4


@pytest.mark.part("D-32")
def test_the_host_says_that_a_number_is_no_place() -> None:
    """Outside kernels Python has read the number before ``atomic_ref`` sees it."""
    with pytest.raises(sycl.exception, match=r"atomic_ref\(a, i\)"):
        sycl.atomic_ref(np.zeros(3, np.int32)[0])
