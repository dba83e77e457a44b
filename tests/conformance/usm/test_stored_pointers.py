"""Pointers as members of records and elements of arrays (SYCL 2020 §3.13, §5.4)."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest

import unisycl as sycl

COUNT = 12


@sycl.is_device_copyable.register
@dataclasses.dataclass
class Node:
    value: np.int32
    next: sycl.global_ptr[Node]

    def after(self):
        return self.next


@sycl.is_device_copyable.register
@dataclasses.dataclass
class Tree:
    left: sycl.multi_ptr[Tree, sycl.address_space.global_space]
    right: sycl.multi_ptr[Tree]
    key: np.int64


@sycl.is_device_copyable.register
@dataclasses.dataclass
class Row:
    data: sycl.global_ptr[np.float32]
    points: sycl.global_ptr[sycl.float4]
    size: np.int32


node_ptr = sycl.global_ptr[Node]
tree_ptr = sycl.global_ptr[Tree]


def chain(queue, order):
    """Return nodes of values 0, 1, ... linked in an order, by the host."""
    nodes = sycl.malloc_shared(len(order), Node, queue)
    for value, (at, after) in enumerate(zip(order, [*order[1:], None], strict=True)):
        nodes[at].value = value
        nodes[at].next = None if after is None else nodes.pointer_to(after)
    return nodes


def results(queue, count=COUNT, dtype=np.int64):
    made = sycl.malloc_shared(count, dtype, queue)
    made[:] = 0
    return made


def walk(head, out):
    p = head
    count = 0
    while p:
        out[0] = out[0] * 3 + p.value
        count += 1
        p = p.next
    out[1] = count


def walk_from_value(node, out):
    out[0] = node.value
    p = node["next"]
    while p is not None:
        out[0] = out[0] * 3 + p[0]["value"]
        p = p[0].next
    out[1] = -1


def in_base_three(values):
    total = 0
    for v in values:
        total = total * 3 + v
    return total


@pytest.mark.row("C-15")
@pytest.mark.parametrize("order", [range(5), [3, 0, 4, 2, 1]])
def test_a_list_that_the_host_built_is_walked(queue: sycl.queue, order) -> None:
    nodes, out = chain(queue, list(order)), results(queue)
    heads = sycl.malloc_shared(1, node_ptr, queue)
    heads[0] = nodes.pointer_to(order[0]).address()
    queue.single_task(walk, heads[0], out).wait()
    assert [in_base_three(range(5)), 5] == out[:2].tolist()


@pytest.mark.row("C-15", "C-13")
def test_a_record_with_a_pointer_is_passed_by_value(queue: sycl.queue) -> None:
    nodes, out = chain(queue, [2, 0, 1]), results(queue)
    queue.single_task(walk_from_value, nodes[2], out).wait()
    assert [in_base_three(range(3)), -1] == out[:2].tolist()


@pytest.mark.row("C-15")
def test_a_null_pointer_is_none_and_false(queue: sycl.queue) -> None:
    def kernel(nodes, out):
        p = nodes[0].next
        out[0] = p is None
        out[1] = p == None  # noqa: E711
        out[2] = not p
        out[3] = 7 if p else 8
        out[4] = p is not None and p.value > 0
        p = sycl.multi_ptr(nodes)
        out[5] = p.next is None
        out[6] = nodes[1].next != None  # noqa: E711

    nodes, out = chain(queue, [1, 0]), results(queue)
    queue.single_task(kernel, nodes, out).wait()
    assert [1, 1, 1, 8, 0, 1, 1] == out[:7].tolist()


@pytest.mark.row("C-15", "D-50")
def test_pointers_move_and_compare(queue: sycl.queue) -> None:
    def kernel(nodes, out):
        p = nodes[2].next
        q = sycl.multi_ptr(nodes) + 5
        out[0] = p - q
        out[1] = q - p
        out[2] = p < q
        out[3] = p + 2 == q
        out[4] = p[1].value + (1 + p).value + (p - 1).value
        p += 2
        out[5] = p == q
        out[6] = p[-1].value
        out[7] = p.get() >= q and p <= q
        p = nodes[2].next if out[0] > 0 else q
        out[8] = p.value

    nodes, out = chain(queue, range(COUNT)), results(queue)
    queue.single_task(kernel, nodes, out).wait()
    assert [-2, 2, 1, 1, 4 + 4 + 2, 1, 4, 1, 5] == out[:9].tolist()


@pytest.mark.row("C-15")
def test_work_items_follow_lists_of_different_lengths(queue: sycl.queue) -> None:
    def kernel(i, nodes, out):
        p = nodes[i].next
        while p:
            if p.value % 5 == 4:
                break
            out[i] += p.value
            p = p.after()

    nodes, out = chain(queue, range(40)), results(queue, 40)
    queue.parallel_for(40, kernel, nodes, out).wait()
    expected = [sum(range(i + 1, i + 1 + next(k for k in range(6) if (i + 1 + k) % 5 == 4
                                              or i + 1 + k == 40))) for i in range(40)]
    assert expected == out[:].tolist()


@pytest.mark.row("C-15")
def test_kernels_build_lists(queue: sycl.queue) -> None:
    def link(i, nodes):
        p = sycl.multi_ptr(nodes) + i
        p.value = i
        p.next = None
        if i > 0:
            p[0].next = sycl.multi_ptr(nodes) + (i - 1)

    def reverse(nodes, heads):
        done = None
        p = sycl.multi_ptr(nodes) + (COUNT - 1)
        while p is not None:
            rest = p.next
            p.next = done
            done = p
            p = rest
        heads[0] = done

    nodes, heads, out = (sycl.malloc_shared(COUNT, Node, queue),
                         sycl.malloc_shared(1, node_ptr, queue), results(queue))
    queue.parallel_for(COUNT, link, nodes).wait()
    assert [0] + [nodes.pointer_to(k).address() for k in range(COUNT - 1)] == [
        int(x.next) for x in nodes]
    queue.single_task(reverse, nodes, heads).wait()
    assert nodes.address() == int(heads[0])
    queue.single_task(walk, heads[0], out).wait()
    assert [in_base_three(range(COUNT)), COUNT] == out[:2].tolist()


def find(root, key):
    p = root
    while p and p.key != key:
        p = p.left if key < p.key else p.right
    return p


def deepest(root):
    if not root:
        return None
    p = root
    while p.right is not None:
        p = p.right
    return p


@pytest.mark.row("C-15")
def test_a_tree_is_built_and_searched(queue: sycl.queue) -> None:
    def build(keys, nodes, root):
        for i in range(len(keys)):
            fresh = sycl.multi_ptr(nodes) + i
            fresh[0] = Tree(None, None, keys[i])
            p = root[0]
            if p is None:
                root[0] = fresh
            while p:
                if keys[i] < p.key:
                    after = p.left
                    if not after:
                        p.left = fresh
                else:
                    after = p.right
                    if not after:
                        p.right = fresh
                p = after

    def in_order(root, out):
        stack = sycl.private_array(tree_ptr, 16)
        depth, count = 0, 0
        p = root[0]
        while p or depth > 0:
            while p:
                stack[depth] = p
                depth += 1
                p = p.left
            depth -= 1
            p = stack[depth]
            out[count] = p.key
            count += 1
            p = p.right

    def search(i, root, out):
        p = find(root[0], i)
        out[i] = p.key if p else -1
        last = deepest(root[0])
        if i == 0 and last is not None:
            out[i] = last.key

    keys = sycl.malloc_shared(9, np.int64, queue)
    keys[:] = [5, 2, 8, 1, 9, 3, 7, 0, 6]
    nodes, root = sycl.malloc_shared(9, Tree, queue), sycl.malloc_shared(1, tree_ptr, queue)
    root[0] = 0
    queue.single_task(build, keys, nodes, root).wait()
    out = results(queue)
    queue.single_task(in_order, root, out).wait()
    assert sorted(keys[:]) == out[:9].tolist()
    queue.parallel_for(COUNT, search, root, out).wait()
    assert [9, 1, 2, 3, -1, 5, 6, 7, 8, 9, -1, -1] == out[:].tolist()


@pytest.mark.row("C-15", "D-50")
def test_they_point_to_numbers_and_vectors(queue: sycl.queue) -> None:
    def kernel(i, rows, out):
        row = rows[i]
        total = np.float32(0)
        for k in range(row.size):
            total += row.data[k]
            row.data[k] = total
        row.points[0].x = total
        row.points[1] = row.points[0] + 1
        row.points[1].lo = row.points[0].hi
        p = row.data
        sycl.atomic_ref(p, 1, sycl.memory_order.relaxed, sycl.memory_scope.device).fetch_add(
            np.float32(100))
        out[i] = row.points.y

    data, points = (sycl.malloc_shared(20, np.float32, queue),
                    sycl.malloc_shared(4, sycl.float4, queue))
    rows, out = sycl.malloc_shared(2, Row, queue), results(queue, 2, np.float32)
    data[:] = np.arange(20)
    for k in range(4):
        points[k] = sycl.float4(k, 1, 2, 3)
    for k in range(2):
        rows[k] = (data.pointer_to(10 * k).address(), points.pointer_to(2 * k).address(), 4)
    queue.parallel_for(2, kernel, rows, out).wait()
    assert [0, 101, 3, 6, 4, 5] == data[:6].tolist()
    assert [10, 121, 33, 46, 14] == data[10:15].tolist()
    assert [(6, 1, 2, 3), (2, 3, 3, 4), (46, 1, 2, 3), (2, 3, 3, 4)] == [
        tuple(float(p[k]) for k in range(4)) for p in points]
    assert [1, 1] == out[:].tolist()


@pytest.mark.row("C-15")
def test_pointers_to_pointers(queue: sycl.queue) -> None:
    two = sycl.global_ptr[node_ptr]

    def kernel(table, out):
        pp = table[0]
        out[0] = pp[1].value
        pp[0] = pp[1].next
        out[1] = pp[0].value

    nodes, out = chain(queue, range(4)), results(queue)
    cells, table = sycl.malloc_shared(2, node_ptr, queue), sycl.malloc_shared(1, two, queue)
    cells[1], table[0] = nodes.pointer_to(2).address(), cells.address()
    queue.single_task(kernel, table, out).wait()
    assert [2, 3] == out[:2].tolist()
    assert nodes.pointer_to(3).address() == cells[0]


@pytest.mark.row("C-15")
def test_one_variable_points_into_several_allocations(queue: sycl.queue) -> None:
    def kernel(i, a, b, out):
        p = sycl.multi_ptr(a)
        if i % 2:
            p = sycl.multi_ptr(b) + 1
        out[i] = p[i]
        q = None
        if i > 4:
            q = sycl.multi_ptr(b)
        if q:
            out[i] += 1000 * q[0]

    a, b, out = (results(queue, 20, np.int32) for _ in range(3))
    a[:], b[:] = np.arange(20), np.arange(20) + 100
    queue.parallel_for(8, kernel, a, b, out).wait()
    assert [(101 + i if i % 2 else i) + (100000 if i > 4 else 0) for i in range(8)] \
        == out[:8].tolist()


@pytest.mark.row("C-15", "G-10", "Q-6")
def test_debugged_kernels_follow_addresses_of_allocations_only(queue: sycl.queue) -> None:
    @sycl.kernel(debug=True)
    def second(nodes, out):
        out[0] = nodes[0].next.value

    nodes, out = chain(queue, range(2)), results(queue)
    queue.single_task(second, nodes, out).wait()
    assert 1 == out[0]
    elsewhere = sycl.queue(sycl.context([queue.get_device()]), queue.get_device())
    foreign, gone = chain(elsewhere, range(2)), chain(queue, range(2))
    address = gone.address()
    sycl.free(gone, queue)
    for wrong in (foreign.address(), address, 64, nodes.pointer_to(2).address()):
        nodes[0].next = wrong
        with pytest.raises(sycl.exception, match=f"the address {wrong} lies in no allocation"):
            queue.single_task(second, nodes, out).wait()
    nodes[0].next = None
    with pytest.raises(sycl.exception, match="a pointer to nothing is followed"):
        queue.single_task(second, nodes, out).wait()


@pytest.mark.row("C-15")
def test_memory_is_kept_while_a_kernel_may_follow_pointers_to_it(queue: sycl.queue) -> None:
    nodes, out = chain(queue, range(COUNT)), results(queue)
    head = nodes[0]["next"]
    event = queue.single_task(walk, head, out)
    del nodes
    event.wait()
    assert COUNT - 1 == out[1]


@pytest.mark.row("C-15")
def test_what_they_are_on_the_host(queue: sycl.queue) -> None:
    nodes = chain(queue, [0, 1])
    first, last = nodes[0].next, nodes[1].next
    assert first
    assert not last
    assert 0 == int(last)
    assert nodes.pointer_to(1) == first
    assert first == nodes.pointer_to(1).address()
    assert "<Node at 0x" in repr(first)
    assert "<null>" == repr(last)
    assert 16 == Node.dtype.itemsize
    again = pickle.loads(pickle.dumps(np.zeros(2, Node)))
    assert again.dtype == Node.dtype
    with pytest.raises(sycl.exception, match="only pointers to global memory"):
        sycl.multi_ptr[np.int32, sycl.address_space.local_space]
    other = sycl.is_device_copyable.register(dataclasses.make_dataclass(
        "Node", [("value", np.int32), ("next", sycl.global_ptr["Node"])]))
    assert other.dtype != Node.dtype


@pytest.mark.row("C-15", "I-15")
def test_the_host_stores_whole_records_and_pointers(queue: sycl.queue) -> None:
    nodes = sycl.malloc_shared(3, Node, queue)
    nodes[0] = Node(1, nodes.pointer_to(1))
    nodes[1:] = [Node(2, nodes.pointer_to(2)), Node(3, None)]
    assert [1, 2, 3] == [int(n.value) for n in nodes]
    assert [nodes.pointer_to(1), nodes.pointer_to(2), None] == [n.next for n in nodes]
    with pytest.raises(sycl.exception, match="followed in kernels only"):
        nodes[0].next[0]
    kept = sycl.malloc_shared(2, node_ptr, queue)
    kept[0], kept[1] = nodes, None
    assert nodes == kept[0]
    assert not kept[1]
    kept[:] = [None, nodes.pointer_to(2)]
    assert [None, nodes.pointer_to(2)] == list(kept)


@pytest.mark.row("I-15")
def test_host_accessors_store_whole_records() -> None:
    with sycl.buffer(np.zeros(2, Row.dtype)) as b, sycl.host_accessor(b) as there:
        there[1] = Row(None, None, 7)
        assert 7 == there[1]["size"]
