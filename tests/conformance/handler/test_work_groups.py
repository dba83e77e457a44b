"""Hierarchical kernels (SYCL 2020 §4.9.4.2.3)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl


def launch(queue, groups, local, kernel):
    spaces = (groups,) if local is None else (groups, local)
    queue.submit(lambda h: h.parallel_for_work_group(*spaces, kernel)).wait()


@pytest.mark.row("C-5")
def test_loops_exchange_data_by_variables_of_the_group(queue):
    x = np.arange(24, dtype=np.int32)
    out = np.zeros((24, 2), np.int32)

    def kernel(g):
        tile = sycl.private_array(np.int32, 8)
        base = g.get_group_id(0) * 8
        scale = base + 1

        def load(h):
            k = h.get_local_id(0)
            tile[k] = x[base + k] * scale
        g.parallel_for_work_item(load)
        total = 0
        for k in range(8):
            total += tile[k]

        def store(h):
            k = h.get_local_id(0)
            out[base + k, 0] = tile[7 - k]
            out[base + k, 1] = total
        g.parallel_for_work_item(store)
    launch(queue, 3, 8, kernel)
    for g in range(3):
        tile = x[g * 8:][:8] * (g * 8 + 1)
        assert tile[::-1].tolist() == out[g * 8:][:8, 0].tolist()
        assert [tile.sum()] * 8 == out[g * 8:][:8, 1].tolist()


@pytest.mark.row("C-5", "C-8")
def test_group_scope_runs_once_and_branches_and_loops_there(queue):
    count, out = np.zeros(6, np.int32), np.zeros((6, 8), np.int32)

    def kernel(g):
        me = g.get_group_linear_id()
        count[me] += 1
        turn = 0
        while turn < me:
            if g[0] % 2 == 0:
                g.parallel_for_work_item(lambda h: add(out, me, h, 1))
            else:
                g.parallel_for_work_item(lambda h: add(out, me, h, 10))
            if turn == 3:
                break
            turn += 1
        for k in range(2):
            if k == 1 and me > 2:
                g.parallel_for_work_item(sycl.range(4), lambda h: add(out, me, h, 100))

    def add(out, me, h, value):
        out[me, h.get_local_id(0)] += value
    launch(queue, 6, 8, kernel)
    assert [1] * 6 == count.tolist()
    for g in range(6):
        base = min(g, 4) * (10 if g % 2 else 1)
        assert [base + (100 if g > 2 and k < 4 else 0) for k in range(8)] == out[g].tolist()


@pytest.mark.row("C-6")
@pytest.mark.parametrize("local", [(4,), (2, 3), (2, 1, 3), None])
def test_every_query_of_an_h_item(queue, local):
    groups = {1: (3,), 2: (2, 2), 3: (1, 2, 2)}[len(local or (1,))]
    logical = tuple(e + 3 for e in local) if local else (5,)
    dims = len(groups)
    rows = np.full((int(np.prod(groups)), int(np.prod(logical)), dims * 10), -1, np.int64)
    linear = np.full((*rows.shape[:2], 4), -1, np.int64)

    def kernel(g):
        def loop(h):
            m, k = g.get_group_linear_id(), h.get_local().get_linear_id()
            for d in dims_of:
                rows[m, k, d * 10 + 0] = h.get_local_id(d)
                rows[m, k, d * 10 + 1] = h.get_logical_local_id()[d]
                rows[m, k, d * 10 + 2] = h.get_local_range(d)
                rows[m, k, d * 10 + 3] = h.get_logical_local_range()[d]
                rows[m, k, d * 10 + 4] = h.get_physical_local_id(d)
                rows[m, k, d * 10 + 5] = h.get_physical_local_range(d)
                rows[m, k, d * 10 + 6] = h.get_global_id(d)
                rows[m, k, d * 10 + 7] = h.get_global_range(d)
                whole = h.get_global()
                rows[m, k, d * 10 + 8] = whole.get_id(d) * 1000 + whole.get_range(d)
                rows[m, k, d * 10 + 9] = h.get_physical_local().get_id(d)
            linear[m, k, 0] = h.get_logical_local().get_linear_id()
            linear[m, k, 1] = h.get_physical_local().get_linear_id()
            linear[m, k, 2] = h.get_global().get_linear_id()
            linear[m, k, 3] = h.get_physical_local().get_range(0)
        g.parallel_for_work_item(flexible, loop)
    dims_of, flexible = tuple(range(dims)), sycl.range(*logical)
    launch(queue, groups, local, kernel)
    physical = local or logical
    whole = tuple(g * s for g, s in zip(groups, physical))
    for m, group in enumerate(np.ndindex(*groups)):
        for k, at in enumerate(np.ndindex(*logical)):
            inner = tuple(x % s for x, s in zip(at, physical))
            outer = tuple(g * s + x for g, s, x in zip(group, physical, inner))
            expected = [[at[d], at[d], logical[d], logical[d], inner[d], physical[d], outer[d],
                         whole[d], outer[d] * 1000 + whole[d], inner[d]] for d in range(dims)]
            assert expected == rows[m, k].reshape(dims, 10).tolist()
            assert [k, np.ravel_multi_index(inner, physical), np.ravel_multi_index(outer, whole),
                    physical[0]] == linear[m, k].tolist()


@pytest.mark.row("C-6")
def test_logical_ranges_differ_from_group_to_group(queue):
    out = np.zeros((5, 12), np.int32)

    def kernel(g):
        me = g[0]

        @g.parallel_for_work_item(sycl.range(me * 2 + 1))
        def loop(h):
            out[me, h.get_local_id(0)] += h.get_physical_local_id(0) + 1
    launch(queue, 5, 4, kernel)
    for g in range(5):
        size = g * 2 + 1
        assert [k % 4 + 1 if k < size else 0 for k in range(12)] == out[g].tolist()


@pytest.mark.row("C-7")
@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "float64"])
def test_private_memory_keeps_values_from_loop_to_loop(queue, dtype):
    out = np.zeros((3, 40), np.float64)

    def kernel(g):
        mine = sycl.private_memory(out_type, g)
        base = g[0] * 20
        g.parallel_for_work_item(lambda h: start(mine, h, base))

        def more(h):
            mine[h] += 1
            out[0, base + h.get_local_id(0)] = mine[h]
        g.parallel_for_work_item(more)
        g.parallel_for_work_item(lambda h: keep(mine, h, base))

        def logical(h):
            out[2, base + h.get_local_id(0)] = mine[h]
        g.parallel_for_work_item(sycl.range(15), logical)

    def start(mine, h, base):
        mine[h] = (base + h.get_local_id(0)) % 7

    def keep(mine, h, base):
        out[1, base + h.get_local_id(0)] = mine(h)
    out_type = np.dtype(dtype).type
    launch(queue, 2, 20, kernel)
    first = (np.arange(40) % 7).astype(dtype)
    first += np.array(1, dtype)
    assert first.astype(float).tolist() == out[0].tolist() == out[1].tolist()
    assert all(first[g * 20 + k] == out[2, g * 20 + k] for g in range(2) for k in range(15))


@pytest.mark.row("C-7", "C-6")
def test_logical_items_of_one_physical_item_share_its_memory(queue):
    out = np.zeros((2, 3, 2), np.int32)

    def kernel(g):
        mine = sycl.private_memory(np.int32, g)

        def zero(h):
            mine[h] = 0

        def count(h):
            mine[h] += 1

        def store(h):
            out[g[0], h.get_local_id(0), h.get_local_id(1)] = mine[h]
        g.parallel_for_work_item(zero)
        # one after another, so that no two logical items touch an element at once
        for k in range(4):
            if k < 3 + g[0]:
                g.parallel_for_work_item(count)
        g.parallel_for_work_item(store)
    launch(queue, (2, 1), (3, 2), kernel)
    assert [[[3, 3]] * 3, [[4, 4]] * 3] == out.tolist()


@pytest.mark.row("C-7")
def test_private_memory_of_vectors_and_records(queue):
    pair = np.dtype([("a", np.int32), ("b", np.float32)])
    out = np.zeros((8, 3), np.float32)

    def kernel(g):
        point, record = sycl.private_memory(sycl.float2, g), sycl.private_memory(pair, g)

        def fill(h):
            k = h.get_local_id(0)
            point[h] = sycl.float2(k, k + 0.5)
            record[h].a = k * 3
            record[h]["b"] = 0.25

        def store(h):
            k = h.get_local_id(0)
            out[k, 0] = point[h].x * 10 + point[h].y
            out[k, 1] = record[h].a
            out[k, 2] = record[h].b
        g.parallel_for_work_item(fill)
        g.parallel_for_work_item(store)
    launch(queue, 1, 8, kernel)
    assert [[k * 11 + 0.5, k * 3, 0.25] for k in range(8)] == out.tolist()


@pytest.mark.row("C-5", "C-1")
def test_local_accessors_serve_hierarchical_kernels(queue):
    out = np.zeros(16, np.int32)

    def group(h):
        tile = sycl.local_accessor(np.int32, 8, h)

        @h.parallel_for_work_group(2, 8)
        def kernel(g):
            def load(it):
                tile[it.get_local_id(0)] = it.get_global_id(0) * 2

            def store(it):
                out[it.get_global_id(0)] = tile[7 - it.get_local_id(0)]
            g.parallel_for_work_item(load)
            g.parallel_for_work_item(store)
    queue.submit(group).wait()
    assert [2 * (7 - k) for k in range(8)] + [2 * (15 - k) for k in range(8)] == out.tolist()
