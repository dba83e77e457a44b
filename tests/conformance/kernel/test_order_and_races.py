"""Work-groups in any order, and the data races that ``UNISYCL_DEBUG=races`` finds."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests import children
from unisycl.examples import reductions, scans
from unisycl.testing import refused

RELAXED, DEVICE = sycl.memory_order.relaxed, sycl.memory_scope.device
N = 8


def count_up(i: sycl.item, data: Any, tile: Any) -> None:
    data[0] += 1


def same_element(i: sycl.item, data: Any, tile: Any) -> None:
    data[3] = i[0]


def neighbours(i: sycl.item, data: Any, tile: Any) -> None:
    data[i] = data[(i[0] + 1) % N]


def no_barrier(it: sycl.nd_item, data: Any, tile: Any) -> None:
    k = it.get_local_id(0)
    tile[k] = k
    data[it.get_global_id(0)] = tile[3 - k]


def overwritten_too_early(it: sycl.nd_item, data: Any, tile: Any) -> None:
    k = it.get_local_id(0)
    for step in range(2):
        tile[k] = step
        sycl.group_barrier(it.get_group())
        data[it.get_global_id(0)] = tile[3 - k]


def other_group(it: sycl.nd_item, data: Any, tile: Any) -> None:
    data[it.get_global_id(0)] = 1
    sycl.group_barrier(it.get_group())  # orders the work-items of a group, not two groups
    data[(it.get_global_id(0) + 4) % N] = 2


def half_atomic(i: sycl.item, data: Any, tile: Any) -> None:
    if i[0] == 0:
        data[0] = 5
    else:
        sycl.atomic_ref(data, 0, RELAXED, DEVICE).fetch_add(1)


def through_pointers(i: sycl.item, data: Any, tile: Any) -> None:
    p = sycl.global_ptr(data) + 2
    p[0] = i[0]


GROUPS = sycl.nd_range(N, 4)
RACES: list[tuple[Callable[..., None], Any, str, str]] = [
    (count_up, N, "id(1)", "reads data[0], which work-item id(0) has written"),
    (same_element, N, "id(1)", "writes data[3], which work-item id(0) has written"),
    (neighbours, N, "id(1)", "writes data[1], which work-item id(0) has read"),
    (no_barrier, GROUPS, "id(2)", "writes tile[2], which work-item id(1) has read"),
    (overwritten_too_early, GROUPS, "id(2)", "reads tile[1], which work-item id(1) has written"),
    (other_group, GROUPS, "id(4)", "writes data[4], which work-item id(0) has written"),
    (half_atomic, N, "id(1)", "accesses atomically data[0], which work-item id(0) has written"),
    (through_pointers, N, "id(1)", "which work-item id(0) has written"),
]


def launch(kernel: Callable[..., None], space: Any) -> list[str]:
    """Run a kernel on the host device; return the texts of its errors."""
    found: list[str] = []
    queue = sycl.queue(sycl.host_selector_v, lambda errors: found.extend(
        e.what() for e in errors))
    data = sycl.malloc_shared(N, np.int32, queue)
    data[:] = 0
    if isinstance(space, sycl.nd_range):
        queue.parallel_for(space, kernel, data, sycl.local_accessor(np.int32, 4))
    else:
        queue.parallel_for(space, kernel, data, None)
    queue.wait_and_throw()
    sycl.free(data, queue)
    return found


@pytest.mark.row("E-34")
@pytest.mark.part("F-25")
@pytest.mark.parametrize(("kernel", "space", "item", "what"), RACES, ids=lambda v: getattr(
    v, "__name__", ""))
def test_a_race_is_found_with_both_work_items(
        kernel: Callable[..., None], space: Any, item: str, what: str,
        monkeypatch: pytest.MonkeyPatch) -> None:
    assert launch(kernel, space) == []
    monkeypatch.setenv("UNISYCL_DEBUG", "races")
    (text,) = launch(kernel, space)
    assert f"failed in work-item {item}" in text
    assert what in text, text
    assert "data race" in text
    assert text.count(__file__) == 2  # both lines


def ordered_by_a_barrier(it: sycl.nd_item, data: Any, tile: Any) -> None:
    k = it.get_local_id(0)
    for step in range(2):
        tile[k] = step
        sycl.group_barrier(it.get_group())
        data[it.get_global_id(0)] = tile[3 - k]
        sycl.group_barrier(it.get_group())


def all_atomic(i: sycl.item, data: Any, tile: Any) -> None:
    ref = sycl.atomic_ref(data, i[0] % 2, RELAXED, DEVICE)
    ref.fetch_add(1)
    ref.load()
    ref.exchange(3)
    ref.compare_exchange_strong(np.int32(3), np.int32(4))


def many_readers(i: sycl.item, data: Any, tile: Any) -> None:
    data[i] = data[i] + data[i]


def sub_groups(it: sycl.nd_item, data: Any, tile: Any) -> None:
    k, part = it.get_local_id(0), it.get_sub_group()
    tile[k] = k
    sycl.group_barrier(part)
    data[it.get_global_id(0)] = tile[3 - k]


def the_last_group_adds_up(it: sycl.nd_item, data: Any, tile: Any) -> None:
    g, group = it.get_group(0), it.get_group()
    last = np.int32(0)
    if it.get_local_id(0) == 0:
        data[g] = 10 + g
        before = sycl.atomic_ref(data, 7, sycl.memory_order.acq_rel, DEVICE).fetch_add(1)
        last = np.int32(before == 1)
    last = sycl.group_broadcast(group, last)
    if last and it.get_local_id(0) == 3:
        data[4] = data[0] + data[1]


@pytest.mark.row("E-34")
@pytest.mark.parametrize(("kernel", "space"), [
    (ordered_by_a_barrier, GROUPS), (all_atomic, N), (many_readers, N), (sub_groups, GROUPS),
    (the_last_group_adds_up, GROUPS),
], ids=lambda v: getattr(v, "__name__", ""))
def test_what_is_ordered_is_no_race(
        kernel: Callable[..., None], space: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNISYCL_DEBUG", "races")
    assert launch(kernel, space) == []


@pytest.mark.row("E-34")
def test_what_a_barrier_orders_arrives_on_every_device(queue: sycl.queue) -> None:
    data = np.zeros(N, np.int32)
    tile = sycl.local_accessor(np.int32, 4)
    queue.parallel_for(GROUPS, ordered_by_a_barrier, data, tile).wait()
    assert [1] * N == data.tolist()


@pytest.mark.row("E-34")
def test_what_atomics_order_arrives_on_every_device(queue: sycl.queue) -> None:
    data = np.zeros(N, np.int32)
    device = queue.get_device()
    orders = device.get_info(sycl.info.device.atomic_memory_order_capabilities)
    with refused(device, able=sycl.memory_order.acq_rel in orders):
        queue.parallel_for(GROUPS, the_last_group_adds_up, data,
                           sycl.local_accessor(np.int32, 4)).wait()
    assert [10, 11, 0, 0, 21, 0, 0, 2] == data.tolist()


@pytest.mark.row("E-34")
def test_whole_programs_have_no_races(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNISYCL_HOST", "shuffle=5")
    monkeypatch.setenv("UNISYCL_DEBUG", "races")
    queue, values = sycl.queue(sycl.host_selector_v), np.arange(100, dtype=np.int32)
    assert values.sum() == reductions.tree(queue, values, 16)
    assert values.sum() == reductions.group_and_atomic(queue, values, 16)
    assert np.array_equal(np.cumsum(values), scans.scan(queue, values, 16))
    queue.wait_and_throw()


def in_turn(it: sycl.nd_item, data: Any, turn: Any) -> None:
    if it.get_local_id(0) == 0:
        now = sycl.atomic_ref(turn, 0, RELAXED, DEVICE).fetch_add(1)
        data[it.get_group(0)] = now


@pytest.mark.row("E-18")
def test_every_work_group_runs_once_in_whatever_order(queue: sycl.queue) -> None:
    data, turn = np.zeros(64, np.int32), np.zeros(1, np.int32)
    queue.parallel_for(sycl.nd_range(128, 2), in_turn, data, turn).wait()
    assert list(range(64)) == sorted(data.tolist())


@pytest.mark.row("E-18")
def test_work_groups_run_in_the_order_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = sycl.queue(sycl.host_selector_v)
    orders = []
    for asked in ("", "shuffle", "shuffle=1", "shuffle=2", "shuffle=2"):
        monkeypatch.setenv("UNISYCL_HOST", asked)
        data, turn = np.zeros(16, np.int32), np.zeros(1, np.int32)
        queue.parallel_for(sycl.nd_range(32, 2), in_turn, data, turn).wait()
        orders.append(data.tolist())
    plain, zero, one, two, again = orders
    assert list(range(16)) == plain
    assert all(sorted(order) == plain != order for order in (zero, one, two))
    assert one != two == again


PROGRAM = """
import numpy as np, sys
import unisycl as sycl
from unisycl.examples import heat, reductions, scans, transpose
queue = sycl.queue(sycl.cpu_selector_v if sys.argv[1] == "cpu" else sycl.host_selector_v)
values = np.random.default_rng(1).integers(-99, 99, 200, np.int32)
plate = heat.hot_plate(12)
print([int(f(queue, values, 16)) for f in (reductions.tree, reductions.group_and_atomic)],
      scans.scan(queue, values, 16).tolist(), scans.scan_blocks(queue, values, 16).tolist(),
      transpose.tiled(queue, values.reshape(10, 20)).tolist(),
      heat.spread(queue, heat.submit_tiled_step, plate, 3).round(5).tolist())
"""


@pytest.mark.row("E-18")
def test_results_do_not_depend_on_the_order_of_work_groups() -> None:
    texts = set()
    for device, name, value in (("host", "UNISYCL_HOST", ""), ("host", "UNISYCL_HOST", "shuffle=1"),
                                ("host", "UNISYCL_HOST", "shuffle=2"),
                                ("cpu", "UNISYCL_THREADS", ""), ("cpu", "UNISYCL_THREADS", "1")):
        done = children.run([sys.executable, "-c", PROGRAM, device], capture_output=True,
                            text=True, check=False, env={**os.environ, name: value})
        assert done.returncode == 0, done.stderr
        texts.add(done.stdout)
    assert len(texts) == 1


@pytest.mark.row("E-34", "E-18")
@pytest.mark.parametrize("asked", ["race", "shuffle=x", "races;shuffle"])
def test_a_wrong_word_is_refused(asked: str) -> None:
    done = children.run([sys.executable, "-c", "import unisycl; unisycl.queue()"],
                        capture_output=True, text=True, check=False,
                        env={**os.environ, "UNISYCL_HOST": asked})
    assert done.returncode != 0
    assert f"UNISYCL_HOST={asked}: expected shuffle or shuffle=SEED" in done.stderr


PAIR = np.dtype([("a", np.int32), ("b", np.int32)])


@pytest.mark.row("Q-2")
def test_members_and_elements_are_numbers_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNISYCL_DEBUG", "races")
    found: list[str] = []
    queue = sycl.queue(sycl.host_selector_v, lambda errors: found.extend(
        e.what() for e in errors))
    pairs, vectors = np.zeros(4, PAIR), np.zeros(4, sycl.float4.dtype)

    def members_apart(i: Any, pairs: Any) -> None:
        if i == 0:
            pairs[1].a = 1
        else:
            pairs[1].b = 2

    def same_member(i: Any, pairs: Any) -> None:
        pairs[1].b = i

    def elements_apart(i: Any, vectors: Any) -> None:
        if i == 0:
            vectors[2].x = 1.0
        else:
            vectors[2].y = vectors[2].y + 1.0

    def same_element(i: Any, vectors: Any) -> None:
        vectors[2].z = np.float32(i)

    def whole_and_element(i: Any, vectors: Any) -> None:
        if i == 0:
            vectors[3] = sycl.float4(1, 2, 3, 4)
        else:
            vectors[3].w = 1.0
    for kernel, memory, told in (
            (members_apart, pairs, ""), (same_member, pairs, "writes pairs[1].b, which work-item"),
            (elements_apart, vectors, ""),
            (same_element, vectors, "writes vectors[2].z, which work-item id(0) has written"),
            (whole_and_element, vectors, "writes vectors[3].w, which work-item id(0) has written")):
        found.clear()
        queue.parallel_for(2, kernel, memory)
        queue.wait_and_throw()
        assert bool(told) == bool(found), (kernel.__name__, found)
        assert told in (found or [""])[0], found
