"""Data races: both work-items and both lines, on the native CPU as on the host device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.checking.found import place, told

checked = sycl.kernel(debug="races")
RELAXED, DEVICE = sycl.memory_order.relaxed, sycl.memory_scope.device
GROUP = sycl.memory_scope.work_group
ND = sycl.nd_range(16, 8)


@pytest.fixture(autouse=True)
def watched(device: sycl.device) -> None:
    if device.get_backend() not in (sycl.backend.cpu, sycl.backend.host):
        pytest.skip("races are found on the CPU and the host device")


def run(device: sycl.device, kernel: Any, space: Any = ND) -> str:
    """Return what a launch tells."""
    x, y = np.zeros(16, np.int32), np.arange(16, dtype=np.int32)
    more = [sycl.local_accessor(np.int32, 8)] if space is ND else []
    return told(device, lambda q: q.parallel_for(space, kernel, x, y, *more))


@checked
def two_write(i: Any, x: Any, y: Any) -> None:
    x[i[0] // 2] = y[i]


@checked
def neighbours(i: Any, x: Any, y: Any) -> None:
    here = x[i]
    if i[0] > 0:
        x[i[0] - 1] = here + y[i]


@checked
def no_barrier(it: Any, x: Any, y: Any, t: Any) -> None:
    k = it.get_local_id(0)
    t[k] = y[k]
    x[it.get_global_id(0)] = t[7 - k]


@checked
def beside_an_atomic(it: Any, x: Any, y: Any, t: Any) -> None:
    sycl.atomic_ref(x, 0, RELAXED, DEVICE).fetch_add(1)
    y[it.get_global_id(0)] = x[0]


@checked
def across_groups(it: Any, x: Any, y: Any, t: Any) -> None:
    if it.get_local_id(0) == 0:
        x[it.get_group(0)] = 1
    sycl.group_barrier(it.get_group())
    y[it.get_global_id(0)] = x[0]


@pytest.mark.row("Q-2")
@pytest.mark.parametrize(("kernel", "space", "here", "there"), [
    (two_write, 16, "x[i[0] // 2]", "x[i[0] // 2]"),
    (neighbours, 16, "x[i[0] - 1]", "here = "),
    (no_barrier, ND, "= t[7", "t[k] ="),
    (beside_an_atomic, ND, "= x[0]", "atomic_ref"),
    (across_groups, ND, "= x[0]", "] = 1"),
], ids=lambda v: getattr(v, "__name__", ""))
def test_a_race_is_told_with_both_items_and_lines(
        device: sycl.device, kernel: Any, space: Any, here: str, there: str) -> None:
    found = run(device, kernel, space)
    assert "data race: this work-item " in found
    assert "nothing orders the two" in found
    places = [place(kernel, here), place(kernel, there)]
    assert all(p in found for p in places), found
    assert found.count("work-item id(") == 2


@checked
def only_its_group(it: Any, x: Any, y: Any, t: Any) -> None:
    sycl.atomic_ref(x, 3, RELAXED, GROUP).fetch_add(1)


@checked
def member(i: Any, x: Any) -> None:
    x[i[0] // 2].b[1] = i[0]


@checked
def vector(i: Any, x: Any) -> None:
    x[i[0] // 2].y = i[0]


@pytest.mark.row("Q-2")
def test_narrow_scopes_members_and_elements_of_vectors_are_found(device: sycl.device) -> None:
    found = run(device, only_its_group)
    assert "in work-item id(8) (id(0) of group id(1)) at" in found
    assert "accesses atomically x[3], which an atomic operation of work-item id(7) has" in found
    assert "too narrow for both: use memory_scope.device" in found
    records = np.zeros(8, np.dtype([("a", np.int32), ("b", np.int32, (2,))]))
    found = told(device, lambda q: q.parallel_for(16, member, records))
    assert "writes x[0].b" in found
    assert {f"work-item id({k})" in found for k in (0, 1)} == {True}
    queue = sycl.queue(device)
    vectors = sycl.malloc_shared(8, sycl.int2, queue)
    found = told(device, lambda q: q.parallel_for(16, vector, vectors))
    assert "writes x[0].y, which work-item id(" in found
    sycl.free(vectors, queue)


@checked
def ordered(it: Any, x: Any, y: Any, t: Any) -> None:
    k = it.get_local_id(0)
    for turn in range(3):
        t[k] = y[it.get_global_id(0)] + turn
        sycl.group_barrier(it.get_group())
        x[it.get_global_id(0)] += t[7 - k]
        sycl.group_barrier(it.get_group())
    sycl.atomic_ref(t, 0, RELAXED, GROUP).fetch_add(1)


@checked
def many_read(i: Any, x: Any, y: Any) -> None:
    x[i] = y[i] + y[0] + y[15 - i[0]]


@checked
def handed_on(it: Any, x: Any, y: Any, t: Any) -> None:
    g, group = it.get_group(0), it.get_group()
    last = np.int32(0)
    if it.get_local_id(0) == 0:
        x[g] = 10 + g
        before = sycl.atomic_ref(x, 7, sycl.memory_order.acq_rel, DEVICE).fetch_add(1)
        last = np.int32(before == 1)
    last = sycl.group_broadcast(group, last)
    if last and it.get_local_id(0) == 3:
        x[4] = x[0] + x[1]


@pytest.mark.row("Q-2")
@pytest.mark.parametrize(("kernel", "space"), [(ordered, ND), (many_read, 16), (handed_on, ND)],
                         ids=lambda v: getattr(v, "__name__", ""))
def test_what_is_ordered_is_no_race(device: sycl.device, kernel: Any, space: Any) -> None:
    assert run(device, kernel, space) == ""


@pytest.mark.row("Q-2")
def test_bytes_side_by_side_and_views_that_overlap(device: sycl.device) -> None:
    @checked
    def own_byte(i: Any, x: Any) -> None:
        x[i] = i[0]
    x = np.zeros(64, np.uint8)
    assert told(device, lambda q: q.parallel_for(64, own_byte, x)) == ""
    assert list(range(64)) == x.tolist()

    @checked
    def shifted(i: Any, x: Any, y: Any) -> None:
        x[i] = y[i]
    one = np.zeros(17, np.int32)
    found = told(device, lambda q: q.parallel_for(16, shifted, one[:16], one[1:]))
    assert "data race" in found


@pytest.mark.row("Q-2")
def test_graphs_and_bound_launches_are_watched(device: sycl.device) -> None:
    errors: list[sycl.exception] = []
    queue = sycl.queue(device, lambda found: errors.extend(found),
                       sycl.property.queue.debug("races"))
    x, y = (sycl.malloc_shared(16, np.int32, queue) for _ in range(2))
    x[:], y[:] = 0, 0
    kernel = two_write.function
    queue.bind(16, kernel, x, y)()
    graph = sycl.ext.oneapi.experimental.command_graph(queue)
    graph.begin_recording(queue)
    queue.parallel_for(16, kernel, x, y)
    graph.end_recording(queue)
    queue.ext_oneapi_graph(graph.finalize())
    queue.wait_and_throw()
    assert [True] * 2 == ["data race" in e.what() for e in errors]
    for p in (x, y):
        sycl.free(p, queue)


ROOMY = tuple(range(100, 164))


def look_up(it: Any, a: Any, tile: Any) -> None:
    i = it.get_global_id(0)
    tile[it.get_local_id(0)] = ROOMY[i % 64]
    sycl.group_barrier(it.get_group())
    a[i] = tile[it.get_local_id(0)] + ROOMY[i * 7 % 64]


@pytest.mark.row("Q-2")
def test_tables_of_constants_are_nobodys_to_race_for(
        queue: sycl.queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNISYCL_DEBUG", "all")
    a = sycl.malloc_shared(64, np.int32, queue)
    queue.parallel_for(sycl.nd_range(64, 8), look_up, a, sycl.local_accessor(np.int32, 8))
    queue.wait_and_throw()
    assert [ROOMY[i % 64] + ROOMY[i * 7 % 64] for i in range(64)] == list(a)


@pytest.mark.row("Q-2")
def test_a_kernel_without_an_access_has_nothing_to_race_for(device: sycl.device) -> None:
    @checked
    def nothing(i: Any, total: Any) -> None:
        for k in range(3):
            total.combine(k)
    total = np.zeros(1, np.int64)
    more = sycl.property.queue.timeout(60), sycl.property.queue.debug("races,uninitialised")
    queue = sycl.queue(device, *more)
    queue.parallel_for(8, sycl.reduction(total, sycl.plus()), nothing).wait_and_throw()
    assert total[0] == 24
    queue.parallel_for(8, lambda i: None).wait_and_throw()
