"""Pointers of kernels as values: chosen, asked, exchanged, and USM memory as one (C-15, §5.4)."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.row("C-15")
COUNT = 16


@sycl.is_device_copyable.register
@dataclasses.dataclass
class Link:
    value: np.int32
    next: sycl.global_ptr[Link]

    def doubled(self):
        return self.value * 2


@sycl.is_device_copyable.register
@dataclasses.dataclass
class Strip:
    data: sycl.global_ptr[np.float32]


@dataclasses.dataclass
class List:
    first: sycl.global_ptr[Link]
    add: np.int32

    def second(self):
        return self.first.next


def chain(queue: sycl.queue, start: int = 0):
    links = sycl.malloc_shared(COUNT, Link, queue)
    for k in range(COUNT):
        links[k].value = start + k
        links[k].next = links.pointer_to(k + 1) if k + 1 < COUNT else None
    return links


def results(queue: sycl.queue, count: int = COUNT):
    made = sycl.malloc_shared(count, np.int64, queue)
    made[:] = -1
    return made


def test_a_condition_chooses_among_pointers_from_memory(queue: sycl.queue) -> None:
    def kernel(i, link, out):
        p = link if i % 2 else link.next
        after = p.next if i < 5 else None
        out[i] = p.value + (100 if after else 0)
        out[i] += (link.next if i > 3 else link).next.value * 1000
    links, out = chain(queue), results(queue)
    queue.parallel_for(COUNT, kernel, links[2].next, out).wait()
    assert [(3 if i % 2 else 4) + 100 * (i < 5) + 1000 * (5 if i > 3 else 4)
            for i in range(COUNT)] == out[:].tolist()


def test_a_condition_chooses_among_memories_and_nothing(queue: sycl.queue) -> None:
    def kernel(i, links, others, out):
        a, b = sycl.multi_ptr(links), sycl.multi_ptr(others)
        p = a if i % 2 else b
        q = a + i if i % 3 else None
        r = links if i > 7 else p.next
        near = a + i if i < 4 else a  # in one memory, which stays known
        out[i] = p.value + (q.value if q else 1000) * 100 + r.value * 100000 + near.value
    links, others, out = chain(queue), chain(queue, 50), results(queue)
    queue.parallel_for(COUNT, kernel, links, others, out).wait()
    expected = []
    for i in range(COUNT):
        p, q = (0 if i % 2 else 50), (i if i % 3 else 1000)
        expected.append(p + q * 100 + (0 if i > 7 else p + 1) * 100000 + (i if i < 4 else 0))
    assert expected == out[:].tolist()


def test_a_condition_chooses_among_records_and_rows_of_one_memory(queue: sycl.queue) -> None:
    def kernel(i, links, out):
        one = links[i] if i % 2 else links[0]
        out[i] = one.value
        row = out[i:] if i % 2 else out[i - i:]
        out[i] += len(row)
    links, out = chain(queue), results(queue)
    queue.parallel_for(COUNT, kernel, links, out).wait()
    assert [i + COUNT - i if i % 2 else COUNT for i in range(COUNT)] == out[:].tolist()


def test_what_is_no_one_pointer_is_refused(queue: sycl.queue) -> None:
    links, numbers = chain(queue), results(queue)

    def two_types(i):
        p = sycl.multi_ptr(links) if i else sycl.multi_ptr(numbers)
        numbers[i] = p is None

    def local(it, cells):
        p = sycl.multi_ptr(cells) if it.get_local_id(0) else sycl.multi_ptr(numbers)
        numbers[0] = p[0]
    with pytest.raises(sycl.exception, match="K085"):
        queue.parallel_for(4, two_types)
    with pytest.raises(sycl.exception, match="K085"):
        queue.submit(lambda h: h.parallel_for(
            sycl.nd_range(4, 4), local, sycl.local_accessor(np.int64, 4, h)))


def test_every_way_to_ask_whether_a_pointer_points_anywhere(queue: sycl.queue) -> None:
    def kernel(link, links, out):
        p = link
        count = 0
        while p and count < 100:
            count += 1
            p = p.next
        q = sycl.multi_ptr(links)
        out[0] = count
        out[1] = bool(link)
        out[2] = bool(p)
        out[3] = bool(q)
        out[4] = not q
        out[5] = 7 if q and link else 8
        out[6] = 7 if p or q else 8
        out[7] = 7 if links else 8
        out[8] = 7 if not links or p else 8
        out[9] = 7 if links and links.next else 8
        out[10] = (p is None) * 10 + (links is None) * 100
    links, out = chain(queue), results(queue)
    queue.single_task(kernel, links[0].next, links, out).wait()
    assert [COUNT - 1, 1, 0, 1, 0, 7, 7, 7, 8, 7, 10] == out[:11].tolist()


def test_usm_memory_is_the_pointer_to_a_list(queue: sycl.queue) -> None:
    def total(head):
        sum = 0
        p = head
        while p:
            sum += p.value
            p = p.next
        return sum

    def kernel(head, numbers, out):
        out[0] = total(head)
        out[1] = head.value + head.next.next.value * 10 + head.next.doubled() * 100
        p = head + 3
        out[2] = p.value + (p - head) * 10 + (2 + head).value * 100
        out[3] = (head.next == head + 1) + 2 * (head + 1 == head.next) + 4 * (p == head)
        head[5].next = head
        out[4] = (head[5].next == head) + 2 * (head == head[5].next) + 4 * head.doubled()
        head[5].next = head + 6
        numbers = numbers + 1
        out[5] = numbers[0] + len(head) + head.size()
        head.next.value = 40
        out[6] = total(head + 14)
    head, numbers, out = chain(queue, 1), results(queue), results(queue)
    numbers[:] = np.arange(COUNT)
    queue.single_task(kernel, head, numbers, out).wait()
    assert [sum(range(1, COUNT + 1)), 1 + 30 + 400, 4 + 30 + 300, 3, 3 + 8, 1 + 2 * COUNT,
            15 + 16] == out[:7].tolist()
    assert 40 == head[1].value


def test_an_object_with_a_pointer_is_passed_by_value(queue: sycl.queue) -> None:
    def kernel(i, both, out):
        out[i] = both.first.value + both.add + both.second().value * 100
    links, out = chain(queue, 3), results(queue)
    queue.parallel_for(COUNT, kernel, List(links.pointer_to(2), 7), out).wait()
    assert [5 + 7 + 600] * COUNT == out[:].tolist()
    heads = sycl.malloc_shared(2, sycl.is_device_copyable.register(List), queue)
    heads[1] = List(links.pointer_to(4).address(), 9)
    queue.parallel_for(COUNT, kernel, heads[1], out).wait()
    assert [7 + 9 + 800] * COUNT == out[:].tolist()


def test_vectors_are_loaded_and_stored_through_pointers(queue: sycl.queue) -> None:
    def kernel(i, strips, out):
        v = sycl.float4()
        v.load(1, strips[i].data)
        (v * 2).store(i % 2, strips[i].data + 8)
        w = sycl.float3()
        w.load(0, strips[i].data + 1)
        out[i] = w.x + w.z
    data = sycl.malloc_shared(16 * COUNT, np.float32, queue)
    data[:] = np.arange(16 * COUNT)
    strips, out = sycl.malloc_shared(COUNT, Strip, queue), results(queue)
    for k in range(COUNT):
        strips[k].data = data.pointer_to(16 * k)
    queue.parallel_for(COUNT, kernel, strips, out).wait()
    expected = np.arange(16 * COUNT).reshape(COUNT, 16)
    assert (expected[:, 1] + expected[:, 3]).tolist() == out[:].tolist()
    for k, row in enumerate(expected):
        row[8 + 4 * (k % 2):12 + 4 * (k % 2)] = row[4:8] * 2
    assert expected.ravel().tolist() == data[:].tolist()


@pytest.mark.row("G-10")
def test_a_debugged_vector_stays_within_the_allocation(queue: sycl.queue) -> None:
    @sycl.kernel(debug=True)
    def kernel(strips, at):
        v = sycl.float4()
        v.load(at, strips[0].data)
        strips[0].data[0] = v.w
    data = sycl.malloc_shared(10, np.float32, queue)
    data[:] = np.arange(10)
    strips = sycl.malloc_shared(1, Strip, queue)
    strips[0].data = data
    queue.single_task(kernel, strips, 1).wait()
    assert 7 == data[0]
    with pytest.raises(sycl.exception, match="lies in no allocation|is outside"):
        queue.single_task(kernel, strips, 2).wait()

    @sycl.kernel(debug=True)
    def plain(data, at, far):
        v = sycl.float4(1)
        if far:
            v.store(at, data)
        else:
            v.load(at, data)
        data[0] = v.w
    queue.single_task(plain, data, 1, False).wait()
    for far in (True, False):
        with pytest.raises(sycl.exception, match="is outside 'data'"):
            queue.single_task(plain, data, 2, far).wait()


@pytest.mark.row("D-40")
def test_groups_give_pointers_to_each_other(queue: sycl.queue) -> None:
    def kernel(it, links, out):
        i, g, sg = it.get_global_id(0), it.get_group(), it.get_sub_group()
        p = links[i].next
        out[i] = sycl.group_broadcast(g, p, 2).value
        q = sycl.select_from_group(sg, p, 0)
        out[i] += (q.value if q else 0) * 100  # of a sub-group of one the last is None
        last = sycl.group_broadcast(g, p, 7)  # of the second group: points to nothing
        out[i] += 10000 if last else 20000
        r = sycl.permute_group_by_xor(sg, p, 0)
        out[i] += (r == p) * 100000
    links, out = chain(queue), results(queue)
    queue.parallel_for(sycl.nd_range(COUNT, 8), kernel, links, out).wait()
    firsts = np.array([links[i].value for i in range(COUNT)])
    found = out[:] - 100000
    wanted = np.where(firsts < 8, 3 + 10000, 11 + 20000)
    chosen = (found - wanted) // 100
    assert (wanted + chosen * 100 == found).all()
    assert ((chosen >= 0) & (chosen <= firsts + 1)).all()
