"""Vector addition: memory bandwidth."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from bench.harness import OURS, Benchmark, Case, Implementation

N = 1 << 25
THREADS = 2

Vector = npt.NDArray[np.float32]


def operands() -> tuple[Vector, Vector, Vector]:
    """Return two vectors and one for the sum, every page touched."""
    a = np.arange(N, dtype=np.float32) % np.float32(1000)
    return a, a[::-1].copy(), np.ones(N, np.float32)


def with_unisycl() -> Case:
    """One element a work-item, over NumPy arrays used in place."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to this implementation's process

    a, b, c = operands()
    queue = sycl.queue(sycl.cpu_selector_v)

    @sycl.kernel
    def add(i: Any, left: Any, right: Any, out: Any) -> None:
        out[i] = left[i] + right[i]

    extent = sycl.range(N)
    return Case(lambda: queue.parallel_for(extent, add, a, b, c).wait(), lambda: c)


def with_numpy() -> Case:
    """``np.add`` into an existing array, half of it on each of two threads."""
    a, b, c = operands()
    pool = ThreadPoolExecutor(THREADS)
    parts = [slice(k * N // THREADS, (k + 1) * N // THREADS) for k in range(THREADS)]

    def run() -> None:
        list(pool.map(lambda part: np.add(a[part], b[part], out=c[part]), parts))

    return Case(run, lambda: c)


def check(result: Any) -> None:
    """Compare with NumPy, bit for bit."""
    a, b, _ = operands()
    assert np.array_equal(result, a + b)


BENCHMARK = Benchmark(
    title="2^25 float32, c = a + b; GB/s counts two reads and one write",
    implementations={
        OURS: Implementation(with_unisycl),
        "numpy-2-threads": Implementation(with_numpy),
    },
    check=check,
    work=3 * 4 * N / 1e9,
    unit="GB/s",
    bars={"numpy-2-threads": 0.95},
)
