"""Work-groups of several sizes in one launch, on request (OpenCL 3.0 §3.2.1)."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import unisycl as sycl

uneven = sycl.ext.unisycl.non_uniform_nd_range
x = sycl.ext.oneapi.experimental
pytestmark = pytest.mark.row("E-20")
SPACES = [((10,), (4,), (0,)), ((3,), (8,), (0,)), ((67,), (16,), (5,)), ((9, 10), (4, 4), (0, 0)),
          ((8, 10), (4, 4), (2, 1)), ((5, 7, 9), (2, 4, 4), (0, 0, 0)),
          ((4, 3, 2), (2, 3, 2), (0, 0, 0))]


def groups_of(whole: tuple[int, ...], local: tuple[int, ...]) -> list[tuple[Any, ...]]:
    """Return for every work-group its id, its first item, and its size."""
    return [(at, tuple(a * s for a, s in zip(at, local, strict=True)),
             tuple(min(s, g - a * s) for a, s, g in zip(at, local, whole, strict=True)))
            for at in np.ndindex(*(-(-g // s) for g, s in zip(whole, local, strict=True)))]


@pytest.mark.parametrize(("whole", "local", "offset"), SPACES, ids=lambda v: "x".join(map(str, v)))
def test_every_item_knows_its_group_and_the_whole(queue: sycl.queue, whole: tuple[int, ...],
                                                  local: tuple[int, ...],
                                                  offset: tuple[int, ...]) -> None:
    ndim, dims = len(whole), tuple(range(len(whole)))
    seen = np.full((int(np.prod(whole)), 6 * ndim + 6), -1, np.int64)

    def look(it, out, n):
        me = it.get_global_linear_id()
        for d in dims:
            out[me, d] = it.get_global_id(d)
            out[me, n + d] = it.get_local_id(d)
            out[me, 2 * n + d] = it.get_local_range(d)
            out[me, 3 * n + d] = it.get_group(d)
            out[me, 4 * n + d] = it.get_group_range(d)
            out[me, 5 * n + d] = it.get_global_range(d)
        out[me, 6 * n] = it.get_group_linear_id()
        out[me, 6 * n + 1] = it.get_local_linear_id()
        out[me, 6 * n + 2] = it.get_group().get_local_linear_range()
        out[me, 6 * n + 3] = it.get_group().get_group_linear_range()
        out[me, 6 * n + 4] = it.get_offset()[0]
        out[me, 6 * n + 5] = sycl.reduce_over_group(it.get_sub_group(), np.int64(1), sycl.plus())

    queue.parallel_for(uneven(whole, local, offset), look, seen, ndim).wait()
    counts = tuple(-(-g // s) for g, s in zip(whole, local, strict=True))
    sizes = set()
    for at, start, size in groups_of(whole, local):
        sizes.add(size)
        lanes = 0
        for mine in np.ndindex(*size):
            place = tuple(a + b for a, b in zip(start, mine, strict=True))
            row = seen[np.ravel_multi_index(place, whole)]
            moved = tuple(a + b for a, b in zip(place, offset, strict=True))
            assert row[:-1].tolist() == [
                *moved, *mine, *size, *at, *counts, *whole, np.ravel_multi_index(at, counts),
                np.ravel_multi_index(mine, size), np.prod(size), np.prod(counts), offset[0]]
            lanes += 1 / row[-1]
        assert lanes == pytest.approx(round(lanes))  # sub-groups have the items they say they have
    assert len(sizes) == np.prod([1 + bool(g % s and g > s) for g, s in
                                  zip(whole, local, strict=True)])
    assert uneven(whole, local).get_group_range() == sycl.range(*counts)


@pytest.mark.parametrize("items", [1, 6, 37, 64, 100])
def test_barriers_and_local_memory_in_the_remainder(queue: sycl.queue, items: int) -> None:
    given = np.arange(items, dtype=np.int32)
    with sycl.buffer(given) as data:
        def turn(h: sycl.handler) -> None:
            acc = sycl.accessor(data, h, sycl.read_write)
            tile = sycl.local_accessor(np.int32, 16, h)

            def reverse(it):
                mine, n = it.get_local_id(0), it.get_local_range(0)
                tile[mine] = acc[it.get_global_id(0)]
                sycl.group_barrier(it.get_group())
                acc[it.get_global_id(0)] = tile[n - 1 - mine]

            h.parallel_for(uneven(items, 16), reverse)
        queue.submit(turn)
    wanted = np.concatenate([np.arange(k, min(k + 16, items))[::-1] for k in range(0, items, 16)])
    assert given.tolist() == wanted.tolist()


def test_group_functions_in_the_remainder(queue: sycl.queue) -> None:
    got = np.zeros((43, 5), np.int64)

    def fold(it, out):
        g, sg, me = it.get_group(), it.get_sub_group(), it.get_global_id(0)
        value = np.int64(me * me - 11 * me)
        out[me, 0] = sycl.reduce_over_group(g, value, sycl.minimum())
        out[me, 1] = sycl.exclusive_scan_over_group(g, value, sycl.plus())
        out[me, 2] = sycl.group_broadcast(g, value, it.get_local_range(0) - 1)
        out[me, 3] = sycl.any_of_group(g, me == 42)
        out[me, 4] = sycl.shift_group_left(sg, value, 1)
        if sg.get_local_linear_id() == sg.get_local_linear_range() - 1:
            out[me, 4] = 0

    queue.parallel_for(uneven(43, 12), fold, got).wait()
    values = np.arange(43) ** 2 - 11 * np.arange(43)
    for start in range(0, 43, 12):
        part = slice(start, min(start + 12, 43))
        mine = values[part]
        assert (got[part, 0] == mine.min()).all()
        assert got[part, 1].tolist() == [0, *np.cumsum(mine)[:-1]]
        assert (got[part, 2] == mine[-1]).all()
        assert (got[part, 3] == (start == 36)).all()
    assert all(a in (0, b) for a, b in zip(got[:-1, 4], values[1:], strict=True))


@pytest.mark.parametrize("fresh", [False, True])
def test_reductions_count_every_item_once(queue: sycl.queue, fresh: bool) -> None:
    total = sycl.malloc_shared(1, np.int64, queue)
    total[0] = 1000
    given = [sycl.property.reduction.initialize_to_identity()] if fresh else []
    queue.parallel_for(uneven((9, 10), (4, 4)), sycl.reduction(total, sycl.plus(), *given),
                       lambda it, r: r.combine(it.get_global_linear_id())).wait()
    assert total[0] == sum(range(90)) + (0 if fresh else 1000)
    sycl.free(total, queue)


def test_bound_and_recorded_launches_run_all_parts(queue: sycl.queue) -> None:
    hits = sycl.malloc_shared(23, np.int32, queue)
    hits[:] = 0

    def hit(it, p):
        p[it.get_global_id(0)] += it.get_local_range(0)

    bound = queue.bind(uneven(10, 4), hit, hits)
    for _ in range(3):
        bound().wait()
    assert hits[:12].tolist() == [12] * 8 + [6] * 2 + [0] * 2
    hits[:] = 0
    graph = x.command_graph(queue)
    node = graph.add(lambda h: h.parallel_for(uneven(10, 4), hit, hits))
    made = graph.finalize(sycl.property.graph.updatable())
    for _ in range(2):
        queue.ext_oneapi_graph(made).wait()
    assert hits[:12].tolist() == [8] * 8 + [4] * 2 + [0] * 2
    hits[:] = 0
    node.update_nd_range(uneven(23, 16))
    made.update(node)
    queue.ext_oneapi_graph(made).wait()
    assert hits[:23].tolist() == [16] * 16 + [7] * 7
    sycl.free(hits, queue)


def test_parts_run_after_what_they_depend_on_and_before_what_depends_on_them(
        queue: sycl.queue) -> None:
    data = sycl.malloc_shared(1003, np.int64, queue)
    first = queue.parallel_for(1003, number, data)
    second = queue.parallel_for(uneven(1003, 64), first, twice, data)
    queue.parallel_for(1003, second, increase, data).wait()
    assert np.array_equal(data[:1003], 2 * np.arange(1003) + 1)
    sycl.free(data, queue)


def number(i, p):
    p[i] = i


def increase(i, p):
    p[i] += 1


def twice(it, p):
    p[it.get_global_id(0)] *= 2


def test_the_required_size_is_the_one_asked_for(queue: sycl.queue) -> None:
    data = np.ones(10, np.int64)
    queue.parallel_for(uneven(10, 4), sycl.kernel(reqd_work_group_size=(4,))(twice), data).wait()
    assert data.tolist() == [2] * 10
    with pytest.raises(sycl.exception) as caught:
        queue.parallel_for(uneven(10, 5), sycl.kernel(reqd_work_group_size=(4,))(twice), data)
    assert caught.value.code() == sycl.errc.nd_range


def test_an_nd_range_stays_uniform_and_other_spaces_are_refused(queue: sycl.queue) -> None:
    with pytest.raises(sycl.exception, match="not a multiple of the local size 4") as caught:
        sycl.nd_range((10,), (4,))
    assert caught.value.code() == sycl.errc.nd_range
    with pytest.raises(sycl.exception, match="must be positive"):
        uneven(10, 0)
    assert uneven(12, 4) == sycl.nd_range(12, 4)
    data = np.ones(10, np.int64)
    most = queue.get_device().get_info(sycl.info.device.max_work_group_size)
    with pytest.raises(sycl.exception) as caught:
        queue.parallel_for(uneven(10, 2 * most), twice, data)
    assert caught.value.code() == sycl.errc.nd_range
    queue.parallel_for(uneven(0, 4), twice, data).wait()
    assert data.tolist() == [1] * 10


def test_groups_of_several_sizes_do_not_run_together(queue: sycl.queue) -> None:
    def meet(it, p):
        sycl.group_barrier(it.ext_oneapi_get_root_group())
        p[it.get_global_id(0)] += 1

    kernel = sycl.kernel(properties=x.properties(x.use_root_sync))(meet)
    data = np.ones(3, np.int64)
    with pytest.raises(sycl.exception) as caught:
        queue.parallel_for(uneven(3, 2), kernel, data)
    assert caught.value.code() in (sycl.errc.nd_range, sycl.errc.feature_not_supported)


def test_groups_of_a_uniform_launch_are_not_cut(queue: sycl.queue) -> None:
    """The same code and launch as before: nothing is added to a space that divides."""
    for whole, local in itertools.product((4, 8), (2, 4)):
        data = np.ones(whole, np.int64)
        queue.parallel_for(uneven(whole, local), twice, data).wait()
        assert data.tolist() == [2] * whole


@pytest.mark.parametrize(("whole", "local", "offset"), SPACES[2:4], ids=["67", "9x10"])
def test_the_largest_group_and_the_nd_range_are_those_of_the_launch(
        queue: sycl.queue, whole: tuple[int, ...], local: tuple[int, ...],
        offset: tuple[int, ...]) -> None:
    seen = np.zeros((int(np.prod(whole)), 3 * len(whole)), np.int64)
    dims = tuple(range(len(whole)))

    def look(it, out):
        me = it.get_global_linear_id()
        for d in dims:
            out[me, 3 * d] = it.get_group().get_max_local_range()[d]
            out[me, 3 * d + 1] = it.get_nd_range().get_local_range()[d]
            out[me, 3 * d + 2] = it.get_group().get_local_range()[d]
    queue.parallel_for(uneven(whole, local, offset), look, seen).wait()
    assert (seen[:, 0::3] == local).all()
    assert (seen[:, 1::3] == local).all()
    assert {s for _, _, s in groups_of(whole, local)} == set(map(tuple, seen[:, 2::3].tolist()))
