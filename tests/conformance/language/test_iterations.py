"""``sorted``, ``itertools``, getters, methods of tuples, the best of tuples: Python's results."""

from __future__ import annotations

import itertools
import math
import operator
from typing import NamedTuple

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree, ints

pytestmark = pytest.mark.row("D-11")
N = 11
K = (np.arange(N) * 31 % 17 - 8).astype(np.int32)
X = ((np.arange(N) * 7919 % 23 - 11) / 4).astype(np.float32)
second = operator.itemgetter(1)
ends = operator.itemgetter(0, -1)


class Point(NamedTuple):
    x: float
    y: float


height = operator.attrgetter("y")


def test_values_are_put_in_order(queue):
    def build(k, x, out):
        def kernel(i):
            row = sorted([x[(i + j) % N] for j in range(5)])
            for j in range(5):
                out[i, j] = row[j]
            out[i, 5] = sorted((k[i], 3, -2), reverse=True)[1]
            first, *_ = sorted(((k[(i + j) % N] % 3, j) for j in range(4)), key=second)
            out[i, 6] = first[0] * 10 + first[1]
            down = sorted(((k[(i + j) % N] % 3, j) for j in range(4)), key=lambda p: p[0],
                          reverse=True)  # equal ones stay in their order
            out[i, 7] = sum(p[1] * 10 ** n for n, p in enumerate(down))
            out[i, 8] = sorted((("b", 1), ("a", 2), ("b", 0)))[1][1] + len(sorted(()))
            out[i, 9] = sorted((x[i], 1, -2), key=abs)[1]
        return kernel
    agree(queue, build, N, k=K, x=X, out=np.zeros((N, 10)))


def test_the_best_of_tuples(queue):
    def build(k, x, out):
        def kernel(i):
            best = (0, -1)
            for j in range(i):
                best = max(best, (k[j] % 5, j))
            out[i, 0] = best[1]
            value, at = min((x[j], j) for j in range(i, N))
            out[i, 1] = value + at
            out[i, 2] = max(((k[j], j) for j in range(i)), default=(7, 8))[1]
            out[i, 3] = min((Point(x[j], k[j]) for j in range(i, N)), key=height).x
            out[i, 4] = max(((1, k[i]), (2, 0), (0, 9)), key=second)[0]
            low, high = ((k[i], 1), 2), ((3, 4), k[i])
            (a, b), c = low if x[i] > 0 else high
            out[i, 5] = a * 100 + b * 10 + c
        return kernel
    agree(queue, build, N, k=K, x=X, out=np.zeros((N, 6)))


def test_loops_of_itertools(queue):
    def build(k, out):
        def kernel(i):
            n = abs(k[i]) % 4
            total = 0
            for a, b in itertools.product(range(n), range(1, 4)):
                n = 1  # what is gone over was evaluated before
                if b == 2:
                    continue
                total += a * 10 + b
                if total > 25:
                    break
            else:
                total += 1000
            out[i, 0] = total
            out[i, 1] = sum(a * 100 + b * 10 + c
                            for a, b, c in itertools.combinations(range(i % 5), 3))
            for m in itertools.count(2, 3):
                if m > i:
                    break
            out[i, 2] = m
            for step in itertools.product((-1, 0, 1), repeat=2):
                if step == (0, k[i] % 2):
                    break
                out[i, 3] += step[0] * 3 + step[1] + 10
            out[i, 4] = sum(p[0] * 4 + p[2] for p in itertools.permutations((1, 2, k[i])))
            out[i, 5] = sum(a * b for a, b in itertools.pairwise((1, k[i], 3, 5)))
            out[i, 6] = sum(itertools.accumulate((1, k[i], 3), operator.mul, initial=2))
            for m, c in enumerate(itertools.chain((1, k[i]), range(3)), 1):
                out[i, 7] += m * c
            for a, b in itertools.zip_longest((1, 2, 3), (k[i],), fillvalue=5):
                out[i, 8] = out[i, 8] * 7 + a * b
            out[i, 9] = sum(itertools.islice((1, 2, k[i], 4, 5), 1, 4)) + sum(
                itertools.starmap(operator.sub, ((1, k[i]), (4, 2))))
            out[i, 10] = sum(v for v in itertools.repeat(k[i], 3)) + sum(
                itertools.compress((1, k[i], 3), (1, 0, 1)))
            for m, c in zip((1, 2), (k[i], 4), strict=True):
                out[i, 11] += m * c
        return kernel
    agree(queue, build, N, k=K, out=ints(N, 12))


def test_getters_and_methods_of_tuples(queue):
    def build(k, x, out):
        def kernel(i):
            a, b = ends((k[i], 5, 7))
            out[i, 0] = second((1, k[i])) + a + b + operator.itemgetter(k[i] % 2)((1, k[i]))
            out[i, 1] = height(Point(1, x[i])) + operator.attrgetter("x")(Point(x[i], 1))
            row = (k[i], 3, k[i] + 1, 3)
            out[i, 2] = row.index(3) * 10 + row.count(3) + row.index(k[i] + 1)
            out[i, 3] = (1, 5, 3).index(3) + ("a", "b").index("b") + (1, 1).count(1)
            out[i, 4] = math.dist((x[i], 1.0), (2.0, x[i])) == math.hypot(x[i] - 2.0, 1.0 - x[i])
            out[i, 5] = math.hypot(3.0 * x[i], 4.0 * x[i], 0.0) == 5.0 * abs(x[i])
            out[i, 6] = math.ulp(x[i]) + math.ulp(float(k[i] << 40))
        return kernel
    with sycl.testing.refused(queue.get_device(), sycl.aspect.fp64):
        agree(queue, build, N, k=K, x=X, out=np.zeros((N, 7)))


def test_what_is_not_there_is_told(queue):
    @sycl.kernel(debug=True)
    def nowhere(i, k, out):
        out[i] = (1, 2, 3).index(k[i])

    queue.parallel_for(N, nowhere, K.copy(), ints(N))
    with pytest.raises(sycl.exception, match=r"ValueError: tuple\.index\(x\): x not in tuple"):
        queue.wait_and_throw()


def test_uneven_and_unknown_are_refused(queue):
    def uneven(i, out):
        for a, b in zip((1, 2), (3, 4, 5), strict=True):
            out[i] = a + b

    def many(i, out):
        out[i] = sorted(j for j in range(40))[i]

    for kernel, said in ((uneven, "strict=True"), (many, "32 are the most")):
        with pytest.raises(sycl.exception, match=said):
            queue.parallel_for(N, kernel, ints(N))
