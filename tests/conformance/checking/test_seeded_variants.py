"""The seeded bugs in other spellings: helpers, slices, pointers, members, vectors, 2-D, atomics."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests import children
from tests.conformance.checking.found import place, told

ROOT = Path(__file__).parents[3]
RELAXED = sycl.memory_order.relaxed
SCOPE = sycl.memory_scope
ND, SQUARE, LONG = sycl.nd_range(8, 4), sycl.nd_range((4, 8), (2, 4)), sycl.nd_range(64, 64)


@sycl.is_device_copyable.register
@dataclass
class Cell:
    key: np.int32
    place: sycl.float3
    row: (np.int32, 3)


@pytest.fixture(autouse=True)
def watched(device: sycl.device) -> None:
    if device.get_backend() not in (sycl.backend.cpu, sycl.backend.host):
        pytest.skip("races are found on the CPU and the host device")


def put(p: Any, k: Any, value: Any) -> None:
    p[k] = p[k] + value  # in a helper


# ---- races on global memory
def a_slice(i: Any, a: Any) -> None:
    put(a[2:6], i[0] // 4, i[0])  # in a helper


def a_pointer(i: Any, a: Any) -> None:
    p = a + 3
    p[i[0] % 2] = i[0]  # here


def a_neighbour(i: Any, a: Any) -> None:
    a[i] = a[(i[0] + 1) % 8]  # here


def a_record(i: Any, a: Any) -> None:
    if i[0] == 1:
        a[2] = a[0]  # here
    if i[0] == 3:
        a[2].key = 4  # other


def an_array_member(i: Any, a: Any) -> None:
    a[i[0] // 2].row[1] = i[0]  # here


# ---- races on local memory
def read_then_written(it: Any, a: Any, t: Any) -> None:
    k = it.get_local_id(0)
    a[it.get_global_id(0)] = t[k // 2]
    t[k // 2] = k  # here


def counted(it: Any, a: Any, t: Any) -> None:
    k = it.get_local_id(0)
    t[k] = 0
    sycl.group_barrier(it.get_group())
    put(t, k // 2, 1)  # in a helper
    a[it.get_global_id(0)] = t[0]


def no_second_barrier(it: Any, a: Any, t: Any) -> None:
    k = it.get_local_id(0)
    for n in range(3):
        t[k] = n + k  # here
        sycl.group_barrier(it.get_group())
        a[it.get_global_id(0)] += t[3 - k]  # other


def of_a_tree(it: Any, a: Any, t: Any) -> None:
    k = it.get_local_id(0)
    t[k] = k
    sycl.group_barrier(it.get_group())
    s = 2
    while s > 0:
        if k < s:
            t[k] += t[k + s]  # here
        s //= 2
    a[it.get_global_id(0)] = t[k]


def of_a_sub_group(it: Any, a: Any, t: Any) -> None:
    k = it.get_local_id(0)
    t[k] = k  # other
    sycl.group_barrier(it.get_sub_group())
    a[k] = t[63 - k]  # here


def a_square(it: Any, a: Any, t: Any) -> None:
    y, x = it.get_local_id(0), it.get_local_id(1)
    t[y, x] = x  # other
    a[x] = t[1 - y, x]  # here


# ---- scopes
def of_a_range(i: Any, a: Any) -> None:
    sycl.atomic_ref(a, 1, RELAXED, SCOPE.work_group).fetch_add(1)  # here


def by_an_operator(it: Any, a: Any) -> None:
    ref = sycl.atomic_ref(a, 1, RELAXED, SCOPE.sub_group)
    ref += 1  # here


def of_a_member(it: Any, a: Any) -> None:
    sycl.atomic_ref(a[1].row, 2, RELAXED, SCOPE.work_group).fetch_max(1)  # here


def handed(it: Any, a: Any) -> None:
    if it.get_local_id(0) == 0:
        if it.get_group(0) == 0:
            sycl.atomic_ref(a, 0, RELAXED, SCOPE.work_group).store(5)  # here
        else:
            a[2] = sycl.atomic_ref(a, 0, RELAXED, SCOPE.device).load()


RACES: dict[Callable[..., None], tuple[Any, str]] = {
    a_slice: (16, ""), a_pointer: (16, ""), a_neighbour: (8, ""), a_record: (8, "# other"),
    an_array_member: (8, ""), read_then_written: (ND, ""), counted: (ND, ""),
    no_second_barrier: (ND, "# other"), of_a_tree: (ND, ""), of_a_sub_group: (LONG, "# other"),
    a_square: (SQUARE, "# other"), of_a_range: (8, ""), by_an_operator: (sycl.nd_range(16, 8), ""),
    of_a_member: (sycl.nd_range(16, 8), ""), handed: (ND, "")}
RECORDS = (a_record, an_array_member, of_a_member)
TILES = {read_then_written: 4, counted: 4, no_second_barrier: 4, of_a_tree: 4, of_a_sub_group: 64,
         a_square: (2, 4)}


@pytest.mark.row("Q-2")
@pytest.mark.parametrize("kernel", RACES, ids=lambda k: k.__name__)
def test_a_race_is_found_with_its_lines(device: sycl.device, kernel: Callable[..., None]) -> None:
    space, other = RACES[kernel]

    def launch(q: sycl.queue) -> None:
        a = sycl.malloc_shared(64, Cell if kernel in RECORDS else np.int32, q)
        size = TILES.get(kernel)
        more = () if size is None else (sycl.local_accessor(np.int32, size),)
        q.parallel_for(space, sycl.kernel(debug="races")(kernel), a, *more)
    text = told(device, launch)
    assert f"kernel '{kernel.__name__}' failed in work-item id(" in text
    assert "data race: this work-item " in text
    assert text.count("work-item id(") == 2
    line = place(put, "# in") if kernel in (a_slice, counted) else place(kernel, "# here")
    assert line in text
    assert not other or place(kernel, other) in text
    narrow = kernel in (of_a_range, by_an_operator, of_a_member, handed)
    assert ("too narrow for both: use memory_scope.device" in text) == narrow


# ---- what nobody wrote
def added_to(it: Any, a: Any, t: Any) -> None:
    sycl.atomic_ref(t, 0).fetch_add(1)  # here


def column(it: Any, a: Any, t: Any) -> None:
    k = it.get_local_id(0)
    if k > 0:
        t[k] = 1
    sycl.group_barrier(it.get_group())
    a[k] = t[0] + k  # here


def changed(it: Any, a: Any, t: Any) -> None:
    own = sycl.private_array(np.float32, 4)
    own[it.get_local_id(0)] += 1  # here
    a[it.get_global_id(0)] = np.int32(own[it.get_local_id(0)])


def member_of_own(it: Any, a: Any, t: Any) -> None:
    own = sycl.private_array(Cell, 2)
    own[1].key = 3
    a[it.get_global_id(0)] = own[1].key + own[1].row[0]  # here


def vector_of_own(it: Any, a: Any, t: Any) -> None:
    own = sycl.private_array(Cell, 2)
    own[0].place = sycl.float3(1, 2, 3)
    a[it.get_global_id(0)] = np.int32(own[0].place.x + own[1].place.y)  # here


def all_written(it: Any, a: Any, t: Any) -> None:
    own = sycl.private_array(Cell, 2)
    own[0].key = 3
    for k in range(3):
        own[0].row[k] = 2 + k
    own[0].place = sycl.float3(5, 5, 5)
    own[0].place.x = 5
    own[1] = own[0]
    own[0].place = sycl.float3(1, 2, 3)
    first = np.int32(own[1].place.x) + own[1].key
    a[it.get_global_id(0)] = first + own[1].row[2] + np.int32(own[0].place.z)


@pytest.mark.row("Q-5")
@pytest.mark.parametrize("kernel", [added_to, column, changed, member_of_own, vector_of_own],
                         ids=lambda k: k.__name__)
def test_a_read_of_what_nobody_wrote(device: sycl.device, kernel: Callable[..., None]) -> None:
    a, tile = np.zeros(8, np.int32), sycl.local_accessor(np.int32, 4)
    text = told(device, lambda q: q.parallel_for(
        ND, sycl.kernel(debug="uninitialised")(kernel), a, tile))
    assert f"kernel '{kernel.__name__}' failed in work-item id(" in text
    assert f"at {place(kernel, '# here')}: this work-item reads " in text
    assert f", made at {__file__}:" in text
    assert "which nobody has written" in text


@pytest.mark.row("Q-5")
def test_members_that_were_written_are_read(device: sycl.device) -> None:
    a, tile = np.zeros(8, np.int32), sycl.local_accessor(np.int32, 4)
    assert told(device, lambda q: q.parallel_for(
        ND, sycl.kernel(debug="uninitialised")(all_written), a, tile)) == ""
    assert [15] * 8 == a.tolist()


# ---- kernels that access no memory, a second time
PROGRAM = """
import numpy as np
import unisycl as sycl
def one(i, total):
    total.combine(1)
queue = sycl.queue(sycl.{device}_selector_v, sycl.property.queue.debug("races"))
total = sycl.malloc_shared(1, np.int64, queue)
total[0] = 0
queue.parallel_for(8, sycl.reduction(total, sycl.plus()), one).wait_and_throw()
assert total[0] == 8
"""


@pytest.mark.row("Q-2")
def test_a_watched_kernel_runs_in_a_second_process(device: sycl.device) -> None:
    code = PROGRAM.format(device=device.get_backend().name)
    for _ in range(2):
        children.run([sys.executable, "-W", "error", "-c", code], cwd=ROOT, check=True,
                     timeout=300)
