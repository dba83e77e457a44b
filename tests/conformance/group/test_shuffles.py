"""Broadcasts and sub-group shuffles: constant and computed partners, every type and size."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.group.test_algorithms import (
    FLOATS,
    INTEGERS,
    operands,
    sub_group_size,
    sub_group_sizes,
)

LOCAL = 75


def moves(x, out, to, by, lane):
    """Return a kernel that moves values in every way; ``to``, ``by``, ``lane`` are run-time."""
    def kernel(it):
        g, s, k = it.get_group(), it.get_sub_group(), it.get_global_id(0)
        v = x[k]
        out[0, k] = sycl.shift_group_left(s, v)
        out[1, k] = sycl.shift_group_right(s, v, 2)
        out[2, k] = sycl.permute_group_by_xor(s, v, 3)
        out[3, k] = sycl.select_from_group(s, v, to[k])
        out[4, k] = sycl.shift_group_left(s, v, by)
        out[5, k] = sycl.shift_group_right(s, v, by)
        out[6, k] = sycl.permute_group_by_xor(s, v, by)
        out[7, k] = sycl.group_broadcast(s, v, lane)
        out[8, k] = sycl.group_broadcast(s, v)
        out[9, k] = sycl.group_broadcast(g, v, LOCAL - 1)
        out[10, k] = sycl.group_broadcast(g, v, by * 11)
        out[11, k] = sycl.group_broadcast(g, v, it.get_group(0) * 40)
    return kernel


def check(queue, dtype, size, count=2 * LOCAL):
    x, out = operands(dtype, count), np.zeros((12, count), dtype)
    rng, by = np.random.default_rng(size), min(5, size)
    giver = 1 if size > 1 and LOCAL % size != 1 else 0
    to = rng.integers(0, size, count, dtype=np.int32)
    kernel = sycl.kernel(reqd_sub_group_size=size)(moves(x, out, to, by, giver))
    queue.parallel_for(sycl.nd_range(count, LOCAL), kernel).wait()
    for k in range(count):
        start = k // LOCAL * LOCAL
        first = start + (k - start) // size * size
        members, lane = min(size, start + LOCAL - first), k - first
        partners = [lane + 1, lane - 2, lane ^ 3, int(to[k]), lane + by, lane - by, lane ^ by,
                    giver, 0]
        for row, partner in enumerate(partners):
            if 0 <= partner < members:
                assert x[first + partner] == out[row, k], (row, k)
        wide = [LOCAL - 1, by * 11, k // LOCAL * 40]
        assert [x[start + w] for w in wide] == out[9:, k].tolist(), k


@pytest.mark.row("D-38", "D-40")
@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS])
def test_every_type_moves(queue, dtype):
    sizes = set(sub_group_sizes(queue))
    for size in {8, 32} & sizes or sizes:
        check(queue, dtype, size)


@pytest.mark.row("D-38", "D-40")
def test_every_sub_group_size_moves(queue):
    for dtype, size in zip(["float32", "float64", "int64", "int16"] * 2, sub_group_sizes(queue),
                           strict=False):
        check(queue, dtype, size)


@pytest.mark.row("D-40")
def test_a_butterfly_adds_up(queue):
    size = sub_group_size(queue, 16)
    x, out = operands("float32", 64), np.zeros(64, np.float32)

    @sycl.kernel(reqd_sub_group_size=size)
    def kernel(it):
        k = it.get_global_id(0)
        total = x[k]
        mask = size // 2
        while mask > 0:
            total += sycl.permute_group_by_xor(it.get_sub_group(), total, mask)
            mask //= 2
        out[k] = total
    queue.parallel_for(sycl.nd_range(64, 32), kernel).wait()
    assert np.repeat(x.reshape(-1, size).sum(1), size).tolist() == out.tolist()


@pytest.mark.row("D-40", "D-37")
def test_a_partner_outside_the_sub_group_is_no_fault(queue):
    x, out = operands("int32", 37), np.zeros(37, np.int64)

    def kernel(it):
        s, k = it.get_sub_group(), it.get_global_id(0)
        out[k] = (sycl.select_from_group(s, x[k], 1000 + k) & 1) + (
            sycl.shift_group_left(s, x[k], 100) & 1) + (sycl.permute_group_by_xor(s, k, 64) & 1)
    queue.parallel_for(sycl.nd_range(37, 37), kernel).wait()
    assert 0 <= out.min() <= out.max() <= 3
