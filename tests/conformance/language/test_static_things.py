"""Functions as values, tuples with names, partial functions, recursion that constants end."""

from __future__ import annotations

import functools
from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree, ints

pytestmark = pytest.mark.row("D-11")
N = 23
K = (np.arange(N) * 31 % 17 - 8).astype(np.int32)
X = ((np.arange(N) * 7919 % 23 - 11) / 4).astype(np.float32)


def double(x):
    return 2 * x


def square(x):
    y = x
    return y * y


def negate(x, by=1):
    y = np.float64(x)
    return -y * by


# ---- functions chosen by a condition
def test_functions_are_chosen_by_conditions(queue):
    def build(k, x, out):
        def mark(i):
            out[i, 4] += 100

        def leave(i):
            return None

        def kernel(i):
            f = double if k[i] > 2 else square
            out[i, 0] = f(x[i]) + f(k[i])
            g = f if x[i] > 0 else negate
            out[i, 1] = g(x[i]) + (double if k[i] % 2 else lambda v: v - 7)(k[i])
            out[i, 2] = (double, square, negate, abs)[k[i] % 4](x[i])
            out[i, 3] = (max if k[i] > 0 else min)(x[i], k[i], 1)
            (mark if k[i] > 1 else leave)(i)
            out[i, 4] += 2 * (f is double) + (g == negate) + (g is not f)
            chosen = double if N > 5 else square
            out[i, 5] = chosen(x[i]) + (np.sqrt if k[i] > 0 else np.floor)(np.float64(i))
            total = 0.0
            for j in range(i):
                h = double if x[j] < x[i] else square
                total += h(x[j])
            out[i, 6] = total
        return kernel
    agree(queue, build, N, k=K, x=X, out=np.zeros((N, 7)))


def test_a_chosen_function_is_decided_once_and_only_it_runs(queue):
    def build(k, out):
        def first(i):
            out[i, 0] += 1
            return 5

        def second(i):
            out[i, 1] += 1
            return 7

        def kernel(i):
            state = k[i]
            f = first if state > 0 else second
            state = -state
            out[i, 2] = f(i) + state
            out[i, 3] = f(i) if state > 0 else 0
        return kernel
    agree(queue, build, N, k=K, out=ints(N, 4))


# ---- partial functions
def weigh(a, b, c=1, d=1):
    return a + 10 * b + 100 * c + 1000 * d


def test_partial_functions(queue):
    add = functools.partial(weigh, 3)
    named = functools.partial(weigh, d=2)
    least = functools.partial(min, 4)

    def build(k, out):
        gather = functools.partial(lambda memory, at, scale: memory[at] * scale, k)

        def kernel(i):
            own = functools.partial(add, k[i], d=i)
            out[i, 0] = add(k[i]) + add(i, 2, d=k[i]) + named(1, i)
            out[i, 1] = own() + own(7) + functools.partial(named, 2)(3, c=i)
            out[i, 2] = gather(i, 3) + gather(at=i, scale=least(k[i]))
            f = add if k[i] > 0 else own
            out[i, 3] = f(2) if k[i] > 0 else own(2)
        return kernel
    agree(queue, build, N, k=K, out=ints(N, 4))


def test_partial_functions_are_arguments(queue):
    out = np.zeros(N, np.int64)

    def kernel(i, f, g, out):
        out[i] = f(i) + g(1, 2)
    for d in (2, 5):
        f, g = functools.partial(weigh, 1, c=d), functools.partial(weigh, c=d, d=d)
        queue.parallel_for(N, kernel, f, g, out).wait()
        assert out.tolist() == [f(i) + g(1, 2) for i in range(N)]


# ---- tuples with names
class Ray(NamedTuple):
    """A point and a direction."""

    at: Any
    to: Any
    weight: float = 0.5

    def end(self, t):
        return self.at + self.to * t

    @property
    def length(self):
        return abs(self.to) * self.weight


Pair = namedtuple("Pair", "left right")


def turned(ray, by):
    return ray._replace(to=ray.to * by)


def both(k):
    if k > 0:
        return Pair(k, -k)
    return Pair(right=k, left=2 * k)


def test_named_tuples_are_made_read_unpacked_and_returned(queue):
    start = Ray(1.5, 2.0)

    def build(x, k, out):
        def kernel(i):
            ray = Ray(x[i], to=k[i])
            out[i, 0] = ray.at + ray[1] + ray.weight + len(ray) + ray.end(2) + ray.length
            at, to, weight = turned(ray, 3)
            out[i, 1] = at + to * weight + start.at + start.end(0.5) + start[-1]
            pair = both(k[i])
            out[i, 2] = pair.left * 100 + pair.right + sum(pair) + max(*pair)
            ray = Ray(*pair, weight=2.0)
            for j in range(i % 4):
                ray = turned(ray, j)
            out[i, 3] = ray.to + ray.weight + (k[i] in pair) + (pair == (k[i], -k[i]))
            nested = Pair(ray, Pair(i, x[i]))
            out[i, 4] = nested.left.at + nested.right.right + nested[1][0]
            best = pair if k[i] % 2 else Pair(1, 2)
            out[i, 5] = best.left - best.right + isinstance(best, Pair) + isinstance(best, tuple)
            out[i, 6] = sum(v * w for v, w in zip(pair, (3, 5))) + (pair + (9,))[2]
        return kernel
    agree(queue, build, N, x=X, k=K, out=np.zeros((N, 7)))


def test_named_tuples_are_arguments_and_hold_memory(queue):
    class Mesh(NamedTuple):
        values: Any
        count: int
        scale: Any

    out = np.zeros((2, N), np.float32)

    def kernel(i, mesh, out):
        total = np.float32(0)
        for j in range(mesh.count):
            total += mesh.values[(i + j) % N]
        out[i] = total * mesh.scale
    for row, (count, scale) in enumerate([(3, np.float32(0.5)), (4, np.float32(2))]):
        queue.parallel_for(N, kernel, Mesh(X, count, scale), out[row]).wait()
        expected = sum(np.roll(X, -j) for j in range(count)) * scale
        np.testing.assert_allclose(out[row], expected, rtol=1e-6)


def test_named_tuples_of_equal_parts_are_told_apart(queue):
    class One(NamedTuple):
        x: int

        def get(self):
            return self.x

    class Other(NamedTuple):
        x: int

        def get(self):
            return -self.x

    out = np.zeros(1, np.int64)

    def kernel(i, t, out):
        out[i] = t.get()
    for kind, expected in ((One, 5), (Other, -5), (One, 5)):
        queue.parallel_for(1, kernel, kind(5), out).wait()
        assert out[0] == expected


# ---- recursion that constants end
def power(x, n):
    if n == 0:
        return 1
    half = power(x, n // 2)
    return half * half * x if n % 2 else half * half


def even(x, n):
    return x if n == 0 else odd(x + 1, n - 1)


def odd(x, n):
    return 2 * x if n == 0 else even(x * 2, n - 1)


def fold(f, values):
    if len(values) == 1:
        return values[0]
    return f(values[0], fold(f, values[1:]))


def hermite(x, n):
    if n < 2:
        return 2 * x if n else 1.0
    return 2 * x * hermite(x, n - 1) - 2 * (n - 1) * hermite(x, n - 2)


def test_recursion_that_constants_end(queue):
    def build(k, x, out):
        def ramp(j, n):
            return 0 if n == 0 else k[(j + n) % N] + ramp(j, n - 1)

        def kernel(i):
            out[i, 0] = power(k[i], 5) + power(2, 10)
            out[i, 1] = even(k[i], 7) + odd(k[i], 0)
            out[i, 2] = fold(lambda a, b: a * 3 - b, (k[i], i, 2, 5))
            out[i, 3] = ramp(i, 4)
            out[i, 4] = hermite(x[i], 6)
            out[i, 5] = sum(power(k[j], 3) for j in range(i))
        return kernel
    agree(queue, build, N, k=K, x=X, out=np.zeros((N, 6)))


def test_recursion_reaches_accessors_on_every_device(queue):
    data = np.arange(N, dtype=np.int64)
    out = np.zeros(N, np.int64)
    with sycl.buffer(data) as source, sycl.buffer(out) as target:
        def group(h):
            a = sycl.accessor(source, h, sycl.read_only)
            b = sycl.accessor(target, h, sycl.write_only)

            def gather(i, n):
                return a[i] if n == 0 else a[(i + n) % N] + gather(i, n - 1)

            @h.parallel_for(N)
            def put(i):
                b[i] = gather(i, 3)
        queue.submit(group)
    assert out.tolist() == [sum((i + n) % N for n in range(4)) for i in range(N)]


def test_recursive_functions_meet_at_barriers(queue):
    out = np.zeros(16, np.int64)

    def add_up(it, tile, step):
        if step == 0:
            return
        k = it.get_local_id(0)
        if k < step:
            tile[k] += tile[k + step]
        sycl.group_barrier(it.get_group())
        add_up(it, tile, step // 2)

    def kernel(it, tile):
        tile[it.get_local_id(0)] = it.get_global_id(0)
        sycl.group_barrier(it.get_group())
        add_up(it, tile, 4)
        out[it.get_global_id(0)] = tile[0]
    queue.parallel_for(sycl.nd_range(16, 8), kernel, sycl.local_accessor(np.int64, 8)).wait()
    np.testing.assert_array_equal(out, np.repeat(np.arange(16).reshape(2, 8).sum(1), 8))


def test_a_name_for_what_captured_integers_give_is_a_constant(queue):
    def run(n):
        def kernel(it, out):
            last = n - 1
            same = last * 1
            own = sycl.private_array(np.int32, last + 2)
            for k in range(last + 2):
                own[k] = k
            out[it] = it.get_id(last) * 100 + it.get_id(same) * 10 + own[last + 1]
        out = np.zeros((2, 3), np.int32)
        queue.parallel_for(sycl.range(2, 3), kernel, out).wait()
        return out.tolist()
    assert run(1) == [[1, 1, 1], [111, 111, 111]]
    assert run(2) == [[2, 112, 222], [2, 112, 222]]
