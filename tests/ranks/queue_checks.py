"""What a queue over ranks has to do besides programs; run by threads and by processes of MPI."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.ranks import programs

x = sycl.ext.unisycl


def fill_ids(q, shape, kind=np.int64):
    """Return a buffer whose elements are their positions, written by all ranks."""
    u = x.distr_buffer(shape, kind)

    @q.submit
    def _(h):
        a = sycl.accessor(u, h, x.one_to_one, sycl.write_only, sycl.no_init)

        def ids(i: sycl.item):
            a[i] = i.get_linear_id() + 1000 * i.get_range(0)
        h.parallel_for(shape, ids)
    return u


def check_ids(q) -> None:
    """Ids, ranges and linear ids are those of the whole index space; so are those of groups."""
    for shape in ((1,), (5,), (64,), (7, 3), (3, 4, 5)):
        n = int(np.prod(shape))
        expected = np.arange(n).reshape(shape) + 1000 * shape[0]
        assert np.array_equal(q.gather(fill_ids(q, shape)), expected), shape
    told = x.distr_buffer((12, 4), np.int64)

    @q.submit
    def _(h):
        a = sycl.accessor(told, h, x.one_to_one, sycl.write_only, sycl.no_init)

        def groups(i):
            s = sycl.reduce_over_group(i.get_group(), i.get_local_linear_id(), sycl.plus)
            a[i.get_global_id(0), i.get_global_id(1)] = (
                i.get_group_linear_id() * 10000 + i.get_group_range(0) * 100 + s)
        h.parallel_for(sycl.nd_range((12, 4), (3, 2)), groups)
    found = q.gather(told)
    r, c = np.mgrid[:12, :4]
    assert np.array_equal(found, (r // 3 * 2 + c // 2) * 10000 + 4 * 100 + 15)


def check_mappers(q) -> None:
    """What is sent is what mappers say: nothing without need, halos, rows, a fixed box."""
    size, rows, m = q.size, 24, 6
    u = fill_ids(q, (rows, m))

    def use(mapper, shape=(rows, m)):
        v = x.distr_buffer(shape)

        def group(h):
            a = sycl.accessor(u, h, mapper, sycl.read_only)
            b = sycl.accessor(v, h, x.one_to_one, sycl.write_only, sycl.no_init)

            def one(i):
                b[i] = 1.0
            h.parallel_for(shape, one)
            return a.dtype.itemsize
        with q.recording() as seen:
            q.submit(lambda h: group(h) and None)
        return sum(seen.nbytes.values()) // 8, seen
    assert use(x.one_to_one)[0] == 0
    cells, seen = use(x.neighborhood(2, 0))
    assert cells == 2 * (size - 1) * 2 * m
    assert use(x.neighborhood(2, 1))[0] == 0  # it is there already
    if size > 1:
        assert "send" in {c.kind for c in seen.commands}
        assert "->" in seen.command_graph()
    assert "kernel 'one'" in seen.task_graph()
    u = fill_ids(q, (rows, m))
    assert use(x.fixed((1, 2), (2, 3)))[0] == (size - 1) * 6
    assert use(lambda part: (slice(0, 2), (0, m)))[0] == (size - 1) * (2 * m - 3)
    assert use(x.all)[0] == (size - 1) * (rows * m - 2 * m - 3)


def check_columns(q) -> None:
    """Parts that are no whole rows are packed: each rank writes its columns, then reads rows."""
    n = 20
    u, v = x.distr_buffer((9, n)), x.distr_buffer((9, n))

    def columns(part, shape):
        return (0, 9), (part.start[0], part.end[0])

    @q.submit
    def _(h):
        a = sycl.accessor(u, h, columns, sycl.write_only, sycl.no_init)

        def down(i):
            for k in range(9):
                a[k, int(i)] = k * 100.0 + int(i)
        h.parallel_for(n, down)

    @q.submit
    def _(h):
        a = sycl.accessor(u, h, x.one_to_one, sycl.read_only)
        b = sycl.accessor(v, h, x.one_to_one, sycl.write_only, sycl.no_init)

        def copy(i):
            b[i] = 2 * a[i]
        h.parallel_for((9, n), copy)
    r, c = np.mgrid[:9, :n]
    assert np.array_equal(q.gather(v), 2 * (r * 100.0 + c))
    assert np.array_equal(q.gather(u), r * 100.0 + c)


def check_reductions(q) -> None:
    """Reductions across ranks: with old values and without, sums, extremes, few items."""
    for n in (1, 5, 1000):
        total, top = x.distr_buffer(np.array([7], np.int64)), x.distr_buffer(1, np.int64)

        @q.submit
        def _(h):
            a = sycl.reduction(total, h, sycl.plus)
            b = sycl.reduction(top, h, sycl.maximum,
                               sycl.property.reduction.initialize_to_identity())

            def items(i, a, b):
                a += int(i)
                b.combine(3 * int(i))
            h.parallel_for(n, a, b, items)
        assert q.gather(total)[0] == 7 + n * (n - 1) // 2
        assert q.gather(top)[0] == 3 * (n - 1)


def check_host_tasks(q) -> None:
    """Host tasks on one rank, on all, over an index space, and on all together."""
    u = fill_ids(q, (10,))
    ran = []

    def on_one(h, where=None):
        a = sycl.accessor(u, h, x.all, sycl.read_only_host_task)

        def look():
            ran.append((q.rank, int(a[9])))
        h.host_task(look) if where is None else h.host_task(look, on=where)
    last = q.size - 1
    q.submit(on_one)
    q.submit(lambda h: on_one(h, x.on_rank(last)))
    q.submit(lambda h: on_one(h, x.all_ranks))
    q.wait()
    assert ran == [(q.rank, 10009)] * (1 + (q.rank == 0) + (q.rank == last))
    sums = []

    @q.submit
    def _(h):
        a = sycl.accessor(u, h, x.one_to_one, sycl.read_write_host_task)

        def together(p):
            a.part()[:] -= 10000
            sums.append(int(p.communicator.allreduce(np.array([a.part().sum()]))[0]))
            assert p.communicator.allgather(np.array([p.rank])).ravel().tolist() == list(
                range(p.size))
            assert a.part().size == p.extent[0]
        h.host_task((10,), together, on=x.collective)
    q.wait()
    assert sums == [45]
    assert q.gather(u).tolist() == list(range(10))

    @q.submit
    def _(h):
        a = sycl.accessor(u, h, x.one_to_one, sycl.write_only_host_task)
        h.host_task((10,), lambda p: a.part().__setitem__(slice(None), p.start[0]))
    found = q.gather(u, root=last)
    assert (found is not None) == (q.rank == last)
    if found is not None:
        assert found.tolist() == [r * 10 // q.size for r in range(q.size)
                                  for _ in range((r + 1) * 10 // q.size - r * 10 // q.size)]


def check_small_things(q) -> None:
    """Fills, single tasks, fences, and more commands than ranks may be ahead."""
    u = x.distr_buffer((6, 2))
    q.submit(lambda h: h.fill(sycl.accessor(u, h, sycl.write_only, sycl.no_init), 2.5))
    early = q.fence(u)

    @q.submit
    def _(h):
        a = sycl.accessor(u, h, x.all, sycl.read_write)

        def one():
            a[5, 1] = a[0, 0] + 1
        h.single_task(one)
    late = q.fence(u)
    assert (early.get() == 2.5).all()
    assert late.get()[5, 1] == 3.5
    assert late.is_ready()
    c = fill_ids(q, (16,))

    def add(h):
        a = sycl.accessor(c, h, x.one_to_one, sycl.read_write)

        def more(i):
            a[i] += 1
        h.parallel_for(16, more)
    for _ in range(300):
        q.submit(add)
    assert np.array_equal(q.gather(c), np.arange(16) + 16300)


def check_more_queues(q) -> None:
    """Two queues have buffers of their own, and share them; those without elements, too."""
    other = x.distr_queue(q.get_device(), link=q.origin)
    a, b = x.distr_buffer(np.arange(12)), x.distr_buffer(12 * np.arange(12))
    out = x.distr_buffer(12, np.int64)

    def add(queue, buffer):
        def group(h):
            u = sycl.accessor(buffer, h, x.one_to_one, sycl.read_write)

            def one_more(i):
                u[i] += 1
            h.parallel_for(12, one_more)
        queue.submit(group)
    add(q, a)
    add(other, b)

    @other.submit
    def _(h):
        u = sycl.accessor(a, h, x.one_to_one, sycl.read_only)
        v = sycl.accessor(b, h, lambda p: ((12 - p.end[0], 12 - p.start[0]),), sycl.read_only)
        w = sycl.accessor(out, h, x.one_to_one, sycl.write_only, sycl.no_init)

        def both(i):
            w[i] = u[i] + v[11 - int(i)]
        h.parallel_for(12, both)
    assert other.gather(out).tolist() == [r + 1 + 12 * (11 - r) + 1 for r in range(12)]
    last = q.size - 1
    found = q.gather(x.distr_buffer((0, 3)), root=last)
    assert found is None if q.rank != last else found.shape == (0, 3)


def check_splits(q) -> None:
    """Spaces cut along two dimensions: who has what, what borders are sent, ids and groups."""
    n, m = 24, 36
    u, v = x.distr_buffer(np.arange(n * m, dtype=np.int64).reshape(n, m)), x.distr_buffer(
        (n, m), np.int64)
    rows, columns = {1: (1, 1), 2: (1, 2), 3: (1, 3), 4: (2, 2), 6: (2, 3), 7: (1, 7)}[q.size]

    def around(source, target, cuts):
        def group(h):
            h.split(cuts)
            a = sycl.accessor(source, h, x.neighborhood(1, 1), sycl.read_only)
            b = sycl.accessor(target, h, x.one_to_one, sycl.write_only, sycl.no_init)

            def cross(it):
                r, c = it.get_global_id(0), it.get_global_id(1)
                b[r, c] = (a[max(r - 1, 0), c] + 2 * a[min(r + 1, n - 1), c]
                           + 3 * a[r, max(c - 1, 0)] + 4 * a[r, min(c + 1, m - 1)]) % 10007
            h.parallel_for(sycl.nd_range((n, m), (3, 2)), cross)
        return group

    def by_numpy(w):
        e = np.pad(w, 1, mode="edge")
        return (e[:-2, 1:-1] + 2 * e[2:, 1:-1] + 3 * e[1:-1, :-2] + 4 * e[1:-1, 2:]) % 10007
    q.submit(around(u, v, 2))
    with q.recording() as seen:
        q.submit(around(v, u, 2))
    border = 2 * ((rows - 1) * m + (columns - 1) * n + 2 * (rows - 1) * (columns - 1))
    assert sum(seen.nbytes.values()) == 8 * border
    assert len({c.what for c in seen.commands if c.kind == "execute"}) == rows * columns
    q.submit(around(u, v, 1))
    want = by_numpy(by_numpy(by_numpy(np.arange(n * m).reshape(n, m))))
    assert np.array_equal(q.gather(v), want)

    @q.submit
    def _(h):
        h.split(2)
        a = sycl.accessor(v, h, x.one_to_one, sycl.read_write_host_task)
        h.host_task((n, m), lambda p: a.part().__imul__(2))

    @q.submit
    def _(h):
        h.split(2)
        h.fill(sycl.accessor(u, h, sycl.write_only, sycl.no_init), 5)
    assert np.array_equal(q.gather(v), 2 * want)
    assert (q.gather(u) == 5).all()


def check_repeats(q) -> None:
    """A command that comes again is the same one but for what it captures and is given."""
    n = 48
    for space in ((n,), sycl.nd_range(n, 4)):
        u, v, w = fill_ids(q, (n,)), x.distr_buffer(n, np.int64), x.distr_buffer(n, np.int64)
        want = np.arange(n) + 1000 * n
        for k in range(14):
            factor = 3 if k < 8 else k

            @q.submit
            def _(h):
                a = sycl.accessor(u, h, x.neighborhood(1), sycl.read_only)
                b = sycl.accessor(v, h, x.one_to_one, sycl.write_only, sycl.no_init)

                def step(i):
                    at = i.get_global_id(0)
                    b[at] = (a[max(at - 1, 0)] * factor + a[at] + at * i.get_global_range(0)) % 997
                h.parallel_for(sycl.nd_range(n, 4), step) if isinstance(
                    space, sycl.nd_range) else h.parallel_for(space, items(a, b, factor))
            want = (np.concatenate([want[:1], want[:-1]]) * factor + want + np.arange(n) * n) % 997
            u, v = (v, u) if k != 5 else (v, w)  # another buffer in between
        assert np.array_equal(q.gather(u), want)


def items(a, b, factor):
    def step(i: sycl.item):
        at = i[0]
        b[i] = (a[max(at - 1, 0)] * factor + a[i] + at * i.get_range(0)) % 997
    return step


def check_refusals(q) -> None:
    """What is wrong is refused on every rank before anything is sent."""
    u, v = fill_ids(q, (8,)), x.distr_buffer(8)

    def group(mapper, mode, buffer=u):
        def submit(h):
            a = sycl.accessor(buffer, h, *mapper, mode)

            def touch(i):
                a[i] = 1
            h.parallel_for(8, touch)
        return submit
    cases = [(group((), sycl.read_write), "has no range mapper"),
             (group((x.slice(1),), sycl.read_write), "has no dimension 1"),
             (group((lambda p: 3,), sycl.read_write), "expected a slice"),
             (group((x.one_to_one, x.all), sycl.read_write), "more than one range mapper"),
             (lambda h: h.split(4), "cut along 1, 2 or 3 dimensions, got 4"),
             (lambda h: h.memcpy(1, 2), "not in command groups of a distr_queue"),
             (lambda h: h.parallel_for(sycl.nd_range(8, 3), lambda i: None), "nd_range|divide")]
    if q.size > 1:
        cases.append((group((x.all,), sycl.write_only),
                      r"ranks 0 and 1 would both write elements \[0:8\] of buffer"))
        cases.append((group((x.neighborhood(1),), sycl.read_write), "would both write"))
    for submit, text in cases:
        with pytest.raises(sycl.exception, match=text):
            q.submit(submit)
    with pytest.raises(sycl.exception, match="use queue.gather"):
        sycl.host_accessor(u)
    with pytest.raises(sycl.exception, match="command groups of a distr_queue"):
        sycl.queue(q.get_device()).submit(group((x.all,), sycl.read_only))
    with pytest.raises(sycl.exception, match="expected a distr_buffer"):
        q.gather(np.ones(3))
    assert np.array_equal(q.gather(u), np.arange(8) + 8000)  # it goes on
    del v


def check_programs(q) -> dict:
    """Return the results of programs, which every number of ranks has to give alike."""
    return {name: getattr(programs, name)(q)
            for name in ("heat", "nbody", "matmul", "flow", "conjugate_gradient")}


def check_all(q) -> dict:
    check_ids(q)
    check_mappers(q)
    check_columns(q)
    check_reductions(q)
    check_host_tasks(q)
    check_small_things(q)
    check_more_queues(q)
    check_splits(q)
    check_repeats(q)
    check_refusals(q)
    return check_programs(q)
