"""Three elements count as four where halves are taken (SYCL 2020 §4.14.2.1)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

HALVES = {"lo": lambda v: v.lo, "hi": lambda v: v.hi, "even": lambda v: v.even,
          "odd": lambda v: v.odd}
EXPECTED = {"lo": (1, 2), "hi": (3, 0), "even": (1, 3), "odd": (2, 0)}


@pytest.mark.row("D-4")
@pytest.mark.parametrize("name", HALVES)
def test_the_fourth_of_three_is_zero_when_read(queue, name):
    source = np.zeros(4, sycl.float3)
    source[:] = sycl.float3(1, 2, 3)
    data = source.view(np.float32).reshape(4, 4)
    data[:, 3] = 99  # the room of the fourth is not the fourth
    out, half = np.zeros((3, 4), sycl.float2), HALVES[name]

    def kernel(i):
        v = source[i]
        out[0, i] = half(v)
        w = sycl.float3(1, 2, 3)
        out[1, i] = half(w)
        out[2, i] = half(source[i])
    queue.parallel_for(4, kernel).wait()
    for row in out:
        for found in row:
            assert EXPECTED[name] == tuple(map(int, found))
    assert EXPECTED[name] == tuple(getattr(sycl.float3(1, 2, 3), name))


@pytest.mark.row("D-4")
def test_what_is_written_to_the_fourth_of_three_goes_nowhere(queue):
    memory = np.zeros(4, sycl.int3)
    words = memory.view(np.int32).reshape(4, 4)
    words[:, 3] = 77
    out = np.zeros((4, 3), np.int32)

    def kernel(i):
        v = sycl.int3(1, 2, 3)
        v.hi = sycl.int2(10, 20)
        v.odd += sycl.int2(100, 200)
        v.hi.x += 1000
        out[i, 0], out[i, 1], out[i, 2] = v.x, v.y, v.z
        memory[i].hi = sycl.int2(5, 6)
        memory[i].odd = 7
    queue.parallel_for(4, kernel).wait()
    assert [[1, 102, 1010]] * 4 == out.tolist()
    assert [[0, 7, 5, 77]] * 4 == words.tolist()
    v = sycl.int3(1, 2, 3)
    v.hi = sycl.int2(10, 20)
    v.odd += sycl.int2(100, 200)
    v.hi.x += 1000
    v.hi.y = 4
    v.zyx.hi = 8
    assert (8, 102, 1010) == tuple(v)


@pytest.mark.row("D-4")
def test_swizzles_of_halves_of_three(queue):
    out = np.zeros(4, np.int32)

    def kernel():
        v = sycl.int3(1, 2, 3)
        w = v.hi.yx
        out[0], out[1] = w.x, w.y
        out[2] = v.zyx.hi.x
        k = out[3] + 1
        out[3] = v.odd[k] + 5
    queue.single_task(kernel).wait()
    assert [0, 3, 1, 5] == out.tolist()
    assert (0, 3) == tuple(sycl.int3(1, 2, 3).hi.yx)
