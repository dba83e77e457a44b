"""Transpose: naive, and through a padded tile in local memory so that both sides are contiguous."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench import ours
from bench.harness import OURS, Benchmark, Case, Implementation, Work, sized
from bench.peers.opencl import one_kernel
from bench.peers.start import dpnp, numba, taichi, warp
from bench.peers.threads import threaded

N, TILE = sized(4096, 128), 16


def operands() -> Work:
    """Return the matrix and where its transpose goes."""
    return Work((np.arange(N * N, dtype=np.float32).reshape(N, N), np.zeros((N, N), np.float32)), 1)


def with_unisycl() -> Case:
    """Reads rows, writes columns."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    @sycl.kernel
    def transpose(it: Any, matrix: Any, out: Any) -> None:
        y, x = it
        out[x, y] = matrix[y, x]

    return ours.launch(sycl.range(N, N), transpose, operands())


def tiled_with_unisycl() -> Case:
    """Through a tile of 16 x 17."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    @sycl.kernel
    def transpose_tiled(it: Any, matrix: Any, out: Any, tile: Any) -> None:
        ly, lx = it.get_local_id(0), it.get_local_id(1)
        tile[ly, lx] = matrix[it.get_global_id(0), it.get_global_id(1)]
        sycl.group_barrier(it.get_group())
        row, column = it.get_group(1) * TILE + ly, it.get_group(0) * TILE + lx
        out[row, column] = tile[lx, ly]

    tile = sycl.local_accessor(np.float32, (TILE, TILE + 1))
    return ours.launch(sycl.nd_range((N, N), (TILE, TILE)), transpose_tiled, operands(), tile)


def with_numpy(part: slice, matrix: Any, out: Any) -> None:
    """A few rows of the result."""
    np.copyto(out[part], matrix[:, part].T)


def on_dpnp(dp: Any, args: list[Any]) -> Any:
    """Return dpnp's copy of the transposed view."""
    return lambda: dp.ascontiguousarray(args[0].T)


def check(result: Any) -> None:
    """Compare with NumPy, bit for bit."""
    assert np.array_equal(result, operands().args[0].T)


MOVED = 2 * 4 * N**2 / 1e9
BENCHMARKS = {
    "transpose": Benchmark(
        title=f"{N} x {N} float32, naive",
        implementations={OURS: Implementation(with_unisycl),
                         **threaded(with_numpy, operands, N, 32), **numba("transpose", operands),
                         **taichi("transpose", operands), **warp("transpose", operands, (N, N)),
                         **dpnp(on_dpnp, operands), **one_kernel("transpose", operands, (N, N))},
        check=check, work=MOVED, unit="GB/s", bound="stream"),
    "transpose_tiled": Benchmark(
        title=f"{N} x {N} float32 through {TILE} x {TILE + 1} local tiles, one barrier",
        implementations={
            OURS: Implementation(tiled_with_unisycl),
            **one_kernel("transpose_tiled", operands, (N, N), (TILE, TILE), TILE=TILE)},
        check=check, work=MOVED, unit="GB/s", bound="stream"),
}

if __name__ == "__main__":
    ours.show(BENCHMARKS)
