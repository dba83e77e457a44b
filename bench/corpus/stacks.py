"""Kernels with private arrays: stacks, the best of many, rows to sort, counts, matrices.

Written as a user of C++ or CUDA writes them first. ``quadtree/packet`` has one stack for a
sub-group, as ISPC's ray tracer has. Each stands in ``stacks.cl``, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from bench.corpus.frame import (
    ROUNDING32,
    SUMS32,
    Entry,
    Namespace,
    Nd,
    Operands,
    Step,
    inner,
    parallel,
    prange,
    show,
)
from bench.corpus.shading import plain

F, I, B = np.float32, np.int32, np.uint8


# quadtree: how many points of a tree of squares lie in a circle around each query

DEPTH, LEAF = 64, 8


@inner
def inside(points: Any, first: Any, size: Any, x: Any, y: Any, r: Any) -> Any:
    count = 0
    for k in range(first, first + size):
        px, py = points[k, 0] - x, points[k, 1] - y
        if px * px + py * py <= r * r:
            count += 1
    return count


@inner
def within(where: Any, child: Any, points: Any, x: Any, y: Any, r: Any, stack: Any) -> Any:
    count = 0
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        node = stack[top]
        dx = max(abs(x - where[node, 0]) - where[node, 2], F(0))
        dy = max(abs(y - where[node, 1]) - where[node, 2], F(0))
        if dx * dx + dy * dy <= r * r:
            first = child[node, 0]
            if child[node, 1] >= 0:
                count += inside(points, first, child[node, 1], x, y, r)
            else:
                for k in range(4):
                    stack[top] = first + k
                    top += 1
    return count


@sycl.kernel
def quadtree(i: Any, where: Any, child: Any, points: Any, at: Any, radius: Any, out: Any) -> None:
    q = i[0]
    out[q] = within(where, child, points, at[q, 0], at[q, 1], radius,
                    sycl.private_array(np.int32, DEPTH))


@sycl.kernel
def quadtree_packet(it: Any, where: Any, child: Any, points: Any, at: Any, r: Any, out: Any
                    ) -> None:
    q, sg = it.get_global_id(0), it.get_sub_group()
    x, y = at[q, 0], at[q, 1]
    stack = sycl.private_array(np.int32, DEPTH)
    count = 0
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        node = stack[top]
        dx = max(abs(x - where[node, 0]) - where[node, 2], F(0))
        dy = max(abs(y - where[node, 1]) - where[node, 2], F(0))
        if sycl.any_of_group(sg, dx * dx + dy * dy <= r * r):
            first = child[node, 0]
            if child[node, 1] >= 0:
                count += inside(points, first, child[node, 1], x, y, r)
            else:
                for k in range(4):
                    stack[top] = first + k
                    top += 1
    out[q] = count


@parallel
def nb_quadtree(where: Any, child: Any, points: Any, at: Any, radius: Any, out: Any) -> None:
    for q in prange(len(out)):
        stack = np.empty(DEPTH, I)
        out[q] = within(where, child, points, at[q, 0], at[q, 1], radius, stack)


def squares(points: Any) -> tuple[Any, Any, Any]:
    """Return the middles and half sides, the children or points, of a tree; and its points."""
    where, child = [[0.5, 0.5, 0.5]], [[0, 0]]
    order: list[int] = []
    waiting = [(0, np.arange(len(points)))]
    while waiting:
        node, members = waiting.pop()
        x, y, half = where[node]
        if len(members) <= LEAF or half < 1e-5:
            child[node] = [len(order), len(members)]
            order.extend(members)
            continue
        child[node] = [len(where), -1]
        part = (points[members, 0] > x) + 2 * (points[members, 1] > y)
        for k in range(4):
            waiting.append((len(where), members[part == k]))
            where.append([x + (half / 2 if k % 2 else -half / 2),
                          y + (half / 2 if k > 1 else -half / 2), half / 2])
            child.append([0, 0])
    return np.array(where, F), np.array(child, I), np.ascontiguousarray(points[order])


def make_quadtree(n: int) -> Operands:
    r = np.random.default_rng(1)
    where, child, points = squares(r.random((n, 2), dtype=F))
    at = r.random((n, 2), dtype=F)
    at = at[np.lexsort((at[:, 0], (at[:, 1] * 32).astype(int), (at[:, 0] * 32).astype(int)))]
    return Namespace(where=where, child=child, points=points, at=np.ascontiguousarray(at),
                     radius=F(1.2 / n ** 0.5), out=np.zeros(n, I), space=Nd((n,), (min(64, n),)))


def tree(d: Operands) -> tuple[Any, ...]:
    return d.where, d.child, d.points, d.at, d.radius, d.out


QUADTREE = Entry(
    "quadtree", make_quadtree, 1 << 14, 64,
    {"": lambda d: [Step(quadtree, len(d.out), *tree(d))],
     "packet": lambda d: [Step(quadtree_packet, d.space, *tree(d))]},
    plain(lambda d: nb_quadtree(*tree(d)), "out"), outliers=0.01,
    numba=lambda d: nb_quadtree(*tree(d)),
    opencl=lambda d: [Step("quadtree", len(d.out), *tree(d))])


# best: the eight greatest of each row of scores, and where they are, by insertion

BEST = 8


@inner
def greatest(scores: Any, q: Any, found: Any, where: Any) -> Any:
    for k in range(BEST):
        found[k], where[k] = F(-1), -1
    for j in range(scores.shape[1]):
        x = scores[q, j]
        if x > found[BEST - 1]:
            k = BEST - 1
            while k > 0 and found[k - 1] < x:
                found[k], where[k] = found[k - 1], where[k - 1]
                k -= 1
            found[k], where[k] = x, j


@sycl.kernel
def best(i: Any, scores: Any, out: Any, places: Any) -> None:
    found, where = sycl.private_array(np.float32, BEST), sycl.private_array(np.int32, BEST)
    greatest(scores, i[0], found, where)
    for k in range(BEST):
        out[i[0], k], places[i[0], k] = found[k], where[k]


@parallel
def nb_best(scores: Any, out: Any, places: Any) -> None:
    for q in prange(scores.shape[0]):
        greatest(scores, q, out[q], places[q])


def make_best(n: int) -> Operands:
    return Namespace(scores=np.random.default_rng(1).random((n, 128), dtype=F),
                     out=np.zeros((n, BEST), F), places=np.zeros((n, BEST), I))


def scored(d: Operands) -> tuple[Any, ...]:
    return d.scores, d.out, d.places


TOP = Entry("best", make_best, 1 << 13, 65,
            {"": lambda d: [Step(best, len(d.out), *scored(d))]},
            plain(lambda d: nb_best(*scored(d)), "places"),
            numba=lambda d: nb_best(*scored(d)), opencl=True)


# sort16: rows of sixteen numbers, by insertion in a private array


@inner
def ordered(row: Any) -> Any:
    for j in range(1, 16):
        x, k = row[j], j
        while k > 0 and row[k - 1] > x:
            row[k] = row[k - 1]
            k -= 1
        row[k] = x


@sycl.kernel
def sort16(i: Any, given: Any, out: Any) -> None:
    row = sycl.private_array(np.float32, 16)
    for k in range(16):
        row[k] = given[k, i]
    ordered(row)
    for k in range(16):
        out[k, i] = row[k]


@sycl.kernel
def network(i: Any, given: Any, out: Any) -> None:
    """Do the same by odd and even exchanges, whose places are alike for all items."""
    row = sycl.private_array(np.float32, 16)
    for k in range(16):
        row[k] = given[k, i]
    for turn in range(16):
        for k in range(turn % 2, 15, 2):
            low, high = min(row[k], row[k + 1]), max(row[k], row[k + 1])
            row[k], row[k + 1] = low, high
    for k in range(16):
        out[k, i] = row[k]


@parallel
def nb_sort16(given: Any, out: Any) -> None:
    for i in prange(given.shape[1]):
        row = np.empty(16, F)
        for k in range(16):
            row[k] = given[k, i]
        ordered(row)
        for k in range(16):
            out[k, i] = row[k]


def make_rows(n: int) -> Operands:
    return Namespace(given=np.random.default_rng(1).random((16, n), dtype=F),
                     out=np.zeros((16, n), F))


SORT16 = Entry("sort16", make_rows, 1 << 16, 65,
               {"": lambda d: [Step(sort16, d.out.shape[1], d.given, d.out)],
                "network": lambda d: [Step(network, d.out.shape[1], d.given, d.out)]},
               plain(lambda d: nb_sort16(d.given, d.out), "out"),
               numba=lambda d: nb_sort16(d.given, d.out),
               opencl=lambda d: [Step("sort16", d.out.shape[1], d.given, d.out, d.out.shape[1])])


# bins: how many of the bytes of each column lie in each of sixteen classes, as shares


@inner
def counted(data: Any, i: Any, bins: Any) -> Any:
    for k in range(16):
        bins[k] = 0
    for j in range(data.shape[0]):
        bins[data[j, i] >> 4] += 1


@sycl.kernel
def bins(i: Any, data: Any, out: Any) -> None:
    mine = sycl.private_array(np.int32, 16)
    counted(data, i[0], mine)
    for k in range(16):
        out[k, i[0]] = F(mine[k]) / F(data.shape[0])


@parallel
def nb_bins(data: Any, out: Any) -> None:
    for i in prange(data.shape[1]):
        mine = np.empty(16, I)
        counted(data, i, mine)
        for k in range(16):
            out[k, i] = F(mine[k]) / F(data.shape[0])


def make_bins(n: int) -> Operands:
    return Namespace(data=np.random.default_rng(1).integers(0, 256, (64, n)).astype(B),
                     out=np.zeros((16, n), F))


BINS = Entry("bins", make_bins, 1 << 15, 65,
             {"": lambda d: [Step(bins, d.out.shape[1], d.data, d.out)]},
             plain(lambda d: nb_bins(d.data, d.out), "out"), ROUNDING32, "a quotient",
             numba=lambda d: nb_bins(d.data, d.out),
             opencl=lambda d: [Step("bins", d.out.shape[1], d.data, d.out, *d.data.shape)])


# inverse: of 4 x 4 matrices, by elimination with a choice of pivots


@inner
def solved(m: Any, w: Any) -> Any:
    for c in range(4):
        pivot = c
        for r in range(c + 1, 4):
            if abs(m[r, c]) > abs(m[pivot, c]):
                pivot = r
        for k in range(4):
            m[c, k], m[pivot, k] = m[pivot, k], m[c, k]
            w[c, k], w[pivot, k] = w[pivot, k], w[c, k]
        scale = F(1) / m[c, c]
        for k in range(4):
            m[c, k] *= scale
            w[c, k] *= scale
        for r in range(4):
            if r != c:
                factor = m[r, c]
                for k in range(4):
                    m[r, k] -= factor * m[c, k]
                    w[r, k] -= factor * w[c, k]


@sycl.kernel
def inverse(i: Any, given: Any, out: Any) -> None:
    m, w = sycl.private_array(np.float32, (4, 4)), sycl.private_array(np.float32, (4, 4))
    for r in range(4):
        for c in range(4):
            m[r, c] = given[i[0], 4 * r + c]
            w[r, c] = F(1) if r == c else F(0)
    solved(m, w)
    for r in range(4):
        for c in range(4):
            out[i[0], 4 * r + c] = w[r, c]


@parallel
def nb_inverse(given: Any, out: Any) -> None:
    for i in prange(given.shape[0]):
        m = given[i].copy().reshape(4, 4)
        w = np.zeros((4, 4), F)
        for r in range(4):
            w[r, r] = F(1)
        solved(m, w)
        for k in range(16):
            out[i, k] = w[k // 4, k % 4]


def make_matrices(n: int) -> Operands:
    given = np.random.default_rng(1).random((n, 16), dtype=F) - F(0.5)
    given += 2 * np.eye(4, dtype=F)[np.random.default_rng(2).permutation(4)].ravel()
    return Namespace(given=given, out=np.zeros((n, 16), F))


INVERSE = Entry("inverse", make_matrices, 1 << 16, 65,
                {"": lambda d: [Step(inverse, len(d.out), d.given, d.out)]},
                plain(lambda d: nb_inverse(d.given, d.out), "out"), SUMS32,
                "elimination in another rounding", outliers=0.01,
                numba=lambda d: nb_inverse(d.given, d.out), opencl=True)


ENTRIES = (QUADTREE, TOP, SORT16, BINS, INVERSE)

if __name__ == "__main__":
    show(ENTRIES)
