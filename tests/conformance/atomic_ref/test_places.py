"""What an ``atomic_ref`` may be over: every kind of memory, type and index (SYCL 2020 §4.15.3)."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import unisycl as sycl

x = sycl.ext.oneapi.experimental
order, scope = sycl.memory_order, sycl.memory_scope
TYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
         "float32", "float64", "complex64"]
COUNT = 96


@sycl.is_device_copyable.register
@dataclasses.dataclass
class Cell:
    count: np.int32
    at: sycl.float4
    parts: (np.uint8, 4)
    chosen: sycl.global_ptr[np.int32]


LAYOUT = np.dtype([("name", "u1"), ("key", "i4"), ("small", "i2", (3,)),
                   ("inner", [("x", "f4"), ("n", "u4", (2,))])], align=True)
counter = x.device_global(np.int32)
table = x.device_global(np.int32, (4, 5))
cells = x.device_global(Cell)


def zeros(queue: sycl.queue, shape, dtype):
    made = sycl.malloc_shared(shape, dtype, queue)
    made.get_view()[...] = np.zeros((), made.dtype)
    return made


# ---- types
def add(i, out, values):
    sycl.atomic_ref(out, i % 3).fetch_add(values[i])


def low_and_high(i, out, values):
    sycl.atomic_ref(out, 3).fetch_min(values[i])
    sycl.atomic_ref(out, 4, order.acq_rel, scope.device).fetch_max(values[i])


def store_and_load(i, out, values):
    sycl.atomic_ref(out, 5).store(values[7])
    before = sycl.atomic_ref(out, 5).load()
    if before == values[7]:
        sycl.atomic_ref(out, 6).exchange(values[9])


def claim(i, out, values, won):
    done, old = sycl.atomic_ref(out, 7).compare_exchange_strong(0, values[i])
    won[i] = done
    sycl.atomic_ref(out, 8).fetch_sub(values[i])


@pytest.mark.row("D-32", "D-33")
@pytest.mark.parametrize("dtype", TYPES)
def test_every_type_has_every_operation_it_can_have(queue: sycl.queue, dtype: str) -> None:
    """Small integers, halves and complex numbers included; neighbours stay as they are."""
    values = (np.arange(COUNT) % 5 + 1).astype(dtype)
    out = zeros(queue, 9, dtype)
    won = zeros(queue, COUNT, np.int32)
    given = sycl.malloc_shared(COUNT, dtype, queue)
    given[:] = values
    queue.parallel_for(COUNT, add, out, given).wait()
    if dtype != "complex64":
        out[3] = 100
        queue.parallel_for(COUNT, low_and_high, out, given).wait()
    queue.parallel_for(COUNT, store_and_load, out, given).wait()
    queue.parallel_for(COUNT, claim, out, given, won).wait()
    expected = np.zeros(9, dtype)
    for i, v in enumerate(values):
        expected[i % 3] += v
    if dtype != "complex64":
        expected[3:5] = values.min(), values.max()
    expected[5:7] = values[7], values[9]
    with np.errstate(all="ignore"):
        expected[8] -= values.sum(dtype=dtype)
    found = np.asarray(out).copy()
    assert 1 == sum(won)
    assert values[int(np.argmax(won[:]))] == found[7]
    found[7] = 0
    np.testing.assert_array_equal(expected, found, strict=True)


def bits(i, out, values):
    sycl.atomic_ref(out, 1).fetch_or(values[i])
    sycl.atomic_ref(out, 2).fetch_and(values[i])
    r = sycl.atomic_ref(out, 3)
    r ^= values[i]


@pytest.mark.row("D-33")
@pytest.mark.parametrize("dtype", TYPES[:8])
def test_bits_of_small_integers(queue: sycl.queue, dtype: str) -> None:
    values = (np.arange(COUNT) * 5 % 64 + 64).astype(dtype)
    out, given = zeros(queue, 5, dtype), sycl.malloc_shared(COUNT, dtype, queue)
    given[:] = values
    out[2] = 127
    queue.parallel_for(COUNT, bits, out, given).wait()
    assert [0, np.bitwise_or.reduce(values), 127 & np.bitwise_and.reduce(values),
            np.bitwise_xor.reduce(values), 0] == out[:].tolist()


def wraps(i, out):
    sycl.atomic_ref(out, 1).fetch_add(3)
    sycl.atomic_ref(out, 2).fetch_sub(5)


@pytest.mark.row("D-33")
@pytest.mark.parametrize("dtype", TYPES[:4])
def test_small_integers_wrap_and_leave_their_neighbours_alone(
        queue: sycl.queue, dtype: str) -> None:
    out = zeros(queue, 4, dtype)
    queue.parallel_for(30_000, wraps, out).wait()
    with np.errstate(all="ignore"):
        expected = np.array([0, 90_000, -150_000, 0]).astype(dtype)
    np.testing.assert_array_equal(expected, np.asarray(out), strict=True)


def local_sum(it, out, tile):
    k = it.get_local_id(0)
    if k < 5:
        tile[k] = 0
    sycl.group_barrier(it.get_group())
    sycl.atomic_ref(tile, 1, scope=scope.work_group).fetch_add(k % 3)
    sycl.atomic_ref(tile, k % 2 + 2).fetch_add(1)
    sycl.group_barrier(it.get_group())
    if k < 5:
        sycl.atomic_ref(out, k).fetch_add(tile[k])


@pytest.mark.row("D-32")
@pytest.mark.parametrize("dtype", TYPES)
def test_every_type_in_local_memory(queue: sycl.queue, dtype: str) -> None:
    out = zeros(queue, 5, dtype)
    queue.submit(lambda h: h.parallel_for(sycl.nd_range(48, 24), local_sum, out,
                                          sycl.local_accessor(dtype, 5, h))).wait()
    np.testing.assert_array_equal(np.array([0, 48, 24, 24, 0], dtype), np.asarray(out), strict=True)


# ---- pointers kept in memory
def move(i, places):
    sycl.atomic_ref(places, 0).fetch_add(1)
    r = sycl.atomic_ref(places, 1)
    r -= 2


@pytest.mark.row("D-32", "D-33", "D-50", "P-1")
@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.float64, Cell, sycl.float3])
def test_pointers_move_by_elements(queue: sycl.queue, dtype) -> None:
    data = sycl.malloc_shared(32, dtype, queue)
    places = sycl.malloc_shared(2, sycl.global_ptr[dtype], queue)
    places[0], places[1] = data, data[25:].ctypes.data
    queue.parallel_for(10, move, places).wait()
    size = data.dtype.itemsize
    assert [10 * size, 5 * size] == [int(p) - data.address() for p in places]


def draw(i, head, seen):
    mine = sycl.atomic_ref(head, 0).fetch_add(1)
    seen[i] = mine[0]


def swap(i, places, data, out):
    old = sycl.atomic_ref(places, 0).exchange(data + 3)
    out[0] = old[0]
    done, known = sycl.atomic_ref(places, 0).compare_exchange_strong(data + 3, None)
    out[1] = done
    out[2] = known == data + 3
    again, nothing = sycl.atomic_ref(places, 0).compare_exchange_weak(data, data + 1)
    out[3] = again
    out[4] = nothing is None
    sycl.atomic_ref(places, 0).store(data + 7)
    out[5] = sycl.atomic_ref(places, 0).load()[0]


@pytest.mark.row("D-32", "D-33", "P-1")
def test_pointers_are_drawn_exchanged_and_compared(queue: sycl.queue) -> None:
    data, seen = zeros(queue, 64, np.int32), zeros(queue, 40, np.int32)
    data[:] = np.arange(64)
    places = sycl.malloc_shared(1, sycl.global_ptr[np.int32], queue)
    places[0] = data
    queue.parallel_for(40, draw, places, seen).wait()
    assert list(range(40)) == sorted(seen)
    queue.parallel_for(1, swap, places, data, seen).wait()
    assert [40, 1, 1, 0, 1, 7] == seen[:6].tolist()


@pytest.mark.row("D-32", "P-1")
def test_the_host_moves_pointers_as_kernels_do(queue: sycl.queue) -> None:
    data = sycl.malloc_shared(8, np.int32, queue)
    places = sycl.malloc_shared(1, sycl.global_ptr[np.int32], queue)
    places[0] = data
    if not queue.get_device().has(sycl.aspect.usm_atomic_shared_allocations):
        with pytest.raises(sycl.exception, match="usm_atomic_shared_allocations"):
            sycl.atomic_ref(places, 0)
        return
    ref = sycl.atomic_ref(places, 0)
    old = ref.fetch_add(3)
    assert (data.address(), data.address() + 12) == (int(old), int(ref.load()))
    ref.fetch_sub(1)
    assert ref.compare_exchange_strong(places[0], None)[0]
    assert not ref.load()


def follow(i, places, boxes):
    p = places[0]
    sycl.atomic_ref(p).fetch_add(1)
    sycl.atomic_ref(p, 1).fetch_add(1)
    sycl.atomic_ref(p + 3, -1).fetch_add(1)
    sycl.atomic_ref(boxes[0].chosen, 3).fetch_add(1)
    sycl.atomic_ref(boxes[0].chosen + 4, order=order.acq_rel).fetch_add(1)


def follow_records(i, boxes, places):
    p = places[0]
    sycl.atomic_ref(p, "count").fetch_add(1)
    sycl.atomic_ref(p, (1, "count")).fetch_add(2)
    sycl.atomic_ref(p + 1, ("at", "y")).fetch_add(3)
    sycl.atomic_ref(p[1], ("parts", 2)).fetch_add(1)


@pytest.mark.row("D-32", "D-50", "P-1")
def test_elements_that_stored_pointers_lead_to(queue: sycl.queue) -> None:
    data, boxes = zeros(queue, 5, np.int32), zeros(queue, 3, Cell)
    places = sycl.malloc_shared(1, sycl.global_ptr[np.int32], queue)
    places[0] = boxes[0].chosen = data
    queue.parallel_for(20, follow, places, boxes).wait()
    assert [20] * 5 == data[:].tolist()
    heads = sycl.malloc_shared(1, sycl.global_ptr[Cell], queue)
    heads[0] = boxes
    queue.parallel_for(20, follow_records, boxes, heads).wait()
    assert (20, 40, 60.0, [0, 0, 20, 0]) == (
        boxes[0].count, boxes[1].count, boxes[1].at.y, boxes[1].parts.tolist())


# ---- forms of an index
def forms(it, grid, line, ranged):
    sycl.atomic_ref(grid, it).fetch_add(1)
    sycl.atomic_ref(grid, it.get_id()).fetch_add(1)
    sycl.atomic_ref(grid, (it[0], it[1])).fetch_add(1)
    sycl.atomic_ref(grid[it[0]], it[1]).fetch_add(1)
    sycl.atomic_ref(grid, sycl.id(2, 3)).fetch_add(1)
    sycl.atomic_ref(line, np.uint8(1)).fetch_add(1)
    sycl.atomic_ref(line[2:5], 1).fetch_add(1)
    sycl.atomic_ref(sycl.multi_ptr(line) + 5).fetch_add(1)
    sycl.atomic_ref(line + 7, -1).fetch_add(1)
    sycl.atomic_ref(ranged, 1).fetch_add(1)


@pytest.mark.row("D-32")
def test_every_form_of_an_index(queue: sycl.queue) -> None:
    grid, part = np.zeros((4, 8), np.int32), np.zeros(10, np.int32)
    line = zeros(queue, 8, np.int32)
    with sycl.buffer(grid) as b, sycl.buffer(part) as c:
        queue.submit(lambda h: h.parallel_for(
            sycl.range(4, 8), forms, sycl.accessor(b, h), line,
            sycl.accessor(c, h, sycl.range(4), sycl.id(2)))).wait()
    expected = np.full((4, 8), 4)
    expected[2, 3] += 32
    assert expected.tolist() == grid.tolist()
    assert [0, 32, 0, 32, 0, 32, 32, 0] == line[:].tolist()
    assert [0, 0, 0, 32, 0, 0, 0, 0, 0, 0] == part.tolist()


def members(i, records, vectors, boxes):
    sycl.atomic_ref(records, (i % 2, "key")).fetch_add(1)
    sycl.atomic_ref(records, (2, "small", i % 3)).fetch_sub(1)
    sycl.atomic_ref(records[i % 2], "name").fetch_max(i)
    sycl.atomic_ref(records[1].inner, ("n", 1)).fetch_add(2)
    sycl.atomic_ref(records[1]["inner"]["n"], 0).fetch_add(3)
    sycl.atomic_ref(records, (2, "inner", "x")).fetch_add(0.5)
    sycl.atomic_ref(vectors, (1, "z")).fetch_add(1)
    sycl.atomic_ref(vectors, (i % 2, i % 4)).fetch_add(2)
    sycl.atomic_ref(boxes, (i, "at", "s1")).fetch_add(1)
    sycl.atomic_ref(boxes, (0, "parts", 3)).fetch_add(1)


@pytest.mark.row("D-32", "D-10")
def test_members_of_records_and_elements_of_vectors(queue: sycl.queue) -> None:
    """Neighbours keep what they hold; host and devices go the same way."""
    count = 60
    found = np.zeros(3, LAYOUT), np.zeros(2, sycl.int4), np.zeros(count, Cell)
    buffers = [sycl.buffer(a) for a in found]
    queue.submit(lambda h: h.parallel_for(
        count, members, *(sycl.accessor(b, h) for b in buffers))).wait()
    for b in buffers:
        b.close()
    records, vectors, boxes = found
    assert [30, 30, 0] == records["key"].tolist()
    assert [[0, 0, 0], [0, 0, 0], [-20, -20, -20]] == records["small"].tolist()
    assert [58, 59, 0] == records["name"].tolist()
    assert [[0, 0], [180, 120], [0, 0]] == records["inner"]["n"].tolist()
    assert [0, 0, 30] == records["inner"]["x"].tolist()
    assert [[30, 0, 30, 0], [0, 30, 60, 30]] == [list(map(int, v)) for v in vectors]
    assert all(b.at.y == 1 and b.at.x == 0 for b in boxes)
    assert [0, 0, 0, count] == boxes[0].parts.tolist()


def in_globals(i):
    sycl.atomic_ref(counter).fetch_add(1)
    sycl.atomic_ref(counter, order.relaxed, scope.device).fetch_add(1)
    sycl.atomic_ref(counter.get_multi_ptr(), order.relaxed).fetch_add(1)
    sycl.atomic_ref(table, (1, 2)).fetch_add(1)
    sycl.atomic_ref(table[3], i % 5).fetch_add(1)
    sycl.atomic_ref(cells, "count").fetch_add(1)
    sycl.atomic_ref(cells, ("at", 2)).fetch_add(1)


def read_globals(i, out):
    out[0] = counter.get()
    out[1] = table[1, 2]
    out[2] = table[3, 4]
    out[3] = cells.count
    out[4] = int(cells.at.z)


@pytest.mark.row("G-24", "D-32")
def test_device_globals(queue: sycl.queue) -> None:
    out, before = zeros(queue, 5, np.int32), zeros(queue, 5, np.int32)
    queue.parallel_for(1, read_globals, before).wait()
    queue.parallel_for(40, in_globals).wait()
    queue.parallel_for(1, read_globals, out).wait()
    assert [120, 40, 8, 40, 40] == (np.asarray(out) - np.asarray(before)).tolist()


def in_group_memory(it, out, one, many, records):
    own = sycl.ext.oneapi.group_local_memory((np.int16, 4), it.get_group())
    leader = it.get_local_id(0) == 0
    if leader:
        one[0] = 0
        many[2] = 0
        records[1]["key"] = 0
    sycl.group_barrier(it.get_group())
    sycl.atomic_ref(one, 0).fetch_add(1)
    sycl.atomic_ref(many, 2, scope=scope.work_group).fetch_add(1)
    sycl.atomic_ref(records, (1, "key")).fetch_add(1)
    sycl.atomic_ref(own, 3).fetch_add(1)
    sycl.group_barrier(it.get_group())
    if leader:
        sycl.atomic_ref(out, 0).fetch_add(one[0])
        sycl.atomic_ref(out, 1).fetch_add(many[2])
        sycl.atomic_ref(out, 2).fetch_add(records[1].key)
        sycl.atomic_ref(out, 3).fetch_add(own[3])


@pytest.mark.row("D-32", "B-32")
def test_memory_of_work_groups(queue: sycl.queue) -> None:
    out = zeros(queue, 4, np.int32)
    queue.submit(lambda h: h.parallel_for(
        sycl.nd_range(60, 20), in_group_memory, out, x.work_group_memory(np.int32, h),
        x.work_group_memory(np.int32, 5, h), sycl.local_accessor(LAYOUT, 2, h))).wait()
    assert [60] * 4 == out[:].tolist()


@pytest.mark.row("D-32")
def test_order_and_scope_may_be_left_out(queue: sycl.queue) -> None:
    """They are relaxed and device, in kernels and on the host."""
    told = zeros(queue, 1, np.int32)

    def kernel(told):
        ref = sycl.atomic_ref(told, 0)
        if ref.default_read_modify_write_order == order.relaxed \
                and ref.default_scope == scope.device:
            ref += 5

    queue.single_task(kernel, told).wait()
    assert 5 == told[0]
    ref = sycl.atomic_ref(np.zeros(2, np.int64), 1)
    assert (order.relaxed, scope.device) == (ref.default_read_order, ref.default_scope)


@pytest.mark.row("D-33")
def test_bfloat16_rounds_each_sum(queue: sycl.queue) -> None:
    bfloat16 = sycl.ext.oneapi.bfloat16
    out = zeros(queue, 3, bfloat16)

    def kernel(i, out):
        sycl.atomic_ref(out, 0).fetch_add(1.5)
        sycl.atomic_ref(out, 1).fetch_max(i)
        sycl.atomic_ref(out, 2).exchange(3)

    queue.parallel_for(300, kernel, out).wait()
    expected = np.zeros(1, bfloat16)
    for _ in range(300):
        expected += bfloat16(1.5)
    assert [float(expected[0]), float(bfloat16(299)), 3.0] == [float(v) for v in out]


@pytest.mark.row("D-32")
def test_what_no_device_changes_whole_is_refused(queue: sycl.queue) -> None:
    packed = np.dtype([("a", "u1"), ("b", "i4")])
    zeros(queue, 1, np.int32)

    def wide(i, p):
        sycl.atomic_ref(p, 0).fetch_add(1)

    def odd(i, p):
        sycl.atomic_ref(p, (0, "b")).fetch_add(1)

    def negative(i, p):
        sycl.atomic_ref(p, -1).fetch_add(1)

    def order_of_complex(i, p):
        sycl.atomic_ref(p, 0).fetch_min(1)

    for kernel, dtype, text in (
            (wide, np.complex128, "16 bytes"), (wide, np.bool_, "bools"),
            (odd, packed, "align=True"), (negative, np.int32, "K059"),
            (order_of_complex, np.complex64, "fetch_min"), (wide, packed, "(i, 'a')"),
            (wide, sycl.float2, "(i, 'x')")):
        with pytest.raises(sycl.exception, match="cannot be compiled") as caught:
            queue.parallel_for(1, kernel, zeros(queue, 3, dtype))
        assert text in caught.value.what()




MIXED = np.dtype({"names": ["c", "key", "h", "s"], "formats": ["c8", "i4", "u2", ("i1", (3,))],
                  "offsets": [0, 8, 12, 14], "itemsize": 24})


@sycl.kernel(debug=True)
def debugged(i, t):
    sycl.atomic_ref(t, (i % 2, "key")).fetch_add(1)
    sycl.atomic_ref(t, (1, "h")).fetch_add(3)
    sycl.atomic_ref(t, (0, "c")).fetch_add(1 + 2j)
    sycl.atomic_ref(t, (1, "s", i % 3)).fetch_add(1)


@sycl.kernel(debug=True)
def outside(i, t):
    sycl.atomic_ref(t, (i, "h")).fetch_add(1)


def at_group_scope(g, t):
    sycl.atomic_ref(t, (0, "key")).fetch_add(1)
    sycl.atomic_ref(t, (0, "h")).fetch_add(1)
    sycl.atomic_ref(t, (1, "c")).fetch_add(1j)
    sycl.atomic_ref(t, (1, "s", 2)).fetch_sub(1)
    g.parallel_for_work_item(lambda h: sycl.atomic_ref(t, (1, "s", 0)).fetch_add(1))


def divergent(i, t):
    if i % 3 == 0:
        sycl.atomic_ref(t, (1, "h")).fetch_add(1)
        for k in range(i % 5):
            sycl.atomic_ref(t, (0, "s", k % 3)).fetch_add(1)
            if k == 2:
                break
            sycl.atomic_ref(t, (1, "c")).fetch_add(1)


def mixed(queue, kernel, space) -> list:
    data = np.zeros(2, MIXED)
    with sycl.buffer(data) as b:
        queue.submit(lambda h: h.parallel_for(space, kernel, sycl.accessor(b, h))
                     if isinstance(space, int) else h.parallel_for_work_group(
                         *space, kernel, sycl.accessor(b, h))).wait_and_throw()
    return [(complex(r["c"]), int(r["key"]), int(r["h"]), r["s"].tolist()) for r in data]


@pytest.mark.row("D-32", "D-33")
def test_members_in_checked_hierarchical_and_divergent_kernels(queue: sycl.queue) -> None:
    assert [(30 + 60j, 15, 0, [0, 0, 0]), (0j, 15, 90, [10, 10, 10])] == mixed(queue, debugged, 30)
    assert [(0j, 3, 3, [0, 0, 0]), (3j, 0, 0, [12, 0, -3])] == mixed(queue, at_group_scope, (3, 4))
    assert [(0j, 0, 0, [8, 6, 4]), (14 + 0j, 0, 10, [0, 0, 0])] == mixed(queue, divergent, 30)
    with pytest.raises(sycl.exception, match="index . is outside 't' .range 2."):
        mixed(queue, outside, 9)


def least(i, out, n, source, firsts):
    sycl.atomic_ref(out, min(i, n[0]) % 8).fetch_add(1)
    v = sycl.int2()
    v.load(min(i, n[0]) % 4, source)
    firsts[i] = v.x


@pytest.mark.row("D-32")
def test_an_index_may_be_of_a_type_that_its_path_decides(queue: sycl.queue) -> None:
    out, n, source, firsts = np.zeros(8, np.int32), np.array([5], np.int32), np.arange(
        8, dtype=np.int32), np.zeros(8, np.int32)
    queue.parallel_for(8, least, out, n, source, firsts).wait()
    assert [1, 1, 1, 1, 1, 3, 0, 0] == out.tolist()
    assert [min(i, 5) % 4 * 2 for i in range(8)] == firsts.tolist()
