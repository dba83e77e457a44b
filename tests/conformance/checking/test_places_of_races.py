"""Races through pointers kept in memory, in hierarchical kernels, of members and of elements."""

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.checking.found import place, told

checked = sycl.kernel(debug="races")
GROUPS = sycl.range(2), sycl.range(4)


@sycl.is_device_copyable.register
@dataclasses.dataclass
class Link:
    value: np.int32
    next: sycl.global_ptr["Link"]


@pytest.fixture(autouse=True)
def watched(device: sycl.device) -> None:
    if device.get_backend() not in (sycl.backend.cpu, sycl.backend.host):
        pytest.skip("races are found on the CPU and the host device")


@pytest.fixture
def links(queue: sycl.queue) -> Iterator[Any]:
    """Eight nodes: each points to the next one, the last to the first."""
    nodes = sycl.malloc_shared(8, Link, queue)
    for k in range(8):
        nodes[k].value, nodes[k].next = k, nodes.pointer_to((k + 1) % 8)
    yield nodes
    sycl.free(nodes, queue)


# ---- pointers that are read from memory
@checked
def both_of_them(i: Any, nodes: Any) -> None:
    nodes[i].value = 1  # itself
    nodes[i].next.value = 2  # and the next one


@checked
def by_a_pointer(i: Any, nodes: Any) -> None:
    p = nodes[i[0] // 2].next
    p.value = i[0]  # two items


@checked
def reads_the_next(i: Any, nodes: Any) -> None:
    here = nodes[i].next
    nodes[i].value = here.value + 1  # read and written


@checked
def private_pointer(i: Any, nodes: Any) -> None:
    p = nodes[i].next
    if i[0] % 2:
        p = nodes[0].next
    p.value = i[0]  # some


@checked
def only_its_own(i: Any, nodes: Any) -> None:
    p = nodes[i].next
    p.value = i[0]
    p.value += 1


@checked
def all_read(i: Any, nodes: Any) -> None:
    p = nodes[0].next
    total = np.int32(0)
    for _ in range(8):
        total += p.value
        p = p.next
    if total == 0:
        nodes[i].value = total


@pytest.mark.row("Q-2")
@pytest.mark.parametrize(("kernel", "lines"), [
    (both_of_them, ("# itself", "# and")), (by_a_pointer, ("# two", "# two")),
    (reads_the_next, ("# read", "# read")), (private_pointer, ("# some", "# some"))],
    ids=lambda v: getattr(v, "__name__", ""))
def test_a_race_through_pointers_in_memory(
        device: sycl.device, links: Any, kernel: Any, lines: tuple[str, str]) -> None:
    found = told(device, lambda q: q.parallel_for(8, kernel, links))
    assert "data race: this work-item " in found
    assert found.count("work-item id(") == 2
    assert all(place(kernel, text) in found for text in lines), found


@pytest.mark.row("Q-2")
def test_pointers_to_what_nobody_shares(device: sycl.device, links: Any) -> None:
    assert told(device, lambda q: q.parallel_for(8, only_its_own, links)) == ""
    assert [8, *range(1, 8)] == [links[k].value for k in range(8)]
    assert told(device, lambda q: q.parallel_for(8, all_read, links)) == ""


# ---- hierarchical kernels
@checked
def all_items(g: Any, a: Any, t: Any) -> None:
    def body(h: Any) -> None:
        t[0] = h.get_local_id(0)  # all
    g.parallel_for_work_item(body)


@checked
def neighbours(g: Any, a: Any, t: Any) -> None:
    def body(h: Any) -> None:
        k = h.get_local_id(0)
        t[k] = k  # own
        a[h.get_global_id(0)] = t[3 - k]  # others
    g.parallel_for_work_item(body)


@checked
def all_groups(g: Any, a: Any, t: Any) -> None:
    a[0] = g.get_group_id(0)  # each


@checked
def group_and_item(g: Any, a: Any, t: Any) -> None:
    a[4 + g.get_group_id(0)] = 1  # group

    def body(h: Any) -> None:
        a[h.get_global_id(0)] = 2  # items
    g.parallel_for_work_item(body)


@checked
def in_turn(g: Any, a: Any, t: Any) -> None:
    t[0] = 7

    def first(h: Any) -> None:
        k = h.get_local_id(0)
        a[h.get_global_id(0)] = t[0]
        if k:
            t[k] = k

    def second(h: Any) -> None:
        a[h.get_global_id(0)] += t[3 - h.get_local_id(0)]
    for _ in range(2):
        g.parallel_for_work_item(first)
    g.parallel_for_work_item(second)
    t[1] = 3
    g.parallel_for_work_item(second)


def grouped(device: sycl.device, kernel: Any) -> str:
    def launch(q: sycl.queue) -> None:
        a = sycl.malloc_shared(8, np.int32, q)
        q.submit(lambda h: h.parallel_for_work_group(
            *GROUPS, kernel, a, sycl.local_accessor(np.int32, 4, h)))
        q.wait()
        sycl.free(a, q)
    return told(device, launch)


@pytest.mark.row("Q-2")
@pytest.mark.parametrize(("kernel", "lines", "whose"), [
    (all_items, ("# all", "# all"), "work-item id(0) of group id(0)"),
    (neighbours, ("# own", "# others"), "of group id("),
    (all_groups, ("# each", "# each"), "work-group id(0)"),
    (group_and_item, ("# group", "# items"), "work-item id(0) of group id(1)"),
], ids=lambda v: getattr(v, "__name__", ""))
def test_a_race_in_a_hierarchical_kernel(
        device: sycl.device, kernel: Any, lines: tuple[str, str], whose: str) -> None:
    found = grouped(device, kernel)
    assert "data race: this work-" in found, found
    assert whose in found
    assert all(place(kernel, text) in found for text in lines), found


@pytest.mark.row("Q-2")
def test_work_item_loops_come_one_after_the_other(device: sycl.device) -> None:
    assert grouped(device, in_turn) == ""


# ---- elements of vectors
@checked
def reads_what_another_writes(i: Any, v: Any, out: Any) -> None:
    v[i].y = 1.0  # writes
    out[i] = v[7 - i[0]].y  # reads


@checked
def reads_it_by_a_number(i: Any, v: Any, out: Any) -> None:
    out[i] = v[7 - i[0]][1]  # reads
    v[i].y = 1.0  # writes


@checked
def reads_several(i: Any, v: Any, out: Any) -> None:
    v[i].y = 1.0  # writes
    out[i] = sycl.dot(v[7 - i[0]].xy, sycl.float2(1, 2))  # reads


@checked
def reads_one_of_a_whole(i: Any, v: Any, out: Any) -> None:
    v[i] = sycl.float4(i[0])  # writes
    out[i] = v[7 - i[0]].w  # reads


@checked
def reads_another_element(i: Any, v: Any, out: Any) -> None:
    k = 7 - i[0]
    v[i].y = 1.0
    v[i].y += v[i].x
    out[i] = v[k].x + v[i].y


@checked
def reads_the_second_of_two(i: Any, v: Any, out: Any) -> None:
    v[i].y = 1.0  # writes
    k = 7 - i[0]
    first = v[k].x
    out[i] = v[k].y + first  # reads


@checked
def reads_those_beside_it(i: Any, v: Any, out: Any) -> None:
    k = 7 - i[0]
    v[i].y = 1.0
    out[i] = v[k].x + v[k].z + sycl.dot(v[k].xz, v[k].wx) + v[k].swizzle(3, 0).x
    out[i] += v[k][k * 0] + v[k].zw[k % 2]


@pytest.mark.row("Q-2")
@pytest.mark.parametrize("kernel", [reads_what_another_writes, reads_it_by_a_number, reads_several,
                                    reads_the_second_of_two, reads_one_of_a_whole],
                         ids=lambda v: v.__name__)
def test_a_race_at_one_element_of_a_vector(device: sycl.device, kernel: Any) -> None:
    v, out = np.zeros(8, sycl.float4.dtype), np.zeros(8, np.float32)
    found = told(device, lambda q: q.parallel_for(8, kernel, v, out))
    assert "data race: this work-item " in found, found
    assert all(place(kernel, text) in found for text in ("# writes", "# reads")), found


@pytest.mark.row("Q-2")
def test_other_elements_of_a_vector_are_other_places(device: sycl.device) -> None:
    v, out = np.zeros(8, sycl.float4.dtype), np.zeros(8, np.float32)
    assert told(device, lambda q: q.parallel_for(8, reads_another_element, v, out)) == ""
    assert out.tolist() == [1.0] * 8
    v[:] = sycl.float4(1, 0, 2, 3)
    assert told(device, lambda q: q.parallel_for(8, reads_those_beside_it, v, out)) == ""
    assert out.tolist() == [3.0 + 5.0 + 3.0 + 1.0 + (2.0 + k % 2) for k in reversed(range(8))]
