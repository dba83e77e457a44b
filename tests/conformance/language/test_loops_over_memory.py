"""Loops over memory, and zip, enumerate and reversed of it and of ranges: what Python goes over."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree, ints

pytestmark = pytest.mark.row("D-11")
N = 11
K = (np.arange(N) * 31 % 17 - 8).astype(np.int32)
A = ((np.arange(N * 5) * 7919 % 23 - 11) / 4).reshape(N, 5).astype(np.float32)
FEW = (3, 1, 2, 5)


def test_for_goes_over_the_elements_of_memory(queue):
    def build(a, k, out):
        def kernel(i):
            for x in k:
                out[i, 0] += x * i
            for place, x in enumerate(a[i], i):
                if place % 3 == 1:
                    continue
                if x > 2:
                    break
                out[i, 1] += place * x
            else:
                out[i, 2] += 1
            for row in a:
                for x in row:
                    out[i, 3] += x * (i + 1)
            for x in k[2:5]:
                out[i, 4] = out[i, 4] * 2 + x
            for x in reversed(k):
                out[i, 5] = out[i, 5] / 2 + x
        return kernel
    agree(queue, build, N, a=A, k=K, out=np.zeros((N, 6)))


def test_elements_are_read_when_their_turn_comes(queue):
    def build(out):
        def kernel(i):
            row = out[i]
            for place, x in enumerate(row):
                if place + 1 < len(row):
                    row[place + 1] += 2 * x
            for x in row:
                row = out[0]
                out[i, 0] += x if row[1] > 0 else -x
        return kernel
    start = (np.arange(N * 4) % 5 + 1).reshape(N, 4)

    def one(queue, start):
        agree(queue, build, 1, out=start)
    one(queue, start)
    one(queue, start[::-1].copy())


def test_zip_ends_with_the_shortest(queue):
    def build(a, k, out):
        def kernel(i):
            for n, x, y in zip(range(i), k, reversed(a[i])):
                out[i, 0] += n * x - y
            for n, (x, y) in enumerate(zip(FEW, range(k[i], 9, 2)), 1):
                out[i, 1] += n * x * y
            for (n, x), y in zip(enumerate(k), range(20, k[i], -3)):
                out[i, 2] += n * x + y
            for f, x in zip((abs, float, int), range(i)):
                out[i, 3] += f(x)
            out[i, 4] = sum(x * y for x, y in zip(a[i], a[0]))
            for x, y in zip(k, k[1:N], strict=False):
                out[i, 5] = out[i, 5] * 0.5 + x - y
            for x, y in zip(range(i), range(i), strict=True):
                out[i, 6] += x * y
            for _ in zip(k, range(k[i] - 20)):
                out[i, 7] += 1
        return kernel
    agree(queue, build, N, a=A, k=K, out=np.zeros((N, 8)))


def test_functions_of_all_elements_take_memory(queue):
    def build(a, k, out):
        def kernel(i):
            out[i, 0] = sum(k) + sum(k[3:6], start=2)
            out[i, 1] = max(a[i])
            out[i, 2] = min(a[i], default=7)
            out[i, 5] = max(k[4:4], default=i)
            out[i, 3] = any(k[i:N]) + 2 * all(k)
            out[i, 4] = min(k, key=lambda x: abs(x - i))
        return kernel
    agree(queue, build, N, a=A, k=K, out=np.zeros((N, 6)))


def test_a_range_has_a_length_and_members(queue):
    def build(k, out):
        def kernel(i):
            out[i, 0] = len(range(k[i])) + 100 * len(range(k[i], 9, 3)) + len(range(9, k[i], -2))
            out[i, 1] = (k[i] in range(-3, i)) + 2 * (i not in range(1, 9, 3))
            out[i, 1] += 4 * (k[i] in range(9, -9, -3)) + 8 * (i in range(k[i], 20, k[i] | 1))
            out[i, 2] = (i in k) + 2 * (i - 4 not in k[2:7])
            for n in reversed(range(np.uint32(5), np.uint32(9))):
                out[i, 3] = out[i, 3] * 2 + n - 3 * i
        return kernel
    agree(queue, build, N, k=K, out=ints(N, 4))


def test_local_and_private_memory_and_records(queue):
    record = np.dtype([("x", np.float32), ("y", np.int32, (3,))], align=True)
    parts = np.zeros(5, record)
    parts["x"], parts["y"] = np.arange(5), np.arange(15).reshape(5, 3)
    out = np.zeros((8, 3))

    def kernel(it, parts, out):
        i, mine = it.get_global_id(0), sycl.private_array(np.float32, 3)
        shared = sycl.ext.oneapi.group_local_memory((np.int32, 4), it.get_group())
        shared[it.get_local_id(0)] = i
        sycl.group_barrier(it.get_group())
        for k, _ in enumerate(mine):
            mine[k] = i * k
        out[i, 0] = sum(mine)
        for x in shared:
            out[i, 1] = out[i, 1] * 10 + x
        for p in parts:
            for y in p["y"]:
                out[i, 2] += p.x * y
    queue.parallel_for(sycl.nd_range(8, 4), kernel, parts, out).wait()
    np.testing.assert_array_equal(out[:, 0], np.arange(8) * 3)
    np.testing.assert_array_equal(out[:, 1], np.repeat([123, 4567], 4))
    np.testing.assert_array_equal(out[:, 2], (parts["x"][:, None] * parts["y"]).sum())


def test_functions_of_all_elements_take_members_of_records(queue):
    record = np.dtype([("y", np.int32, (3,)), ("z", np.float32, (2, 2))])
    parts = np.zeros(4, record)
    parts["y"] = np.arange(12).reshape(4, 3) % 7 - 2
    parts["z"] = np.arange(16).reshape(4, 2, 2)

    def kernel(i, parts, out):
        one = parts[i]
        out[i, 0] = min(one.y) + max(parts[i].y)
        out[i, 1] = sum(one.y) + sum(parts[i].z[1])
        out[i, 2] = all(one.y) + 2 * any(one.y)
        out[i, 3] = max(one.y, key=lambda v: -v)
        out[i, 4] = 4 in one.y
        out[i, 5] = sum(x * y for x, y in zip(one.y, parts[0].y))
    out, want = np.zeros((4, 6)), np.zeros((4, 6))
    for i in range(4):
        kernel(i, parts.view(np.recarray), want)
    queue.parallel_for(sycl.range(4), kernel, parts, out).wait()
    assert out.tolist() == want.tolist()


def test_what_strict_promises_is_checked_in_debugged_kernels(device):
    @sycl.kernel(debug=True)
    def short(i, a, b, out):
        for x, y in zip(a, b, strict=True):
            out[i] += x * y
    out = np.zeros(1)
    queue = sycl.queue(device)
    queue.parallel_for(1, short, K, K, out).wait_and_throw()
    assert out[0] == (K * K).sum()
    with pytest.raises(sycl.exception, match=r"zip\(\) argument 2 is shorter than argument 1"):
        queue.parallel_for(1, short, K, K[1:], out).wait_and_throw()
    with pytest.raises(sycl.exception, match=r"zip\(\) argument 2 is longer than argument 1"):
        queue.parallel_for(1, short, K[2:], K, out).wait_and_throw()


def test_only_what_has_an_order_is_reversed(queue):
    def kernel(i, a):
        for n, _ in reversed(enumerate(a)):
            a[n] = i
    with pytest.raises(sycl.exception, match="K049.*'enumerate"):
        queue.parallel_for(1, kernel, K.copy())


def test_an_index_of_one_dimension_names_a_row(queue):
    table, out = np.arange(24, dtype=np.int32).reshape(8, 3), np.zeros((8, 4), np.int32)

    def kernel(item, table, out):
        out[item][0] = table[item][1]
        out[item][1] = table[item.get_id()][1]
        out[item][2] = table[sycl.range(item)][1]
        out[item][3] = sum(table[item])
    queue.parallel_for(8, kernel, table, out).wait()
    np.testing.assert_array_equal(out[:, :3], np.repeat(table[:, 1:2], 3, axis=1))
    np.testing.assert_array_equal(out[:, 3], table.sum(axis=1))


def test_memory_whose_size_is_known_goes_beside_other_memory(queue):
    out, b = np.zeros(8, np.int32), np.arange(1, 21, dtype=np.int32)

    def kernel(it, b, out):
        i, own = it.get_global_id(0), sycl.private_array(np.int16, 6)
        s = sycl.ext.oneapi.group_local_memory_for_overwrite((np.int32, 6), it.get_group())
        for j in range(6):
            own[j] = j
        s[it.get_local_id(0)] = i
        sycl.group_barrier(it.get_group())
        for pair in ((0, 2), (i, i + 3)):
            for x, y in zip(b[pair[0]:pair[1]], s[0:2], strict=False):
                out[i] += x * 10 + y
        for x, y in zip(b[0:2], own, strict=False):
            out[i] += x + y
    queue.parallel_for(sycl.nd_range(8, 4), kernel, b, out).wait()
    for i in range(8):
        s = [4 * (i // 4), 4 * (i // 4) + 1]
        want = sum(x * 10 + y for lo, hi in ((0, 2), (i, i + 3))
                   for x, y in zip(b[lo:hi].tolist(), s, strict=False)) + 1 + 2 + 0 + 1
        assert want == out[i]
