"""How work is cut for the pool."""

from __future__ import annotations

import math

import numpy as np
import pytest

import unisycl as sycl
from unisycl.backends.base import Geometry
from unisycl.backends.cpu.executable import compile_kernel
from unisycl.backends.cpu.variants import Key
from unisycl.frontend.specialize import specialize

data = np.zeros((8, 8), np.float32)


def light(i):  # type: ignore[no-untyped-def]
    data[i[0] % 8, i[1] % 8] = 1


def heavy(i):  # type: ignore[no-untyped-def]
    for k in range(100):
        data[i[0] % 8, i[1] % 8] += k


@pytest.mark.parametrize("extent", [(1, 1), (1, 5), (5, 1), (1000, 1000), (3, 1 << 20),
                                    (1 << 20, 3)])
@pytest.mark.parametrize("kernel", [light, heavy])
def test_tiles_are_whole_vectors_and_cover_the_range(
        kernel: object, extent: tuple[int, int]) -> None:
    units = int(extent == (5, 1))
    key = Key(edge=True, small=True, stream=False, units=units)
    made = compile_kernel(specialize(kernel, "range", 2).kernel, key)
    tile = made.tile(Geometry("range", extent, (), (0, 0)))
    assert 0 == tile[-1 - units] % made.lanes
    assert all(t >= 1 for t in tile)
    assert 1 <= math.prod(-(-e // t) for e, t in zip(extent, tile, strict=True))


@pytest.mark.parametrize("last", [1, 2, 3, 5, 8, 15, 16, 31, 33, 64, 100])
def test_short_rows_run_in_short_vectors(last):
    try:
        queue = sycl.queue(sycl.cpu_selector_v)
    except sycl.exception as error:
        pytest.skip(str(error))
    a = np.random.default_rng(last).random((37, last), np.float32)
    out = np.zeros_like(a)

    def weigh(it, a, out):
        total = np.float32(0)
        for k in range(9):
            total += a[it] * np.float32(k)
        out[it] = total

    queue.parallel_for(a.shape, weigh, a, out).wait()
    np.testing.assert_allclose(out, a * 36, rtol=1e-5)
