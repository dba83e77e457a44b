"""Group functions, atomics and fences in all forms of their arguments (SYCL 2020 §4.15, §4.17)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import ints

N, LOCAL = 48, 24
DATA = (np.arange(N) * 37 % 19 - 6).astype(np.int32)
GROUPS = [DATA[k:k + LOCAL] for k in range(0, N, LOCAL)]


def scan(values, fn, start=None, inclusive=True):
    found = list(itertools.accumulate([*([] if start is None else [start]), *values], fn))
    if inclusive:
        return found[0 if start is None else 1:]
    return found[:-1]


@pytest.mark.row("D-42")
def test_scans_take_the_initial_value_where_the_specification_puts_it(queue):
    x, out = DATA, np.zeros((6, N), np.int32)

    def kernel(it):
        g, k = it.get_group(), it.get_global_id(0)
        v = x[k]
        out[0, k] = sycl.inclusive_scan_over_group(g, v, sycl.plus)
        out[1, k] = sycl.inclusive_scan_over_group(g, v, sycl.plus, 100)
        out[2, k] = sycl.exclusive_scan_over_group(g, v, sycl.plus)
        out[3, k] = sycl.exclusive_scan_over_group(g, v, 100, sycl.plus())
        out[4, k] = sycl.inclusive_scan_over_group(g, v, sycl.maximum[np.int32])
        out[5, k] = sycl.exclusive_scan_over_group(g, v, sycl.minimum)

    queue.parallel_for(sycl.nd_range(N, LOCAL), kernel).wait()
    add = lambda a, b: a + b  # noqa: E731
    big = np.iinfo(np.int32).max
    expected = [
        [v for g in GROUPS for v in scan(g.tolist(), add)],
        [v for g in GROUPS for v in scan(g.tolist(), add, 100)],
        [v for g in GROUPS for v in scan(g.tolist(), add, 0, inclusive=False)],
        [v for g in GROUPS for v in scan(g.tolist(), add, 100, inclusive=False)],
        [v for g in GROUPS for v in scan(g.tolist(), max)],
        [v for g in GROUPS for v in scan(g.tolist(), min, big, inclusive=False)]]
    assert expected == out.tolist()


@pytest.mark.row("D-41")
def test_reductions_over_groups(queue):
    x, out = DATA, ints(6, N)

    def kernel(it):
        g, s, k = it.get_group(), it.get_sub_group(), it.get_global_id(0)
        out[0, k] = sycl.reduce_over_group(g, x[k], sycl.plus)
        out[1, k] = sycl.reduce_over_group(g, x[k], 1000, sycl.plus)
        out[2, k] = sycl.reduce_over_group(g, x[k], sycl.minimum)
        out[3, k] = sycl.reduce_over_group(g, k, sycl.maximum)
        out[4, k] = sycl.reduce_over_group(s, x[k], sycl.bit_xor)
        out[5, k] = s.get_group_linear_id()

    queue.parallel_for(sycl.nd_range(N, LOCAL), kernel).wait()
    for k in range(N):
        group = DATA[k // LOCAL * LOCAL:][:LOCAL].tolist()
        mates = [j for j in range(k // LOCAL * LOCAL, (k // LOCAL + 1) * LOCAL)
                 if out[5, j] == out[5, k]]
        xor = 0
        for j in mates:
            xor ^= int(DATA[j])
        assert [sum(group), sum(group) + 1000, min(group), (k // LOCAL + 1) * LOCAL - 1,
                xor] == out[:5, k].tolist()


@pytest.mark.row("D-39")
def test_votes_take_a_value_or_a_predicate(queue):
    x, out = DATA, ints(6, N)

    def kernel(it):
        g, k = it.get_group(), it.get_global_id(0)
        out[0, k] = sycl.any_of_group(g, x[k] > 11)
        out[1, k] = sycl.all_of_group(g, x[k] > -7)
        out[2, k] = sycl.none_of_group(g, x[k] == 12)
        out[3, k] = sycl.any_of_group(g, x[k], lambda v: v * v > 140)
        out[4, k] = sycl.all_of_group(group=g, x=x[k], pred=lambda v: v < 12)
        out[5, k] = sycl.none_of_group(it.get_sub_group(), x[k], lambda v: v > 100)

    queue.parallel_for(sycl.nd_range(N, LOCAL), kernel).wait()
    for k in range(N):
        group = DATA[k // LOCAL * LOCAL:][:LOCAL]
        assert [any(group > 11), all(group > -7), not any(group == 12), any(group ** 2 > 140),
                all(group < 12), 1] == out[:, k].tolist()


@pytest.mark.row("D-38", "D-40")
def test_broadcasts_and_shuffles(queue):
    out = ints(7, N)

    def kernel(it):
        g, s, k = it.get_group(), it.get_sub_group(), it.get_global_id(0)
        out[0, k] = sycl.group_broadcast(g, k)
        out[1, k] = sycl.group_broadcast(g, k, 5)
        out[2, k] = sycl.group_broadcast(s, k, sycl.id(1))
        out[3, k] = sycl.shift_group_left(s, k)
        out[4, k] = sycl.shift_group_right(s, k, delta=2)
        out[5, k] = sycl.permute_group_by_xor(s, k, 1)
        out[6, k] = sycl.select_from_group(s, k, s.get_local_range()[0] - 1
                                           - s.get_local_linear_id())

    size = ints(2)

    def sizes(it):
        size[0] = it.get_sub_group().get_max_local_range()[0]

    queue.parallel_for(sycl.nd_range(N, LOCAL), sizes).wait()
    queue.parallel_for(sycl.nd_range(N, LOCAL), kernel).wait()
    width = int(size[0])
    for k in range(N):
        start = k // LOCAL * LOCAL
        first = start + (k - start) // width * width
        count = min(width, start + LOCAL - first)
        place = k - first
        expected = {0: start, 1: start + 5, 2: first + 1 if count > 1 else None,
                    3: k + 1 if place + 1 < count else None, 4: k - 2 if place >= 2 else None,
                    5: first + (place ^ 1) if (place ^ 1) < count else None,
                    6: first + count - 1 - place}
        for row, value in expected.items():
            assert value is None or value == out[row, k], (row, k)


@pytest.mark.row("D-36")
def test_the_spellings_of_sycl_1_2(queue):
    out = ints(N)
    tile = np.zeros(N, np.int64)

    def kernel(it):
        k = it.get_global_id(0)
        tile[k] = it.get_local_id(0) + it.get_group(0) * 100
        it.mem_fence()
        it.barrier(sycl.fence_space.global_and_local)
        out[k] = tile[it.get_group(0) * LOCAL + (it.get_local_id(0) + 1) % LOCAL]

    queue.parallel_for(sycl.nd_range(N, LOCAL), kernel).wait()
    assert [(k % LOCAL + 1) % LOCAL + k // LOCAL * 100 for k in range(N)] == out.tolist()


@pytest.mark.row("D-33")
@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64", "float32", "float64"])
def test_atomics_in_all_their_forms(queue, dtype):
    cells = np.array([10, 10, 10, 10, 10, 10, 10, 10, 10], dtype)
    old = np.zeros(8, dtype)
    done = ints(2)
    order, scope = sycl.memory_order, sycl.memory_scope.device

    def kernel(i):
        ref = sycl.atomic_ref(cells, 0, order.relaxed, scope)
        old[0] = ref.fetch_add(3)
        ref += 4
        ref -= 1
        old[1] = sycl.atomic_ref(cells, 1, order.acq_rel, scope).exchange(7)
        third = sycl.atomic_ref(cells, sycl.id(2), order.seq_cst, scope)
        old[2] = third.fetch_sub(2, order.relaxed)
        old[3] = sycl.atomic_ref(cells, 3, order.relaxed, scope).fetch_min(4)
        old[4] = sycl.atomic_ref(cells, 4, order.relaxed, scope).fetch_max(operand=40)
        sycl.atomic_ref(cells, 5, order.acq_rel, scope).store(5)
        old[5] = sycl.atomic_ref(cells, 6, order.acq_rel, scope).load(order=order.acquire)
        swap = sycl.atomic_ref(cells, 7, order.relaxed, scope)
        ok, before = swap.compare_exchange_strong(10, 77)
        done[0], old[6] = ok, before
        ok, before = swap.compare_exchange_weak(10, 78, order.acq_rel, order.acquire)
        done[1], old[7] = ok, before
        sycl.atomic_fence(order.acq_rel, scope)

    queue.parallel_for(1, kernel).wait()
    assert [16, 7, 8, 4, 40, 5, 10, 77, 10] == cells.tolist()
    assert [10, 10, 10, 10, 10, 10, 10, 77] == old.tolist()
    assert [1, 0] == done.tolist()


@pytest.mark.row("D-33")
def test_bit_atomics_and_their_operators(queue):
    cells = np.array([12, 12, 12, 12, 12, 12], np.uint32)
    order, scope = sycl.memory_order.relaxed, sycl.memory_scope.work_group

    def kernel(i):
        sycl.atomic_ref(cells, 0, order, scope).fetch_and(6)
        sycl.atomic_ref(cells, 1, order, scope).fetch_or(3)
        sycl.atomic_ref(cells, 2, order, scope).fetch_xor(5)
        a = sycl.atomic_ref(cells, 3, order, scope)
        a &= 10
        b = sycl.atomic_ref(cells, 4, order, scope)
        b |= 1
        c = sycl.atomic_ref(cells, 5, order, scope)
        c ^= 15

    queue.parallel_for(1, kernel).wait()
    assert [4, 15, 9, 8, 13, 3] == cells.tolist()


@pytest.mark.row("D-45")
def test_reducers_fold_by_methods_operators_and_functions_of_ones_own(queue):
    x = np.arange(1, 9, dtype=np.int32)
    total, product, most = (sycl.malloc_shared(1, np.int32, queue) for _ in range(3))
    for p, v in ((total, 100), (product, 1), (most, 0)):
        p[0] = v

    def best(a, b):
        return max(b, a)

    def add(r, v):
        r += v

    def kernel(i, s, p, m):
        s += x[i]
        s.combine(1)
        add(s, 2)
        p *= x[i] if i < 5 else p.identity()
        m.combine(x[i])

    queue.parallel_for(8, sycl.reduction(total, sycl.plus),
                       sycl.reduction(product, sycl.multiplies),
                       sycl.reduction(most, np.int32(0), best), kernel).wait()
    assert [36 + 24 + 100, 120, 8] == [int(total[0]), int(product[0]), int(most[0])]
