"""Loops over generator functions, generator expressions and iterators of ``itertools``."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree, ints

pytestmark = pytest.mark.part("D-60")
N = 14
A = (np.arange(N) * 7 % 11).astype(np.int32)


def evens(n):
    k = 0
    while k < n:
        yield k * k
        k += 2


def countdown(n):
    while True:
        if n < 0:
            return
        yield n
        n -= 3


def several(n):
    yield n
    yield n * 2.5
    yield from evens(n)
    yield from (7, 8)


def leaves(n, depth):
    if depth == 0:
        yield n
        return
    yield from leaves(n * 2, depth - 1)
    yield from leaves(n + 1, depth - 1)


@dataclass
class Halves:
    n: int

    def __iter__(self):
        k = self.n
        while k:
            yield k
            k //= 2

    def items(self, m):
        for k in range(self.n):
            yield k, k * m


class Count:
    def __init__(self, first, last):
        self.first, self.last, self.seen = first, last, 0

    def __iter__(self):
        for k in range(self.first, self.last):
            self.seen += 1
            yield k


def test_generators_run_the_body_where_they_yield(queue):
    """Ways out of either, ``else``, names of both, several yields, recursion, types that meet."""
    def build(a, out):
        def kernel(i):
            s = v = 0
            for v in countdown(i):
                if v % 5 == 4:
                    continue
                if v < 2:
                    break
                s += v
            else:
                s += 10000
            out[i, 0] = s + v
            s = last = 0
            for last in several(i % 6):
                s = s * 1.5 + last
                if last > 9:
                    break
            out[i, 1], out[i, 2] = s, last

            def find(n):
                for x in evens(n):
                    if x > 30:
                        return x
                    for y in countdown(x % 7):
                        if y == 1 and x > 3:
                            return y * 1000
                return -1
            out[i, 3] = find(i)
            n = 0

            def steps():
                nonlocal n
                for k in range(4):
                    n += 1
                    yield k + n * 10
                    n *= 2
            for x in steps():
                n += x + i % 3
                if n > 200:
                    break
            out[i, 4] = n
            s = 0
            for x in leaves(i, 3):
                s = s * 3 + x
            out[i, 5] = s
        return kernel
    agree(queue, build, N, a=A, out=np.zeros((N, 6)))


def test_objects_iterators_and_functions_that_take_them(queue):
    def build(a, out):
        def kernel(i):
            s, halves, count = 0, Halves(i), Count(2, i)
            for k in halves:
                s = s * 3 + k
            for k, m in halves.items(3):
                s += k * m
            for k in count:
                s += k
                if k > 8:
                    break
            out[i, 0] = s * 100 + count.seen
            out[i, 1] = sum(evens(i)) + max(evens(i + 1)) + any(x > 9 for x in Halves(i)) * 7
            s = 0
            for k, x in enumerate(evens(i)):
                s += k * x
            for k, x in enumerate((y * 2 for y in a if y < i), start=5):
                s += k * x
            out[i, 2] = s
            s = x = 0
            for y in (x * k for x in range(3) for k in range(x, i % 6)):
                s = s * 2 + y + x
            for y in map(lambda p, q: p * q, a, range(i)):
                s += y
            for y in filter(None, a[:i]):
                s += y
            out[i, 3] = s
        return kernel
    agree(queue, build, N, a=A, out=ints(N, 4))


def test_itertools_over_what_only_a_run_knows(queue):
    def build(a, out):
        def kernel(i):
            s = 0
            for x in itertools.takewhile(lambda v: v * v < i, range(100)):
                if x == 3:
                    break
                s += x
            else:
                s += 1000
            for x in itertools.dropwhile(lambda v: v < i, a):
                s = s * 2 % 997 + int(x)
            for x in itertools.filterfalse(lambda v: v % 3, a):
                s += int(x)
            out[i, 0] = s
            s = 0
            for x in itertools.islice(evens(50), i % 7):
                s += x
            for x in itertools.islice(a, 2, i % 9 + 2):
                s += int(x) * 100
            for x in itertools.chain(a[:3], evens(i), (5,)):
                s = s * 2 % 100003 + int(x)
            for x in itertools.starmap(lambda p, q: p - q, zip(a, range(i))):
                s += int(x)
            out[i, 1] = s + sum(itertools.takewhile(lambda v: v != i, a))
        return kernel
    agree(queue, build, N, a=A, out=ints(N, 2))


def meet(it, out, mine):
    group, at = it.get_group(), it.get_local_id(0)
    mine[at] = at
    for k in evens(5):
        sycl.group_barrier(group)
        x = mine[(at + 1) % 4]
        sycl.group_barrier(group)
        mine[at] = x + k
    out[it.get_global_id(0)] = mine[at]


def test_work_items_meet_in_the_body_and_not_in_the_generator(queue):
    out = np.zeros(8, np.int32)
    queue.parallel_for(sycl.nd_range(8, 4), meet, out, sycl.local_accessor(np.int32, 4)).wait()
    assert out.tolist() == [23, 20, 21, 22] * 2

    def inside(it, out):
        def meeting():
            sycl.group_barrier(it.get_group())
            yield 1
        for k in meeting():
            out[k] = 1
    with pytest.raises(sycl.exception, match="K052.*in a generator"):
        queue.parallel_for(sycl.nd_range(8, 4), inside, out)
