"""Matrix products: naive, one element a work-item; and with tiles in local memory and barriers."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench import ours
from bench.harness import OURS, Benchmark, Case, Implementation, Work, sized
from bench.peers.opencl import one_kernel
from bench.peers.start import numba, taichi, warp

N, TILE = sized(1024, 64), 16


def operands() -> Work:
    """Return the two factors, the product and the size."""
    random = np.random.default_rng(1)
    a, b = (random.random((N, N), np.float32) - np.float32(0.5) for _ in range(2))
    return Work((a, b, np.zeros_like(a), np.int32(N)), 2)


def with_unisycl() -> Case:
    """One element a work-item."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    @sycl.kernel
    def matmul(it: Any, left: Any, right: Any, out: Any, n: Any) -> None:
        row, column = it
        total = np.float32(0)
        for k in range(n):
            total += left[row, k] * right[k, column]
        out[row, column] = total

    return ours.launch(sycl.range(N, N), matmul, operands())


def tiled_with_unisycl() -> Case:
    """16 x 16 work-groups."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    @sycl.kernel
    def matmul_tiled(it: Any, left: Any, right: Any, out: Any, n: Any, tile_l: Any, tile_r: Any
                     ) -> None:
        row, column = it.get_global_id(0), it.get_global_id(1)
        y, x = it.get_local_id(0), it.get_local_id(1)
        total = np.float32(0)
        for first in range(0, n, TILE):
            tile_l[y, x] = left[row, first + x]
            tile_r[y, x] = right[first + y, column]
            sycl.group_barrier(it.get_group())
            for k in range(TILE):
                total += tile_l[y, k] * tile_r[k, x]
            sycl.group_barrier(it.get_group())
        out[row, column] = total

    tiles = [sycl.local_accessor(np.float32, (TILE, TILE)) for _ in range(2)]
    return ours.launch(sycl.nd_range((N, N), (TILE, TILE)), matmul_tiled, operands(), *tiles)


def with_blas() -> Case:
    """What a library does with the same matrices: other work, so not counted."""
    return operands().call(lambda a, b, c, n: np.matmul(a, b, out=c))


def check(result: Any) -> None:
    """Compare with NumPy within the rounding of N float32 additions."""
    a, b = operands().args[:2]
    np.testing.assert_allclose(result, a @ b, rtol=0, atol=float(N * np.finfo(np.float32).eps))


FLOPS = 2 * N**3 / 1e9
BLAS = {"numpy-blas": Implementation(with_blas, counted=False)}
BENCHMARKS = {
    "matmul": Benchmark(
        title=f"{N}^3 float32, naive, one element a work-item",
        implementations={OURS: Implementation(with_unisycl), **numba("matmul", operands),
                         **taichi("matmul", operands), **warp("matmul", operands, (N, N)),
                         **one_kernel("matmul", operands, (N, N)), **BLAS},
        check=check, work=FLOPS, unit="GFLOP/s", bound="fma"),
    "matmul_tiled": Benchmark(
        title=f"{N}^3 float32, {TILE} x {TILE} local tiles, two barriers a tile",
        implementations={OURS: Implementation(tiled_with_unisycl), **BLAS,
                         **one_kernel("matmul_tiled", operands, (N, N), (TILE, TILE), TILE=TILE)},
        check=check, work=FLOPS, unit="GFLOP/s", bound="fma"),
}

if __name__ == "__main__":
    ours.show(BENCHMARKS)
