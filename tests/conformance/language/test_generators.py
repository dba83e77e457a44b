"""Generator expressions and comprehensions, stars at calls: Python's results and types."""

from __future__ import annotations

import functools
import math
import operator

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree, ints

pytestmark = pytest.mark.row("D-11")
N = 13
A = ((np.arange(N * N) * 7919 % 23 - 11) / 4).reshape(N, N).astype(np.float32)
B = ((np.arange(N * N) * 104729 % 19 - 9) / 2).reshape(N, N).astype(np.float32)
K = (np.arange(N) * 31 % 17 - 8).astype(np.int32)


def test_sums_over_run_time_ranges(queue):
    def build(a, b, k, out, whole):
        def kernel(i):
            n = a.shape[0]
            out[i, 0] = sum(a[i, j] * b[j, i] for j in range(n))
            out[i, 1] = sum(a[i, j] for j in range(n) if a[i, j] > b[j, i])
            out[i, 2] = sum(a[i, j] for j in range(i) for m in range(j) if m % 2 if b[m, j] > 0)
            out[i, 3] = sum((a[i, j] for j in range(n)), np.float32(0.5))
            out[i, 4] = sum([a[j, i] for j in range(n)], start=1)
            out[i, 5] = math.prod(1 + a[i, j] / 8 for j in range(i))
            whole[i, 0] = sum(k[j] > 0 for j in range(i))
            whole[i, 1] = sum(range(i)) + sum(range(2, 5)) + sum(range(i, -i, -2))
            whole[i, 2] = sum(1 for j in range(n) if k[j] == k[i])
            whole[i, 3] = sum(j * m for j in range(i) for m in range(j, i, k[i] % 3 + 1))
        return kernel
    agree(queue, build, N, a=A, b=B, k=K, out=np.zeros((N, 6), np.float32), whole=ints(N, 4))


@pytest.mark.parametrize("dtype", [
    np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.float16,
    np.float32])
def test_a_sum_has_the_type_that_python_gives_it(queue, dtype):
    values = (np.arange(1, 9) * 31 % 127).astype(dtype)

    def build(v, out):
        def kernel(i):
            total = sum(v[j] for j in range(8))
            out[i, 0] = total * 3 / 2
            out[i, 1] = total == np.float64(total)
            out[i, 2] = math.prod(v[j] for j in range(3)) / 2
            out[i, 3] = max(v[j] for j in range(8)) / 2 + min(v[j] for j in range(2, 8))
        return kernel
    agree(queue, build, 1, v=values, out=np.zeros((1, 4)))


def test_any_and_all_stop_early(queue):
    def build(a, k, out, seen):
        def note(i, j):
            seen[i] += 1
            return True

        def kernel(i):
            out[i, 0] = any(a[i, j] > 2 for j in range(N))
            out[i, 1] = all(a[i, j] > -2 for j in range(i))
            out[i, 2] = any(k[j] == 3 and note(i, j) for j in range(N) if k[j])
            out[i, 3] = any(a[i, j] == a[m, j] for j in range(N) for m in range(i))
            out[i, 4] = any(j < 0 for j in range(0)) or not all(j < 0 for j in range(0))
            out[i, 5] = any([note(i, j) and k[j] > 0 for j in range(4)])  # noqa: C419
            out[i, 6] = all(note(i, j) and k[j] < 4 for j in range(N))
            out[i, 7] = all([k[j] < 4 for j in range(N)])  # noqa: C419
            out[i, 7] &= all(x > 0 for x in (1, k[i], 2))
        return kernel
    agree(queue, build, N, a=A, k=K, out=np.zeros((N, 8), bool), seen=ints(N))


def test_extremes_of_generators(queue):
    a = A.copy()
    a[3, 2] = a[5, 0] = np.nan

    def build(a, k, out, whole):
        def kernel(i):
            out[i, 0] = min(a[i, j] for j in range(N))
            out[i, 1] = max(a[j, i] for j in range(N) if j != i)
            out[i, 2] = min((a[i, j] for j in range(i)), default=-7.5)
            whole[i, 0] = max(abs(k[j]) for j in range(i + 1))
            whole[i, 1] = min((j for j in range(N) if k[j] == k[i]), default=99)
            whole[i, 2] = max((j for j in range(N) if k[j] > 99), default=k[i])
            whole[i, 3] = min([k[j] for j in range(1, 5)]) + max(range(2, i + 9)) + min(range(3, 9))
            whole[i, 4] = max((1, k[i]), default=3) + min((), default=k[i])
        return kernel
    agree(queue, build, N, a=a, k=K, out=np.zeros((N, 3), np.float32), whole=ints(N, 5))


def errors_of(queue, kernel):
    found = []
    q = sycl.queue(queue.get_device(), lambda errors: found.extend(errors))
    q.parallel_for(1, kernel).wait()
    q.throw_asynchronous()
    return [e.what() for e in found]


@pytest.mark.parametrize("fn", [min, max])
def test_the_extreme_of_nothing_is_an_error_in_debug_mode(queue, fn):
    k, out = np.zeros(1, np.int32), np.zeros(1, np.int32)

    @sycl.kernel(debug=True)
    def kernel(i):
        out[0] = fn(k[j] for j in range(k[0]))
    with pytest.raises(ValueError, match=".") as raised:
        fn(())
    (text,) = errors_of(queue, kernel)
    assert f"ValueError: {raised.value}" in text


def test_names_of_a_comprehension_are_its_own(queue):
    def build(k, out):
        def kernel(i):
            j, x = 100, (k[i], 5)
            out[i, 0] = sum(j * 2 for j in range(i)) + j
            out[i, 1] = sum(x for x in x) + x[0]
            out[i, 2] = sum((lambda j: j + x[1])(j) for j in range(3)) + j
            out[i, 3] = sum(sum(j * m for m in range(j)) for j in range(i))
            squares = [j * j for j in range(4)]
            out[i, 4] = squares[3] + squares[i % 4] + len(squares) + j
        return kernel
    agree(queue, build, N, k=K, out=ints(N, 5))


def test_comprehensions_over_constants_are_tuples(queue):
    weights, count = (1, 4, 6, 4, 1), 5

    def build(a, k, out):
        def kernel(i):
            near = [a[i, (j + i) % N] for j in range(count)]
            out[i, 0] = sum([w * v for w, v in zip(weights, near)])
            out[i, 1] = max(near) - min(v for v in near) + near[k[i] % 5]
            pairs = tuple((p, q) for p in range(3) for q in range(p) if (p + q) % 2)
            for p, q in pairs:
                out[i, 2] += a[p, i] * q
            left, right = (a[i, j] for j in (0, N - 1)) if False else [a[i, j] for j in (0, N - 1)]
            out[i, 3] = left - right + len([0 for _ in range(7)])
            total = np.float32(0)
            for place, v in enumerate([x + 1 for x in near[1:]], start=3):
                total += place * v
            out[i, 4] = total + sum(m * v for m, v in enumerate(reversed(near), 1))
            if i in range(2, 9, 3):
                out[i, 5] = len(range(4)) + tuple(range(3))[2]
        return kernel
    agree(queue, build, N, a=A, k=K, out=np.zeros((N, 6), np.float32))


@pytest.mark.filterwarnings("ignore::unisycl.KernelWarning")  # sums of ids and elements
def test_stars_spread_tuples_over_arguments(queue):
    table = (2, 3, 5)

    def weigh(a, b, c, d=1):
        return a + 10 * b + 100 * c + 1000 * d

    def total(first, *rest):
        found = first
        for x in rest:
            found += x * len(rest)
        return found

    def build(k, out):
        def kernel(i):
            pair = (k[i], i)
            out[i, 0] = weigh(*table) + weigh(*pair, 7) + weigh(1, *pair, *(4,))
            out[i, 1] = max(*table, k[i]) + min(*pair)
            out[i, 2] = total(*table, *pair) + total(k[i]) + total(*[j * j for j in range(4)])
            whole = (1, *table, *pair)
            out[i, 2] += whole[i % 6] + len(whole)
            out[i, 3] = weigh(*(k[(i + j) % N] for j in range(3)), d=2)
        return kernel
    agree(queue, build, N, k=K, out=ints(N, 4))


def test_lists_are_tuples_that_nothing_changes(queue):
    def build(a, k, out):
        def kernel(i):
            for p, q in [(0, 1), (1, 0), (i, 2)]:
                out[i, 0] += a[p, q]
            v = [a[i, 0], 2.0, k[i]]
            w = v
            v = v + [5.0] * 2
            out[i, 1] = sum(v) + len(w) + w[1] + (k[i] in [1, 2, 3]) + max([k[i], 2])
            x, y = [k[i], 7]
            out[i, 2] = x - y
        return kernel
    agree(queue, build, N, a=A, k=K, out=np.zeros((N, 3)))


GX = ((-1, 0, 1), (-2, 0, 2), (-1, 0, 1))


def test_tables_of_rows_are_indexed_at_run_time(queue):
    turned = tuple(zip(*GX, strict=True))

    def build(a, k, out):
        def kernel(i):
            out[i, 0] = sum(GX[p][q] * a[p, (q + i) % N] for p in range(3) for q in range(3))
            row = turned[k[i] % 3]
            out[i, 1] = row[0] + 10 * row[-1] + row[i % 3] * 100 + len(row)
            p, q, r = GX[-1 - i % 3]
            out[i, 2] = p + 10 * q + 100 * r
        return kernel
    agree(queue, build, N, a=A, k=K, out=np.zeros((N, 3)))


def test_run_time_ranges_are_reversed_and_numbered(queue):
    def build(a, k, out):
        def kernel(i):
            for j in reversed(range(i)):
                out[i, 0] = out[i, 0] * 3 % 1000 + j
            for n, j in enumerate(range(k[i], 20, 3)):
                if n == 4:
                    break
                out[i, 1] += n * 100 + j
            for n, j in enumerate(range(i, -i, -2), k[i]):
                if j == 0:
                    continue
                out[i, 2] += n * j
            else:
                out[i, 2] += 5
            for j in reversed(range(k[i], i, (k[i] & 3) + 1)):
                for m in reversed(range(j)):
                    out[i, 3] = out[i, 3] * 7 % 10007 + m
            hi = a.size
            hi -= 1
            out[i, 4] = hi + sum(n * j for n, j in enumerate(range(i), 1))
        return kernel
    agree(queue, build, N, a=A, k=K, out=ints(N, 5))


@pytest.mark.filterwarnings("ignore::unisycl.KernelWarning")  # sums of ids and elements
def test_extremes_by_a_key(queue):
    def build(a, k, out):
        def far(j):
            return abs(k[j] - 2)

        def kernel(i):
            out[i, 0] = min(range(N), key=lambda j: a[i, j])
            out[i, 1] = max((j for j in range(i)), key=far, default=-3)
            out[i, 2] = max((3, k[i], -5), key=lambda v: v * v) + min(k[i], 4, key=abs)
            best = [a[i, j] for j in range(4)]
            out[i, 3] = max(range(len(best)), key=lambda j: best[j])
        return kernel
    agree(queue, build, N, a=A, k=K, out=ints(N, 4))


def test_map_filter_and_reduce(queue):
    def build(a, k, out):
        def kernel(i):
            out[i, 0] = sum(map(lambda x, y: x * y, k, range(i)))
            out[i, 1] = max(map(abs, a[i]))
            out[i, 2] = sum(filter(None, k)) + sum(filter(lambda x: x > i, k))
            x, y = tuple(map(int, (2.5, a[i, 0])))
            out[i, 3] = x + 10 * y
            out[i, 4] = functools.reduce(lambda x, y: x * 2 + y, k[0:5], 0)
            out[i, 5] = functools.reduce(max, (1, k[i], 5), 3)
            out[i, 6] = functools.reduce(operator.add, (k[i],))
            out[i, 7] = k[i] in {1, 2, -3} or i not in {3, 4}
        return kernel
    agree(queue, build, N, a=A, k=K, out=np.zeros((N, 8)))


def test_a_number_of_numpy_is_seen_as_another_type(queue):
    def build(a, out):
        def kernel(i):
            out[i, 0] = a[i, 0].view(np.int32)
            out[i, 1] = np.float64(i).view(np.int64) >> 32
            out[i, 2] = np.uint8(200 + i % 50).view(np.int8)
        return kernel
    agree(queue, build, N, a=A, out=ints(N, 3))


def test_tuples_are_compared_beside_lists(queue):
    def build(k, out):
        def kernel(i):
            few = [k[i], 2]
            n = k[i]
            out[i, 0] = (n, k[0]) == (k[0], n)
            out[i, 1] = (1, 2) < (n, 3)
            out[i, 2] = (k[i], (1, 2)) in ((2, (1, 2)), (3, (1, 3)), (k[2], (1, 2)))
            out[i, 3] = few[0] + few[1]
            out[i, 4] = max((k[j], -j) for j in range(N))[1] + sorted(k[j] for j in range(3))[1]
        return kernel
    agree(queue, build, N, k=K, out=ints(N, 5))


def test_a_list_and_a_tuple_are_not_compared(queue):
    def kernel(i, out):
        pair = (1, [2, 3])
        out[i] = pair == (1, (2, 3))
    with pytest.raises(sycl.exception, match="K036.*lists and tuples"):
        queue.parallel_for(1, kernel, np.zeros(1))
