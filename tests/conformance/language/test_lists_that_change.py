"""Lists whose elements kernels change are what they are in Python, or are refused."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree, ints

pytestmark = pytest.mark.row("D-58")
NUMBERS = np.random.default_rng(5).integers(-50, 50, (6, 12))


def sorts(a, out):
    def kernel(i):
        v = [0] * 9
        for k in range(9):
            v[k] = a[i, k]
        for p in range(1, 9):
            t, j = v[p], p - 1
            while j >= 0 and v[j] > t:
                v[j + 1] = v[j]
                j -= 1
            v[j + 1] = t
        w = v.copy()
        w.reverse()
        w[1:3] = v[:2]
        u = [a[i, 0], 5, i]
        u.sort(reverse=True)
        for k in range(9):
            out[i, k] = 1000 * v[k] + w[k]
        out[i, 9], out[i, 10], out[i, 11] = u
    return kernel


class Stack:
    def __init__(self):
        self.elements = [0] * 4
        self.count = 0

    def push(self, x):
        self.elements[self.count] = x
        self.count += 1

    def pop(self):
        self.count -= 1
        return self.elements[self.count]


def bump(v, k, by=1):
    v[k] += by


def names(a, out):
    """One list by several names, in functions, objects, tuples and loops over it."""
    def kernel(i):
        v, s = [i, 1, 2, 3], Stack()
        w, t = v, (v, 7)
        bump(w, -1)
        bump(t[0], i % 4, by=10)

        def put(k, x):
            v[k] = x
        put(0, a[i, 0])
        s.push(v[1])
        s.push(v[0])
        first, *rest = s.pop(), s.pop(), 5
        rest[0] += 1
        turn = 0
        for x in v:  # what a turn changes, the next one sees
            if turn < 3:
                v[turn + 1] += x
            turn += 1
        out[i, 0], out[i, 1], out[i, 2] = sum(w), max(v), len(t[0])
        out[i, 3], out[i, 4] = first, rest[0]
        out[i, 5] = (v[2] in v) + 2 * (v == w) + 4 * (v is w) + 8 * (v < [9]) + 16 * bool(v)
        out[i, 6] = v.index(v[3]) + 10 * v.count(v[1])
        for k, x in enumerate(v + [4] * 2):
            out[i, 7 + k % 5] += x
    return kernel


def tables(a, out):
    """Lists of lists: edit distance, a row by a name, a block of three dimensions."""
    def kernel(i):
        d = [[0] * 5 for _ in range(5)]
        for x in range(5):
            d[x][0] = d[0][x] = x
        for x in range(1, 5):
            for y in range(1, 5):
                apart = 0 if a[i, x] % 3 == a[i, y + 4] % 3 else 1
                d[x][y] = min(d[x - 1][y] + 1, d[x][y - 1] + 1, d[x - 1][y - 1] + apart)
        row, m = d[2], [[1, 2], [3, 4]]
        row[1] = 50
        m[0][1] += i
        m[i % 2][0] *= 2
        twice = [[0] * 2] * 2  # the same list twice, as in Python
        twice[0][1] = 7
        block = [[[k] * 2 for k in range(3)] for _ in range(2)]
        block[i % 2][i % 3][1] = 9
        out[i, 0], out[i, 1], out[i, 2] = d[4][4], d[2][1], m[0][0] + 10 * m[0][1] + 100 * m[1][0]
        out[i, 3], out[i, 4] = twice[1][1], sum(sum(r) for plane in block for r in plane)
        for k, r in enumerate(d):
            out[i, 5 + k] = r[k]
    return kernel


def turns(a, out):
    """Lists that are made anew in each turn and call, of bools, and a sieve."""
    def made(x, k):
        found = [x] * 3
        found[k] = -x
        return found

    def kernel(i):
        for t in range(4):
            v = [t, i, a[i, t]]
            v[t % 3] += 100
            w, u = made(i, 0), made(t, 2)
            w[1] += u[2]
            out[i, t] = v[0] + 10 * v[1] + 100 * v[2] + 1000 * w[1]
        prime = [True] * 31
        prime[0] = prime[1] = False
        k = 2
        while k * k <= 30:
            if prime[k]:
                for j in range(k * k, 31, k):
                    prime[j] = False
            k += 1
        out[i, 4] = sum(prime)
        v = [i, 2, 3, 4]
        v[i - 4] += 50  # from the end where it is below zero
        out[i, 5] = v[i - 3] + 10 * v[i - 4]
    return kernel


def chosen(a, out):
    """Names that stand for one of several lists: by branches, choices, loops and functions."""
    def picked(x):
        if x > 20:
            return [x * 1, 1, 2]
        return [0, x * 1, 0] if x > 0 else [9, 9, x * 1]

    def kernel(i):
        n = int(a[i, 0])
        v = [1, 2] if n > 0 else [3, 4]
        if n > 20:
            v = [5, 6]
        v[0] += 7
        out[i, 0] = v[0] + 100 * v[1]
        p, q = [1, 2], [3, 4]
        one = p
        if n > 0:
            p, q = q, p
        p[0] = 50
        out[i, 1] = p[0] + 100 * q[0] + 1000 * p[1] + 10000 * (one is p) + 20000 * (p is q)
        old, new = [n, 1, 2], [0, 0, 0]
        for _ in range(3):
            for j in range(3):
                new[j] = old[(j + 1) % 3] + old[j]
            old, new = new, old
        out[i, 2] = old[0] + 10 * old[1] + 100 * old[2] + 7 * new[0]
        r, s = picked(n), picked(int(a[i, 1]))
        r[1] += 3
        r.sort()
        s[0] = 5
        out[i, 3] = r[0] + 10 * r[1] + 100 * r[2] + 1000 * sum(s)
        best = [0, 0]
        for k in range(5):
            mine = [int(a[i, k]) % 7, k]
            mine[1] += 1
            if mine[0] > best[0]:
                best[:] = mine
            if k % 2:
                turn = [k, 1]
            else:
                turn = [2, k]
            turn[0] += n
            out[i, 4] += turn[0] * turn[1]
        out[i, 5] = best[0] * 10 + best[1]
        for k in range(4):
            v = [v[1], v[0] + k]
            v[0] += 1
        out[i, 6] = v[0] + 100 * v[1]
    return kernel


def left_while_they_change_places(a, out):
    """Lists exchange their names on one way only, and items leave on others."""
    def kernel(i):
        u, w = [int(a[i, 0]), 2, 3], [4, 5, 6]
        for j in range(int(a[i, 1]) & 7):
            if a[i, j] % 5 == 1:
                u, w = w, u
                if a[i, j] % 3 == 0:
                    out[i, 0] = u[0] * 100 + w[1]
                    return
            else:
                if a[i, j] % 7 == 2:
                    continue
                v = u if a[i, j] & 1 else w
                v[j % 3] += j
                out[i, 1] += v[0]
        out[i, 2] = u[0] * 10 + u[1] + w[2] * 100
    return kernel


@pytest.mark.parametrize("build", [sorts, names, tables, turns, chosen,
                                   left_while_they_change_places])
def test_lists_are_what_they_are_in_python(queue, build):
    agree(queue, build, 6, a=NUMBERS, out=ints(6, 12))


def test_elements_have_numpys_types(queue):
    def build(a, b, out):
        def kernel(i):
            v, w = [0.0] * 3, [b[i]] * 3
            for k in range(3):
                v[k] = a[i, k] / np.float32(3)
            v[1] = v[0] - v[2]
            w[1] += b[i]  # wraps beyond 255
            w[2] = w[1] >> np.uint8(1)
            out[i, 0], out[i, 1] = v[1], w[1]
            out[i, 2] = w[2]
        return kernel
    agree(queue, build, 4, a=NUMBERS.astype(np.float32), b=np.array([1, 100, 200, 255], np.uint8),
          out=np.zeros((4, 3)))


def of_two_lengths(out):
    def kernel(i):
        v = [1, 2] if i else [3, 4]
        if i > 1:
            v = [5, 6, 7]
        v[0] = 7
        out[i] = v[0]
    return kernel


def of_another_turn(out):
    def kernel(i):
        old = [0, 0]
        for _ in range(3):
            new = [0, 0]
            new[0] = old[0] + 1
            old = new
        out[i] = old[0]
    return kernel


def of_a_call_of_another_turn(out):
    def made(k):
        v = [k, k]
        v[1] += 1
        return v

    def kernel(i):
        old = [0, 0]
        for k in range(3):
            new = made(old[0])
            if k == i:
                old = new
        out[i] = old[0]
    return kernel


def of_two_types(out):
    def kernel(i):
        v = [np.int32(i)] * 3
        v[1] = out[i] * 0.5
        out[i] = v[i] << 2
    return kernel


def of_tuples(out):
    def kernel(i):
        v = [(0, 1)] * 3
        v[i] = (1, 2)
        out[i] = v[0][0]
    return kernel


def that_grows(out):
    def kernel(i):
        v = [1]
        v.append(2)
        out[i] = v[1]
    return kernel


def out_of_range(out):
    def kernel(i):
        v = [1, 2]
        v[2] = out[i]
    return kernel


def of_another_length(out):
    def kernel(i):
        v = [1, 2, 3]
        v[:2] = [out[i]]
    return kernel


def in_tuples(out):
    def kernel(i):
        u, w = [i + 0, 2, 3], [4, 5, 6]
        t = (u, 1)
        for j in range(out[i]):
            if j == 1:
                t = (w, 2)
            else:
                u[j % 3] = 7
        out[i] = t[0][1] + t[1]
    return kernel


TABLE = [1, 2, 3]


def of_the_program(out):
    def kernel(i):
        TABLE[0] = out[i]
    return kernel


@pytest.mark.parametrize(("build", "said"), [
    (of_two_lengths, "'v' would have two kinds of value: a list of "),
    (of_another_turn, "(?s)'old' may be a list of an earlier turn.*copy its elements"),
    (of_a_call_of_another_turn, "'old' may be a list of an earlier turn"),
    (in_tuples, "'t' would hold one of several lists that change"),
    (of_two_types, "float64 or int32 here"), (of_tuples, "a list with a tuple of 2"),
    (that_grows, r"\[0\] \* n"), (out_of_range, "index 2 is outside"),
    (of_another_length, "2 elements of a list are assigned"),
    (of_the_program, "'TABLE' is mutable")])
def test_what_would_be_another_thing_is_refused(queue, build, said):
    with pytest.raises(sycl.exception, match=said):
        queue.parallel_for(2, build(ints(3))).wait()
    assert TABLE == [1, 2, 3]
