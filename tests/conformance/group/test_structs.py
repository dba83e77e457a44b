"""Values of dataclasses and marrays go from work-item to work-item whole (SYCL 2020 §4.17.2.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.group.test_algorithms import sub_group_size

LOCAL = 16


@dataclass
class inner:
    depth: np.int16
    deep: bool


@dataclass
class particle:
    mass: np.float64
    place: sycl.float3
    rest: inner


@pytest.mark.row("D-38", "D-40")
def test_objects_move_whole(queue):
    size = sub_group_size(queue, 8)
    out = np.zeros((5, 4, LOCAL), np.float64)

    def put(row, p, k):
        out[row, 0, k] = p.mass
        out[row, 1, k] = p.place.y
        out[row, 2, k] = p.rest.depth
        out[row, 3, k] = p.rest.deep

    @sycl.kernel(reqd_sub_group_size=size)
    def kernel(it):
        k, s = it.get_global_id(0), it.get_sub_group()
        mine = particle(np.float64(k) + 0.5, sycl.float3(k, 10 * k, 0),
                        inner(np.int16(k - 5), k % 2 == 1))
        put(0, sycl.group_broadcast(it.get_group(), mine, 9), k)
        put(1, sycl.shift_group_left(s, mine, 1), k)
        put(2, sycl.permute_group_by_xor(s, mine, 2), k)
        given = sycl.select_from_group(s, mine, 7 - k % 8)
        put(3, given, k)
        given.mass = np.float64(-1.0)  # a copy: the giver keeps its own
        part = sycl.ext.oneapi.experimental.binary_partition(s, k % 2 == 0)
        put(4, sycl.group_broadcast(part, mine, 3), k)
    queue.parallel_for(sycl.nd_range(LOCAL, LOCAL), kernel).wait()
    for k in range(LOCAL):
        first = k // size * size
        partners = [9, k + 1, k ^ 2, first + 7 - k % 8, first + 6 + k % 2]
        for row, giver in enumerate(partners):
            if row != 1 or giver < min(first + size, LOCAL):
                expected = [giver + 0.5, 10 * giver, giver - 5, giver % 2]
                assert expected == out[row, :, k].tolist(), (row, k)


@sycl.is_device_copyable.register
@dataclass
class point:
    x: np.float32
    n: np.int32


@pytest.mark.row("D-38", "D-40")
def test_objects_in_memory_move_as_copies(queue):
    size = sub_group_size(queue, 8)
    points, out = np.zeros(LOCAL, point), np.zeros(LOCAL, point)
    points["x"], points["n"] = np.arange(LOCAL) / 2, np.arange(LOCAL) * 3

    @sycl.kernel(reqd_sub_group_size=size)
    def kernel(it):
        k, s = it.get_global_id(0), it.get_sub_group()
        given = sycl.permute_group_by_xor(s, points[k], 1)
        given.x += np.float32(100)
        sycl.group_barrier(s)
        out[k] = given
        points[k].n = sycl.group_broadcast(it.get_group(), points[k], 4).n
    queue.parallel_for(sycl.nd_range(LOCAL, LOCAL), kernel).wait()
    partner = np.arange(LOCAL) ^ 1
    assert out["x"].tolist() == (partner / 2 + 100).tolist()
    assert out["n"].tolist() == (partner * 3).tolist()
    assert points["x"].tolist() == (np.arange(LOCAL) / 2).tolist()
    assert points["n"].tolist() == [12] * LOCAL
