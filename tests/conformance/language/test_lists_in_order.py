"""What orders, turns round and adds up a few values: each result is Python's."""

from __future__ import annotations

import functools
import itertools
import operator

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree, ints
from tests.sampling import by_turns

pytestmark = pytest.mark.part("D-58")
NUMBERS = np.random.default_rng(8).integers(-9, 9, (5, 6))


def turned(a, out):
    def kernel(i):
        v = [a[i, 0], a[i, 1], a[i, 2], i]
        v.reverse()
        w = v.copy()
        w.reverse()
        w[1] += 100
        for k in range(4):
            out[i, k] = 1000 * v[k] + w[k]
        u = [a[i, 5]]
        u.reverse()
        out[i, 4] = u[0]
        out[i, 5] = tuple(reversed((a[i, 0], 7, i)))[2]
    return kernel


def sorted_in_place(a, out):
    def kernel(i):
        v = [a[i, k] for k in range(6)]
        v.sort()
        w = [a[i, k] for k in range(5)]
        w.sort(key=abs, reverse=True)
        u = [a[i, 3], a[i, 1], a[i, 2]]
        u.sort(key=None, reverse=False)
        for k in range(6):
            out[i, k] = v[k]
        for k in range(5):
            out[i, k] += 100 * w[k]
        for k in range(3):
            out[i, k] += 10000 * u[k]
    return kernel


def sorted_by_keys(a, out):
    def kernel(i):
        rows = ((a[i, 0], 1), (a[i, 1], 2), (a[i, 0], 3), (a[i, 2], 4))
        up = sorted(rows, key=lambda r: r[0])  # equal ones stay as they were
        down = sorted(rows, key=operator.itemgetter(0), reverse=True)
        both = sorted(rows, key=operator.itemgetter(1, 0))
        for k in range(4):
            out[i, k] = up[k][1] + 10 * down[k][1] + 100 * both[k][1]
        least, most = sorted((a[i, 4], a[i, 5]))
        (one,) = sorted((a[i, 4],))
        out[i, 4], out[i, 5] = least - 10 * most, sorted((3, 1, 2))[1] + one
    return kernel


def totals(a, out):
    def kernel(i):
        row = (a[i, 0], a[i, 1], a[i, 2], a[i, 3])
        for k, t in enumerate(itertools.accumulate(row)):
            out[i, k] = t
        for k, t in enumerate(itertools.accumulate(row, max)):
            out[i, k] += 100 * t
        for k, t in enumerate(itertools.accumulate(row, lambda x, y: x - 2 * y, initial=5)):
            out[i, k] += 1000 * t
        for k, t in enumerate(itertools.accumulate(row, None, initial=None)):
            out[i, k] += 7 * t
        out[i, 5] = functools.reduce(lambda x, y: 2 * x - y, row)
    return kernel


def chosen(a, out):
    def kernel(i):
        row = (a[i, 0], a[i, 1], a[i, 2], a[i, 3], a[i, 4])
        for k, t in enumerate(itertools.compress(row, (1, 0, 0, 1, 1))):
            out[i, k] = t
        for k, t in enumerate(itertools.islice(row, 0, 5, 2)):
            out[i, k] += 100 * t
        for k, t in enumerate(itertools.islice(row, 2)):
            out[i, k] += 10000 * t
        for k, (x, y) in enumerate(itertools.zip_longest(row, (i, 2), fillvalue=9)):
            out[i, k] += 100000 * (x - y)
        for k, (x, y) in enumerate(itertools.pairwise(row)):
            out[i, k] += 3 * x * y
        out[i, 5] = sum(x * y for x, y in itertools.product((a[i, 0], 2), (3, i), repeat=1))
        out[i, 5] += sum(x * y - z for x, y, z in itertools.combinations(row[:4], 3))
        out[i, 5] += sum(x - 2 * y for x, y in itertools.permutations(row[:3], 2))
    return kernel


def places(a, out):
    def kernel(i):
        row = [a[i, 0], a[i, 1], 4, a[i, 2], a[i, 1]]
        out[i, 0] = row.index(a[i, 1])
        out[i, 1] = row.count(a[i, 1])
        out[i, 2] = row.index(4)
        out[i, 3] = (a[i, 3], 5).index(5)
        out[i, 4] = max(row, key=lambda x: -abs(x)) - min(row, key=abs)
        out[i, 5] = max(range(5), key=lambda k: (row[0] - k) * k)
    return kernel


PROGRAMS = (turned, sorted_in_place, sorted_by_keys, totals, chosen, places)


def test_it_is_as_in_python(queue: sycl.queue) -> None:
    for program in by_turns(queue.get_device(), PROGRAMS):
        agree(queue, lambda a, out, program=program: program(a, out), 5, a=NUMBERS, out=ints(5, 6))
