"""Every operation, type and kind of memory of ``atomic_ref`` (SYCL 2020 §4.15.3)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.testing import refused

order, scope = sycl.memory_order, sycl.memory_scope
TYPES = ["int32", "uint32", "int64", "uint64", "float32", "float64"]
INTEGERS = TYPES[:4]
OPERATIONS = {"fetch_add": np.add, "fetch_sub": np.subtract, "fetch_min": np.minimum,
              "fetch_max": np.maximum, "fetch_and": np.bitwise_and, "fetch_or": np.bitwise_or,
              "fetch_xor": np.bitwise_xor}


def numbers(dtype: str, count: int) -> np.ndarray:
    """Return small numbers whose sums are exact in every type."""
    found = (np.arange(count) * 7919 % 61).astype(dtype)
    return found + np.dtype(dtype).type(0.5) if dtype.startswith("f") else found


@pytest.mark.row("D-33")
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("local", [1, 16, 37])
def test_read_modify_write_of_one_element_and_of_many(
        queue: sycl.queue, dtype: str, local: int) -> None:
    """All lanes on one element, some lanes on it, and each lane where its data says."""
    names = [n for n in OPERATIONS if dtype in INTEGERS or n in list(OPERATIONS)[:4]]
    count = 3 * local
    source = numbers(dtype, count)
    start = numbers(dtype, 8)
    for name in names:
        one, some, many = start.copy(), start.copy(), start.copy()

        def kernel(it, values, one, some, many, name=name):
            i = it.get_global_id(0)
            apply(name, sycl.atomic_ref(one, 3, order.relaxed, scope.device), values[i])
            if values[i] > 20:
                apply(name, sycl.atomic_ref(some, 5, order.acq_rel, scope.system), values[i])
            cell = sycl.atomic_ref(many, int(values[i]) % 8, order.seq_cst, scope.device)
            apply(name, cell, values[i])

        queue.parallel_for(sycl.nd_range(count, local), kernel, source, one, some,
                           many).wait()
        expected = [start.copy() for _ in range(3)]
        combine = OPERATIONS[name]
        with np.errstate(all="ignore"):
            for v in source:
                expected[0][3] = combine(expected[0][3], v)
                if v > 20:
                    expected[1][5] = combine(expected[1][5], v)
                k = int(v) % 8
                expected[2][k] = combine(expected[2][k], v)
        for want, found in zip(expected, (one, some, many), strict=True):
            np.testing.assert_array_equal(want, found, err_msg=name, strict=True)


def apply(name, ref, value):
    """Do the operation of a name, which kernels know while they are compiled."""
    if name == "fetch_add":
        ref.fetch_add(value)
    elif name == "fetch_sub":
        ref.fetch_sub(value)
    elif name == "fetch_min":
        ref.fetch_min(value)
    elif name == "fetch_max":
        ref.fetch_max(value)
    elif name == "fetch_and":
        ref.fetch_and(value)
    elif name == "fetch_or":
        ref.fetch_or(value)
    else:
        ref.fetch_xor(value)


@pytest.mark.row("D-33", "D-32")
@pytest.mark.parametrize("dtype", TYPES)
def test_every_kind_of_memory_has_atomics(queue: sycl.queue, dtype: str) -> None:
    """Local memory, buffers of two dimensions, all kinds of USM, and NumPy's own."""
    buffer = sycl.buffer(np.zeros((4, 8), dtype))
    device = sycl.malloc_device(4, dtype, queue)
    shared = sycl.malloc_shared(4, dtype, queue)
    own = np.zeros(4, dtype)
    queue.fill(device, 0, 4)
    queue.fill(shared, 0, 4).wait()

    def kernel(it, cells, bins):
        i, lid = it.get_global_id(0), it.get_local_id(0)
        if lid < 4:
            bins[lid] = 0
        sycl.group_barrier(it.get_group())
        sycl.atomic_ref(bins, lid % 4, order.relaxed, scope.work_group).fetch_add(lid)
        sycl.group_barrier(it.get_group())
        if lid < 4:
            sycl.atomic_ref(own, lid, order.relaxed, scope.device).fetch_add(bins[lid])
        sycl.atomic_ref(cells, (i % 4, 2), order.acq_rel, scope.device).fetch_add(1)
        sycl.atomic_ref(device, 1, order.relaxed, scope.device).fetch_max(i)
        sycl.atomic_ref(shared, 2, order.seq_cst, scope.system,
                        sycl.address_space.global_space).fetch_sub(1)

    queue.submit(lambda h: h.parallel_for(
        sycl.nd_range(96, 24), kernel, sycl.accessor(buffer, h, sycl.read_write),
        sycl.local_accessor(dtype, 4, h))).wait()
    found = np.zeros(4, dtype)
    queue.copy(device, found, 4).wait()
    assert [0, 95, 0, 0] == found.tolist()
    assert [4 * sum(range(k, 24, 4)) for k in range(4)] == own.tolist()
    assert np.dtype(dtype).type(0) - np.dtype(dtype).type(96) == shared[2] if dtype[0] != "u" \
        else 2 ** (8 * np.dtype(dtype).itemsize) - 96 == shared[2]
    cells = sycl.host_accessor(buffer, sycl.read_only)
    assert [[24 if column == 2 else 0 for column in range(8)]] * 4 == np.asarray(cells).tolist()


@pytest.mark.row("D-33")
@pytest.mark.parametrize("dtype", INTEGERS)
def test_each_work_item_draws_a_ticket_of_its_own(queue: sycl.queue, dtype: str) -> None:
    for stride, where in ((1, "one"), (3, "some")):
        counter = np.zeros(1, dtype)
        drawn = np.zeros(200, dtype)

        def kernel(i, where=where, stride=stride, counter=counter, drawn=drawn):
            if where == "one" or i % 3 == 0:
                drawn[i] = sycl.atomic_ref(
                    counter, 0, order.relaxed, scope.device).fetch_add(stride) + 1
        queue.parallel_for(200, kernel).wait()
        taken = np.sort(drawn[drawn > 0])
        assert (200 if where == "one" else 67) == len(taken)
        assert (np.arange(len(taken)) * stride + 1).tolist() == taken.tolist()


@pytest.mark.row("D-33")
@pytest.mark.parametrize("name", ["fetch_min", "fetch_max", "fetch_or", "fetch_xor", "fetch_sub"])
def test_old_values_are_those_of_some_order(queue: sycl.queue, name: str) -> None:
    """What each work-item saw, and what it left, follow from one another like links of a chain."""
    values = ((np.arange(100) * 37) % 101).astype(np.int32)
    cell, seen = np.array([50], np.int32), np.zeros(100, np.int32)

    def kernel(i, name=name, seen=seen, cell=cell, values=values):
        ref = sycl.atomic_ref(cell, 0, order.relaxed, scope.device)
        if name == "fetch_min":
            seen[i] = ref.fetch_min(values[i])
        elif name == "fetch_max":
            seen[i] = ref.fetch_max(values[i])
        elif name == "fetch_or":
            seen[i] = ref.fetch_or(values[i])
        elif name == "fetch_xor":
            seen[i] = ref.fetch_xor(values[i])
        else:
            seen[i] = ref.fetch_sub(values[i])
    queue.parallel_for(100, kernel).wait()
    left = OPERATIONS[name](seen, values)
    assert sorted([*seen.tolist(), int(cell[0])]) == sorted([*left.tolist(), 50])


@pytest.mark.row("D-33")
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("memory", ["device", "work_group", "local"])
def test_comparing_and_exchanging_builds_any_operation(
        queue: sycl.queue, dtype: str, memory: str) -> None:
    total = np.ones(1, dtype)
    product = np.zeros(1, dtype)

    def kernel(it, own, memory=memory):
        if memory == "local":
            own[0] = 1
            sycl.group_barrier(it.get_group())
            multiply(sycl.atomic_ref(own, 0, order.relaxed, scope.device))
            sycl.group_barrier(it.get_group())
            product[0] = own[0]
        elif memory == "device":
            multiply(sycl.atomic_ref(total, 0, order.relaxed, scope.device))
        else:
            multiply(sycl.atomic_ref(total, 0, order.relaxed, scope.work_group))
    queue.parallel_for(sycl.nd_range(20, 20), kernel, sycl.local_accessor(dtype, 1)).wait()
    assert 2 ** 20 == (product if memory == "local" else total)[0]


def multiply(ref):
    done, old = False, ref.load()
    while not done:
        done, old = ref.compare_exchange_weak(old, old * 2, order.acq_rel, order.acquire,
                                              scope.device)


@pytest.mark.row("D-33")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats_are_compared_by_their_bits_and_nan_does_not_spread(
        queue: sycl.queue, dtype: str) -> None:
    cells = np.array([np.nan, 0.0, 5.0, np.nan, 5.0, np.nan], dtype)
    done = np.zeros(2, np.int32)

    def kernel(it, own):
        for k in range(6):
            own[k] = cells[k]
        a = sycl.atomic_ref(cells, 0, order.relaxed, scope.device)
        ok, old = a.compare_exchange_strong(a.load(), 7.0)
        done[0] = ok
        ok, old = sycl.atomic_ref(cells, 1, order.relaxed, scope.device).compare_exchange_strong(
            -0.0, 7.0)
        done[1] = ok
        sycl.atomic_ref(cells, 2, order.relaxed, scope.device).fetch_min(np.nan)
        sycl.atomic_ref(cells, 3, order.relaxed, scope.device).fetch_min(1.0)
        sycl.atomic_ref(own, 4, order.relaxed, scope.device).fetch_max(np.nan)
        sycl.atomic_ref(own, 5, order.relaxed, scope.device).fetch_max(1.0)
        cells[4] = own[4]
        cells[5] = own[5]
    queue.parallel_for(sycl.nd_range(1, 1), kernel, sycl.local_accessor(dtype, 6)).wait()
    np.testing.assert_array_equal(np.array([7, 0, 5, np.nan, 5, np.nan], dtype), cells)
    assert [1, 0] == done.tolist()


@pytest.mark.row("D-33")
def test_an_exchange_is_true_if_it_was_made(queue: sycl.queue) -> None:
    """The pair of success and old value is asked as C++ asks the bool."""
    cells, seen = np.zeros(2, np.int32), np.zeros(64, np.int32)

    def kernel(i):
        ref = sycl.atomic_ref(cells, 0)
        while True:
            old = ref.load()
            if ref.compare_exchange_weak(old, old + 3):
                break
        first = sycl.atomic_ref(cells, 1).compare_exchange_strong(0, int(i) + 1)
        done, was = first
        seen[i] = (1 if first else 0) + 10 * done + 100 * (first.old == was) + (not first) * 1000
    queue.parallel_for(64, kernel).wait()
    assert cells[0] == 3 * 64
    assert sorted(seen.tolist()) == [111] + [1100] * 63


@pytest.mark.row("D-33")
def test_orders_and_scopes_may_be_given_to_each_operation(queue: sycl.queue) -> None:
    cells, facts = np.arange(16, dtype=np.int32), np.zeros(8, np.int32)

    def kernel(it):
        i = it.get_global_id(0)
        ref = sycl.atomic_ref(cells, i, order.acq_rel, scope.device)
        for one in (order.relaxed, order.acquire, order.seq_cst):
            for wide in (scope.sub_group, scope.work_group, scope.device, scope.system):
                ref.store(ref.load(one, wide) + 1, scope=wide)
        for one in (order.relaxed, order.release, order.seq_cst):
            ref.store(ref.load() + 1, one)
        for one in (order.relaxed, order.acquire, order.release, order.acq_rel, order.seq_cst):
            ref.fetch_add(1, one, scope.system)
            ref.exchange(ref.load(), order=one)
            ref.compare_exchange_strong(ref.load(), ref.load(), one, scope.device)
            ref.compare_exchange_weak(1000, 0, one, order.seq_cst, scope.sub_group)
        facts[0] = ref.is_lock_free()
        facts[1] = ref.is_always_lock_free
        facts[2] = ref.required_alignment
        facts[3] = ref.default_read_order == order.acquire
        facts[4] = ref.default_write_order == order.release
        facts[5] = ref.default_read_modify_write_order == order.acq_rel
        facts[6] = ref.default_scope == scope.device
    queue.parallel_for(sycl.nd_range(16, 8), kernel).wait()
    assert (np.arange(16) + 20).tolist() == cells.tolist()
    assert [1, 1, 4, 1, 1, 1, 1, 0] == facts.tolist()


@pytest.mark.row("D-33")
def test_a_million_adds_to_one_element_are_exact(queue: sycl.queue) -> None:
    """On the host device fewer: one after another in Python, a million take a minute."""
    count = 20_000 if queue.get_device().has(sycl.aspect.emulated) else 1_000_000
    total, parts = np.zeros(1, np.int64), np.zeros(3, np.float32)

    def kernel(i):
        sycl.atomic_ref(total, 0, order.relaxed, scope.device).fetch_add(i)
        if i % 4 == 1:
            sycl.atomic_ref(parts, i % 3, order.relaxed, scope.device).fetch_add(1)
    queue.parallel_for(count, kernel).wait()
    assert count * (count - 1) // 2 == total[0]
    seen = np.arange(1, count, 4) % 3
    assert np.bincount(seen, minlength=3).tolist() == parts.tolist()


@pytest.mark.row("D-33")
@pytest.mark.parametrize("dtype", TYPES)
def test_each_value_that_is_exchanged_is_got_by_one_work_item(
        queue: sycl.queue, dtype: str) -> None:
    """What all got and what is left are what was there and what all gave; stores come whole."""
    cells, got = np.zeros(2, dtype), np.zeros(200, dtype)

    def kernel(i, cells, got):
        got[i] = sycl.atomic_ref(cells, 0, order.relaxed, scope.device).exchange(i + 1)
        sycl.atomic_ref(cells, 1, order.relaxed, scope.device).store(i + 1)
    queue.parallel_for(200, kernel, cells, got).wait()
    assert list(range(201)) == sorted([*got.tolist(), cells[0]])
    assert cells[1] in range(1, 201)


@pytest.mark.row("D-33")
@pytest.mark.parametrize("name", ["load", "store", "failure"])
def test_orders_that_an_operation_cannot_have_are_refused(queue: sycl.queue, name: str) -> None:
    def load(i, p):
        p[1] = sycl.atomic_ref(p, 0).load(order.release)

    def store(i, p):
        sycl.atomic_ref(p, 0).store(1, order.acquire)

    def failure(i, p):
        sycl.atomic_ref(p, 0).compare_exchange_strong(0, 1, order.acq_rel, order.release)
    cells = np.zeros(2, np.int32)
    with pytest.raises(sycl.KernelError, match="K056"):
        queue.parallel_for(4, {"load": load, "store": store, "failure": failure}[name], cells)
    assert [0, 0] == cells.tolist()


@pytest.mark.row("D-33")
def test_operators_are_the_operations(queue: sycl.queue) -> None:
    """Each takes effect once for each work-item; the value of one is its load."""
    cells = np.array([100, 100, 0xFFFF, 0, 0, 0], np.int32)
    floats, seen = np.array([1, 1], np.float32), np.zeros(64, np.int32)

    def kernel(i):
        added = sycl.atomic_ref(cells, 0)
        added += i
        taken = sycl.atomic_ref(cells, 1)
        taken -= 2
        anded = sycl.atomic_ref(cells, 2)
        anded &= ~(1 << (i % 8))
        ored = sycl.atomic_ref(cells, 3)
        ored |= 1 << (i % 16)
        turned = sycl.atomic_ref(cells, 4)
        turned ^= i
        up = sycl.atomic_ref(floats, 0)
        up += 0.5
        down = sycl.atomic_ref(floats, 1)
        down -= 0.5
        seen[i] = sycl.atomic_ref(cells, 5).load()
    queue.parallel_for(64, kernel).wait()
    assert [100 + 2016, 100 - 128, 0xFF00, 0xFFFF, np.bitwise_xor.reduce(np.arange(64)),
            0] == cells.tolist()
    assert [33, -31] == floats.tolist()
    assert not seen.any()


@pytest.mark.row("E-33")
def test_atomics_of_a_work_group_are_exact_within_it(queue: sycl.queue) -> None:
    """Each work-group has counters of its own in global memory."""
    counters = np.zeros((8, 4), np.int32)

    def kernel(it):
        row = it.get_group(0)
        sycl.atomic_ref(counters, (row, it.get_local_id(0) % 3), order.relaxed,
                        scope.work_group).fetch_add(1)
        sycl.atomic_ref(counters, (row, 3), order.relaxed,
                        scope.sub_group).fetch_max(it.get_local_id(0))
    queue.parallel_for(sycl.nd_range(8 * 48, 48), kernel).wait()
    assert [[16, 16, 16, 47]] * 8 == counters.tolist()


@pytest.mark.row("D-35")
def test_fences_of_every_order_and_scope_run_anywhere(queue: sycl.queue) -> None:
    out = np.zeros(40, np.int32)

    def kernel(i):
        out[i] = 1
        sycl.atomic_fence(order.relaxed, scope.work_item)
        for one in (order.relaxed, order.acquire, order.release, order.acq_rel, order.seq_cst):
            for wide in (scope.work_item, scope.sub_group, scope.work_group, scope.device,
                         scope.system):
                if i % 2:
                    sycl.atomic_fence(one, wide)
                sycl.atomic_fence(one, wide)
        out[i] += 1
    queue.parallel_for(40, kernel).wait()
    assert [2] * 40 == out.tolist()


@pytest.mark.row("E-35")
@pytest.mark.parametrize("dtype", TYPES)
def test_the_host_and_a_kernel_count_together(queue: sycl.queue, dtype: str) -> None:
    count = 2000 if queue.get_device().has(sycl.aspect.emulated) else 200_000
    with refused(queue.get_device(), sycl.aspect.usm_atomic_shared_allocations):
        cell = sycl.malloc_shared(2, dtype, queue)
        cell[0] = cell[1] = 0

        def kernel(i):
            sycl.atomic_ref(cell, i % 2, order.relaxed, scope.system).fetch_add(1)
        event = queue.parallel_for(count, kernel)
        mine = sycl.atomic_ref(cell, 0, order.seq_cst, scope.system)
        for _ in range(500):
            mine.fetch_add(1)
            mine += 1
        event.wait()
        assert [count // 2 + 1000, count // 2] == [cell[0], cell[1]]
        assert (False, cell[0]) == mine.compare_exchange_strong(1, 2)
        assert mine.compare_exchange_strong(mine.load(), 2)[0]
        assert (2, 9) == (mine.exchange(9), cell[0])
        mine.store(4)
        assert (4, 4) == (mine.fetch_min(3), mine.load() + 1)
