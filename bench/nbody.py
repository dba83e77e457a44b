"""Gravity of all pairs of bodies: arithmetic on values that every lane shares."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench import ours
from bench.harness import OURS, Benchmark, Case, Implementation, Work, sized
from bench.peers.opencl import one_kernel
from bench.peers.start import numba, taichi, warp

N = sized(16384, 512)
SOFTENING = 1e-3
FLOPS = 20  # a pair, as it is customary to count


def operands() -> Work:
    """Return positions, masses, the accelerations to compute, and how many."""
    random = np.random.default_rng(1)
    given = [random.random(N, np.float32) for _ in range(4)]
    return Work((*given, *(np.zeros(N, np.float32) for _ in range(3)), np.int32(N)), (4, 5, 6))


def with_unisycl() -> Case:
    """One body a work-item, over NumPy arrays used in place."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    @sycl.kernel
    def nbody(i: Any, x: Any, y: Any, z: Any, m: Any, ax: Any, ay: Any, az: Any, n: Any) -> None:
        xi, yi, zi = x[i], y[i], z[i]
        fx = fy = fz = np.float32(0)
        for j in range(n):
            dx, dy, dz = x[j] - xi, y[j] - yi, z[j] - zi
            near = sycl.rsqrt(dx * dx + dy * dy + dz * dz + np.float32(SOFTENING))
            pull = m[j] * near * near * near
            fx += pull * dx
            fy += pull * dy
            fz += pull * dz
        ax[i], ay[i], az[i] = fx, fy, fz

    return ours.launch(sycl.range(N), nbody, operands())


def check(result: Any) -> None:
    """Compare every 64th body with NumPy in double precision."""
    x, y, z, m = (v.astype(np.float64) for v in operands().args[:4])
    dx, dy, dz = (v - v[::64, None] for v in (x, y, z))
    pull = m * (dx * dx + dy * dy + dz * dz + SOFTENING) ** -1.5
    for got, d in zip(result, (dx, dy, dz), strict=True):
        expected = (pull * d).sum(1)
        np.testing.assert_allclose(got[::64], expected, rtol=2e-3, atol=1e-3 * abs(expected).max())


BENCHMARKS = {"nbody": Benchmark(
    title=f"{N} bodies, all pairs, float32",
    implementations={OURS: Implementation(with_unisycl), **ours.one_thread(with_unisycl),
                     **numba("nbody", operands),
                     **taichi("nbody", operands), **warp("nbody", operands, (N,)),
                     **one_kernel("nbody", operands, (N,))},
    check=check, work=FLOPS * N**2 / 1e9, unit="GFLOP/s", bound="fma")}

if __name__ == "__main__":
    ours.show(BENCHMARKS)
