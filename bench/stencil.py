"""One step of the heat equation on a grid: neighbours, as a range and with local tiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench import ours
from bench.harness import OURS, Benchmark, Case, Implementation, Work, sized
from bench.peers.opencl import one_kernel
from bench.peers.start import numba, taichi, warp
from bench.peers.threads import threaded

N, TILE = sized(4096, 128), 16
SIDE = N + 2  # with the boundary around
ALPHA = np.float32(0.1)


def operands() -> Work:
    """Return the grid, the next one (zero, boundary included) and the factor."""
    u = np.random.default_rng(1).random((SIDE, SIDE), np.float32)
    return Work((u, np.zeros_like(u), ALPHA), 1)


def with_unisycl() -> Case:
    """One point a work-item."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    @sycl.kernel
    def stencil(it: Any, u: Any, new: Any, alpha: Any) -> None:
        y, x = it[0] + 1, it[1] + 1
        here = u[y, x]
        new[y, x] = here + alpha * (u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1]
                                    - np.float32(4) * here)

    return ours.launch(sycl.range(N, N), stencil, operands())


def tiled_with_unisycl() -> Case:
    """16 x 16 work-groups; each loads its tile with a halo once."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    @sycl.kernel
    def stencil_tiled(it: Any, u: Any, new: Any, alpha: Any, tile: Any) -> None:
        y, x = it.get_global_id(0) + 1, it.get_global_id(1) + 1
        ly, lx = it.get_local_id(0) + 1, it.get_local_id(1) + 1
        tile[ly, lx] = u[y, x]
        if ly == 1:
            tile[0, lx] = u[y - 1, x]
        if ly == TILE:
            tile[TILE + 1, lx] = u[y + 1, x]
        if lx == 1:
            tile[ly, 0] = u[y, x - 1]
        if lx == TILE:
            tile[ly, TILE + 1] = u[y, x + 1]
        sycl.group_barrier(it.get_group())
        here = tile[ly, lx]
        new[y, x] = here + alpha * (tile[ly - 1, lx] + tile[ly + 1, lx] + tile[ly, lx - 1]
                                    + tile[ly, lx + 1] - np.float32(4) * here)

    halo = sycl.local_accessor(np.float32, (TILE + 2, TILE + 2))
    return ours.launch(sycl.nd_range((N, N), (TILE, TILE)), stencil_tiled, operands(), halo)


def with_numpy(part: slice, u: Any, new: Any, alpha: Any) -> None:
    """A few rows: four passes over what is in the cache."""
    first, last = part.start + 1, part.stop + 1
    out = new[first:last, 1:-1]
    np.add(u[first - 1:last - 1, 1:-1], u[first + 1:last + 1, 1:-1], out=out)
    out += u[first:last, :-2]
    out += u[first:last, 2:]
    out *= alpha
    out += (1 - 4 * alpha) * u[first:last, 1:-1]


def check(result: Any) -> None:
    """Compare with NumPy."""
    u = operands().args[0]
    expected = u[1:-1, 1:-1] + ALPHA * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
                                        - 4 * u[1:-1, 1:-1])
    np.testing.assert_allclose(result[1:-1, 1:-1], expected, rtol=0, atol=2e-6)
    assert not result[0].any()
    assert not result[:, -1].any()


MOVED = 2 * 4 * N**2 / 1e9
BENCHMARKS = {
    "stencil": Benchmark(
        title=f"heat, five points, {N} x {N} float32, one point a work-item",
        implementations={OURS: Implementation(with_unisycl),
                         **threaded(with_numpy, operands, N, 8), **numba("stencil", operands),
                         **taichi("stencil", operands), **warp("stencil", operands, (N, N)),
                         **one_kernel("stencil", operands, (N, N))},
        check=check, work=MOVED, unit="GB/s", bound="stream"),
    "stencil_tiled": Benchmark(
        title=f"the same, {TILE} x {TILE} local tiles with a halo, one barrier",
        implementations={OURS: Implementation(tiled_with_unisycl),
                         **one_kernel("stencil_tiled", operands, (N, N), (TILE, TILE), TILE=TILE)},
        check=check, work=MOVED, unit="GB/s", bound="stream"),
}

if __name__ == "__main__":
    ours.show(BENCHMARKS)
