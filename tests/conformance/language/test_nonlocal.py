"""``nonlocal``: functions inside a kernel change variables of the functions around them."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree, ints

pytestmark = pytest.mark.row("D-11")
N = 9
A = (np.arange(N) * 7 % 11).astype(np.int32)


def test_sums_flags_and_generators_of_numbers(queue):
    def build(a, out):
        def kernel(i):
            total, last, done = 0, -1, False
            state = np.uint32(i + 1)

            def add(x):
                nonlocal total, last
                total += x
                if x > 3:
                    last = x

            def number():
                nonlocal state
                state ^= state << np.uint32(13)
                state ^= state >> np.uint32(17)
                state ^= state << np.uint32(5)
                return state

            def find():
                nonlocal done
                for k in range(5):
                    if k == a[i]:
                        done = True
                        break
                return done
            for k in range(i):
                add(a[k])
            out[i, 0], out[i, 1] = total, last
            while total > 4:
                add(-3)
            for k in (5, 1, 7):
                if a[i] & 1:
                    add(k)
            out[i, 2] = 100 * total + last
            for _ in range(4):
                out[i, 3] += number() % 100
            out[i, 4], out[i, 5] = state, find() + 2 * done
        return kernel
    agree(queue, build, N, a=A, out=ints(N, 6))


def test_parameters_counters_and_two_functions_away(queue):
    def build(a, out):
        def kernel(i):
            count = 0

            def outer(x):
                def inner():
                    nonlocal count, x
                    count += 1
                    x = 2 * x + count
                    return x
                inner()
                inner()
                return x
            out[i, 0], out[i, 1] = outer(a[i]), count
            for k in range(3):
                def skip():
                    nonlocal k
                    k += 10  # noqa: B023
                skip()
                out[i, 2] += k
            for c in (1, 2):
                def twice():
                    nonlocal c
                    c *= 2  # noqa: B023
                twice()
                twice()
                out[i, 3] += c
            x = 0

            def last(upto):
                nonlocal x
                for x in range(upto):
                    pass
                return x
            out[i, 4] = last(a[i]) + 10 * x
        return kernel
    agree(queue, build, N, a=A, out=ints(N, 5))


def test_types_vectors_and_conditions(queue):
    out = np.zeros((N, 3))

    def kernel(i, a, out):
        v, x, flag = sycl.float4(1, 2, 3, 4), np.int32(3), i > 2
        y = 0

        def grow():
            nonlocal v, x
            v = v * 2
            x = 2.5

        def turn():
            nonlocal flag
            flag = not flag
        for _ in range(a[i]):
            grow()
        out[i, 0], out[i, 1] = v.w, x
        if flag:
            y = 1
        turn()
        if flag:
            y += 2
        out[i, 2] = y
    queue.parallel_for(N, kernel, A, out).wait()
    np.testing.assert_array_equal(out[:, 0], 4.0 * 2.0 ** A)
    np.testing.assert_array_equal(out[:, 1], np.where(A > 0, 2.5, 3))
    np.testing.assert_array_equal(out[:, 2], np.where(np.arange(N) > 2, 1, 2))


def test_what_is_not_the_kernels_own_is_refused(queue):
    count = 3

    def captured(i, out):
        nonlocal count
        count += 1
        out[i] = count

    def escaped(i, out):
        def make():
            c = 0

            def more():
                nonlocal c
                c += 1
                return c
            return more
        out[i] = make()()
    for kernel in (captured, escaped):
        with pytest.raises(sycl.exception, match="K015"):
            queue.parallel_for(1, kernel, np.zeros(1))


def more(x):
    return x + 1


def tenfold(x):
    return x * 10


def negative(x):
    return -x


class Walker:
    """An object whose attributes end as numbers of different types, by the way taken."""

    def __init__(self, start):
        self.at, self.last = start, (1, 2)

    def go(self, c):
        if c == 2:
            self.at = 7
            return 1
        for k in range(3):
            if c == k:
                self.at, self.last = k + 3, (k, 9)
                return k
        self.at = 0.5
        return -1


def test_what_early_returns_leave_behind(queue):
    """Names, functions and attributes that a way out of a function gave other types or values."""
    def build(a, out):
        def kernel(i):
            n, f = 0, more

            def count(c):
                nonlocal n
                for k in range(5):
                    if c == k:
                        n = 100
                        return
                    n += 1
                n = 7.5

            def choose(c):
                nonlocal f
                if c > 5:
                    f = tenfold
                    return
                if c > 2:
                    return
                f = negative

            def deep(c):
                nonlocal n

                def inner(d):
                    nonlocal n
                    if d == 2:
                        n = 0.25
                        return d
                    if d == 3:
                        return d + 1
                    n += 1
                    return 7
                for k in range(c):
                    if inner(k) > 5 and k > 3:
                        return n
                return n * 2
            count(a[i])
            choose(i)
            out[i, 0], out[i, 1] = n * 2, f(i)
            walker = Walker(3)
            out[i, 2] = walker.go(i % 6) * 100 + walker.at * 2
            out[i, 3] = walker.last[0]
            n = 0
            out[i, 4] = deep(i % 6) + n
        return kernel
    agree(queue, build, N, a=A, out=np.zeros((N, 5)))
