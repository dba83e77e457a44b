"""Random programs of a queue over ranks: every number of ranks finds what NumPy does.

::

    python -m tests.ranks.random_programs [--count 50] [--seed 1] [--device cpu] [--most 5]

Each is a few commands drawn by a seed: stencils, transposes, columns, parts of buffers, writes
that keep what was there, reductions, host tasks, fills. All elements are whole numbers, so all
bits count. Non-goals: kernels' own arithmetic (``tests.property``).
"""

from __future__ import annotations

import argparse
import random

import numpy as np

import unisycl as sycl
from unisycl.oneapi import ccl

x = sycl.ext.unisycl
READ, BOTH, WRITE, NEW = sycl.read_only, sycl.read_write, sycl.write_only, sycl.no_init
SHAPES = {1: [(1,), (5,), (23,), (64,)], 2: [(1, 7), (6, 1), (11, 8), (8, 13)],
          3: [(2, 3, 4), (7, 2, 3)]}


class Cut:
    """A queue whose command groups are now and then cut along several dimensions."""

    def __init__(self, q, draw: random.Random) -> None:
        self.uncut, self._draw = q, draw

    def __getattr__(self, name: str):
        return getattr(self.uncut, name)

    def submit(self, group):
        cuts = self._draw.choice([0, 0, 1, 2, 2, 3])

        def cut(h):
            if cuts:
                h.split(cuts)
            group(h)
        return self.uncut.submit(cut)


class Program:
    """One drawn program: ``run`` carries it out on a queue, and by NumPy beside it."""

    def __init__(self, seed: int, **how: object) -> None:
        self.seed, self.how = seed, how

    def run(self, q) -> None:
        """Carry it out; raises where a gathered buffer is not what NumPy says."""
        self.draw = draw = random.Random(self.seed)
        self.q, self.said = Cut(q, random.Random(self.seed + 1)), []
        dims = draw.choice([1, 2, 2, 2, 3])
        self.shape = shape = draw.choice(SHAPES[dims])
        self.model = [np.arange(int(np.prod(shape))).reshape(shape) * (k + 1) % 97
                      for k in range(3)]
        self.buffers = [x.distr_buffer(m) for m in self.model]
        self.one = np.array([3])
        self.single = x.distr_buffer(self.one)
        ways = [stencil, stencil, in_place, some, everything, total, host, task, filled, corner,
                rows_of_it, halves]
        if dims == 2:
            ways += [columns, transposed, product, tiles]
        for _ in range(draw.randint(2, 12)):
            way = draw.choice(ways)
            self.said.append(way.__name__)
            way(self)
            if draw.random() < 0.25:
                self.compare(draw.randrange(3))
        for k in range(3):
            self.compare(k)
        assert q.gather(self.single)[0] == self.one[0], (self.seed, q.size, self.said)

    def compare(self, k: int) -> None:
        """Gather a buffer and compare it."""
        found = self.q.gather(self.buffers[k])
        assert np.array_equal(found, self.model[k]), (self.seed, self.q.size, k, self.said)

    def two(self) -> tuple[int, int]:
        """Return the numbers of two buffers."""
        a, b = self.draw.sample(range(3), 2)
        return a, b

    def space(self):
        """Return the whole space, or the same cut into groups."""
        if self.draw.random() < 0.5:
            return self.shape
        local = tuple(self.draw.choice([d for d in range(1, n + 1) if n % d == 0])
                      for n in self.shape)
        return sycl.nd_range(self.shape, local)


def stencil(p: Program) -> None:
    """Each element becomes a sum of those around it in another buffer."""
    a, b = p.two()
    reach = [p.draw.randint(0, 3) for _ in p.shape]
    keeps, dims, last = p.draw.random() < 0.3, len(p.shape), [n - 1 for n in p.shape]
    space = p.space()
    at = of_item if isinstance(space, sycl.nd_range) else of_id
    r0, r1, r2 = (*reach, 0, 0)[:3]
    n0, n1, n2 = (*last, 0, 0)[:3]

    @p.q.submit
    def _(h):
        u = sycl.accessor(p.buffers[a], h, x.neighborhood(*reach), READ)
        v = sycl.accessor(p.buffers[b], h, x.one_to_one, WRITE, *(() if keeps else (NEW,)))

        def line(i):
            k = at(i, 0)
            v[k] = u[max(k - r0, 0)] + 2 * u[min(k + r0, n0)] + 1

        def plane(i):
            j, k = at(i, 0), at(i, 1)
            v[j, k] = u[max(j - r0, 0), min(k + r1, n1)] + 2 * u[min(j + r0, n0), max(k - r1, 0)]

        def room(i):
            j, k, m = at(i, 0), at(i, 1), at(i, 2)
            v[j, k, m] = u[max(j - r0, 0), min(k + r1, n1), m] + 2 * u[
                min(j + r0, n0), k, max(m - r2, 0)]
        h.parallel_for(space, (line, plane, room)[dims - 1])
    ids = np.indices(p.shape)
    m = p.model[a]
    low = [np.maximum(ids[d] - reach[d], 0) for d in range(dims)]
    high = [np.minimum(ids[d] + reach[d], last[d]) for d in range(dims)]
    p.model[b] = (m[low[0]] + 2 * m[high[0]] + 1 if dims == 1 else
                  m[low[0], high[1]] + 2 * m[high[0], low[1]] if dims == 2 else
                  m[low[0], high[1], ids[2]] + 2 * m[high[0], ids[1], low[2]]) % 1000003
    wrap(p, b)


def of_id(i, d):
    return i[d]


def of_item(i, d):
    return i.get_global_id(d)


def in_line(k):
    return (k,)


def in_plane(k):
    return k, 0


def in_room(k):
    return k, 0, 0


PLACES = {1: in_line, 2: in_plane, 3: in_room}


def wrap(p: Program, b: int) -> None:
    """Keep numbers small."""
    @p.q.submit
    def _(h):
        v = sycl.accessor(p.buffers[b], h, x.one_to_one, BOTH)

        def small(i):
            v[i] = v[i] % 1000003
        h.parallel_for(p.shape, small)


def in_place(p: Program) -> None:
    """Elements of a part of a buffer change."""
    a, c = p.draw.randrange(3), p.draw.randint(1, 9)
    part = tuple(p.draw.randint(1, n) for n in p.shape)

    @p.q.submit
    def _(h):
        v = sycl.accessor(p.buffers[a], h, x.one_to_one, BOTH)

        def change(i):
            v[i] = (v[i] * 3 + c) % 1000003
        h.parallel_for(part, change)
    box = tuple(slice(0, n) for n in part)
    p.model[a][box] = (p.model[a][box] * 3 + c) % 1000003


def some(p: Program) -> None:
    """Some elements are written, the others stay."""
    a, c = p.draw.randrange(3), p.draw.randint(1, 9)

    @p.q.submit
    def _(h):
        v = sycl.accessor(p.buffers[a], h, x.one_to_one, WRITE)

        def odd(i):
            if i[0] % 2 == 1:
                v[i] = c
        h.parallel_for(p.shape, odd)
    p.model[a][1::2] = c


def everything(p: Program) -> None:
    """All elements are read by each work-item."""
    a, b = p.two()
    n = p.shape[0]
    where, at = (0,) * (len(p.shape) - 1), PLACES[len(p.shape)]

    @p.q.submit
    def _(h):
        u = sycl.accessor(p.buffers[a], h, x.all, READ)
        v = sycl.accessor(p.buffers[b], h, x.one_to_one, BOTH)

        def add(i):
            t = 0
            for k in range(n):
                t += u[at(k)]
            v[i] = (v[i] + t) % 1000003
        h.parallel_for(p.shape, add)
    p.model[b] = (p.model[b] + p.model[a][(slice(None), *where)].sum()) % 1000003


def total(p: Program) -> None:
    """A sum or the largest of a buffer, with the value before or without it."""
    a, fresh = p.draw.randrange(3), p.draw.random() < 0.5
    top = p.draw.random() < 0.5
    how = (sycl.property.reduction.initialize_to_identity(),) if fresh else ()

    @p.q.submit
    def _(h):
        u = sycl.accessor(p.buffers[a], h, x.one_to_one, READ)
        r = sycl.reduction(p.single, h, sycl.maximum if top else sycl.plus, *how)

        def add(i, r):
            r.combine(u[i])
        h.parallel_for(p.shape, r, add)
    m = p.model[a]
    found = int(m.max() if top else m.sum())
    p.one[0] = found if fresh else max(found, p.one[0]) if top else found + p.one[0]


def host(p: Program) -> None:
    """A host task changes parts, on all ranks, alone or together."""
    a, together = p.draw.randrange(3), p.draw.random() < 0.5

    @p.q.submit
    def _(h):
        v = sycl.accessor(p.buffers[a], h, x.one_to_one, sycl.read_write_host_task)

        def add(part):
            v.part()[...] += 5
            if together:
                part.communicator.barrier()
        h.host_task(p.shape, add, on=x.collective if together else None)
    p.model[a] += 5


def task(p: Program) -> None:
    """One work-item, or one rank's host task, changes an element that depends on others."""
    a, b = p.two()
    rank = p.draw.randrange(100)
    first, last = (0,) * len(p.shape), tuple(n - 1 for n in p.shape)
    by_kernel = p.draw.random() < 0.5

    @p.q.submit
    def _(h):
        way = () if by_kernel else (sycl.read_only_host_task,)
        u = sycl.accessor(p.buffers[a], h, x.fixed(last, (1,) * len(last)), *(way or (READ,)))
        v = sycl.accessor(p.buffers[b], h, x.fixed(first, (1,) * len(last)),
                          BOTH if by_kernel else sycl.read_write_host_task)

        def one():
            v[first] = v[first] + u[last]
        if by_kernel:
            h.single_task(one)
        else:
            h.host_task(one, on=x.on_rank(rank % p.q.size))
    p.model[b][first] += p.model[a][last]


def filled(p: Program) -> None:
    a, c = p.draw.randrange(3), p.draw.randint(0, 9)
    p.q.submit(lambda h: h.fill(sycl.accessor(p.buffers[a], h, WRITE, NEW), c))
    p.model[a] = np.full(p.shape, c)


def corner(p: Program) -> None:
    """Some rows are written from a fixed box of the same buffer."""
    a, n = p.draw.randrange(3), p.shape[0]
    if n < 2:
        return
    rest = p.shape[1:]

    def below(part, shape):
        return (part.start[0] + 1, part.end[0] + 1), *((0, k) for k in shape[1:])
    zeros, at = (0,) * len(rest), PLACES[len(p.shape)]

    @p.q.submit
    def _(h):
        u = sycl.accessor(p.buffers[a], h, x.fixed((0,) * len(p.shape), (1, *rest)), READ)
        v = sycl.accessor(p.buffers[a], h, below, BOTH)

        def copy(i):
            v[at(int(i) + 1)] = u[at(0)] + int(i)
        h.parallel_for(n - 1, copy)
    p.model[a][(slice(1, None), *zeros)] = p.model[a][(0, *zeros)] + np.arange(n - 1)


def rows_of_it(p: Program) -> None:
    """A space of another size, of which each part has its share of the rows."""
    a, items = p.draw.randrange(3), p.draw.randint(1, 9)
    n = p.shape[0]
    zeros, at = (0,) * (len(p.shape) - 1), PLACES[len(p.shape)]

    @p.q.submit
    def _(h):
        v = sycl.accessor(p.buffers[a], h, x.even_split(), BOTH)

        def share(i):
            for k in range(int(i) * n // items, (int(i) + 1) * n // items):
                v[at(k)] += k
        h.parallel_for(items, share)
    p.model[a][(slice(None), *zeros)] += np.arange(n)


def halves(p: Program) -> None:
    """A buffer that nobody has written, written by two commands, each a half, then read."""
    a, n = p.draw.randrange(3), p.shape[0]
    cut = p.draw.randint(0, n)
    u = x.distr_buffer(p.shape, np.int64)
    for low, high in ((0, cut), (cut, n)):
        if low == high:
            continue

        def moved(part, shape, low=low):
            return (part.start[0] + low, part.end[0] + low), *((0, k) for k in shape[1:])

        def group(h, low=low, high=high, moved=moved):
            v = sycl.accessor(u, h, moved, WRITE, NEW)

            def put(i):
                if len(p.shape) == 1:
                    v[i[0] + low] = i[0]
                elif len(p.shape) == 2:
                    v[i[0] + low, i[1]] = i[0]
                else:
                    v[i[0] + low, i[1], i[2]] = i[0]
            h.parallel_for((high - low, *p.shape[1:]), put)
        p.q.uncut.submit(group)  # its mapper is for whole rows
    p.buffers[a] = u
    rows = np.concatenate([np.arange(cut), np.arange(n - cut)])
    p.model[a] = np.broadcast_to(rows.reshape(-1, *(1 for _ in p.shape[1:])), p.shape).copy()


def columns(p: Program) -> None:
    """Each work-item writes a column; a part is no whole rows."""
    a, b = p.two()
    n, m = p.shape

    def own(part, shape):
        return (0, shape[0]), (part.start[0], part.end[0])

    @p.q.submit
    def _(h):
        u = sycl.accessor(p.buffers[a], h, own, READ)
        v = sycl.accessor(p.buffers[b], h, own, WRITE, NEW)

        def down(i):
            c, t = int(i), 0
            for k in range(n):
                t = (t + u[k, c]) % 1000003
                v[k, c] = t
        h.parallel_for(m, down)
    p.model[b] = np.cumsum(p.model[a], 0) % 1000003


def transposed(p: Program) -> None:
    a = p.draw.randrange(3)
    n, m = p.shape
    t, back = x.distr_buffer((m, n), np.int64), x.distr_buffer((n, m), np.int64)

    def turned(part, shape):
        return (part.start[1], part.end[1]), (part.start[0], part.end[0])

    def group(source, target, space):
        @p.q.submit
        def _(h):
            u = sycl.accessor(source, h, x.one_to_one, READ)
            v = sycl.accessor(target, h, turned, WRITE, NEW)

            def turn(i):
                v[i[1], i[0]] = u[i[0], i[1]] + 1
            h.parallel_for(space, turn)
    group(p.buffers[a], t, (n, m))
    if p.draw.random() < 0.5:
        assert np.array_equal(p.q.gather(t), p.model[a].T + 1), (p.seed, p.said)
    group(t, back, (m, n))
    p.buffers[a], p.model[a] = back, p.model[a] + 2


def product(p: Program) -> None:
    """Rows of one buffer, columns of another (both along the longest that both have)."""
    a, b = p.two()
    n, m = p.shape
    k = min(n, m)
    out = x.distr_buffer((n, m), np.int64)

    @p.q.submit
    def _(h):
        u = sycl.accessor(p.buffers[a], h, x.slice(1), READ)
        w = sycl.accessor(p.buffers[b], h, x.slice(0), READ)
        v = sycl.accessor(out, h, x.one_to_one, WRITE, NEW)

        def sums(i):
            t = 0
            for s in range(k):
                t += u[i[0], s] * w[s, i[1]]
            v[i] = t % 1000003
        h.parallel_for((n, m), sums)
    p.model[a] = p.model[a][:, :k] @ p.model[b][:k] % 1000003
    p.buffers[a] = out


def tiles(p: Program) -> None:
    """A box in the midst of a buffer changes, read through all of another one."""
    a, b = p.two()
    low = [p.draw.randrange(n) for n in p.shape]
    size = tuple(p.draw.randint(1, n - k) for n, k in zip(p.shape, low))
    r0, c0 = low

    def moved(part, shape):
        return tuple((s + k, e + k) for s, e, k in zip(part.start, part.end, low))

    @p.q.submit
    def _(h):
        u = sycl.accessor(p.buffers[a], h, moved, READ)
        v = sycl.accessor(p.buffers[b], h, moved, BOTH)

        def add(i):
            v[i[0] + r0, i[1] + c0] = (v[i[0] + r0, i[1] + c0] + u[i[0] + r0, i[1] + c0]) % 1000003
        h.parallel_for(size, add)
    box = tuple(slice(k, k + n) for k, n in zip(low, size))
    p.model[b][box] = (p.model[b][box] + p.model[a][box]) % 1000003


def check(seed: int, size: int, device: object, **how: object) -> None:
    """Run the program of a seed on so many ranks."""
    def rank(comm) -> None:
        q = x.distr_queue(device, **how)
        Program(seed).run(q)
        q.close()
    ccl.run_threads(size, rank, limit=120)


def main() -> None:
    """Run many."""
    words = argparse.ArgumentParser()
    for name, default in (("--count", 50), ("--seed", 1), ("--most", 5)):
        words.add_argument(name, type=int, default=default)
    words.add_argument("--device", default="cpu")
    given = words.parse_args()
    for seed in range(given.seed, given.seed + given.count):
        for size in {1, 2 + seed % (given.most - 1), given.most}:
            check(seed, size, given.device, debug=seed % 3 == 0)
        print(seed, flush=True)


if __name__ == "__main__":
    main()
