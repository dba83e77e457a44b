"""Prints how many MiB a program needs beyond Python, NumPy and its arrays: ``unisycl|numba``."""

from __future__ import annotations

import resource
import sys
from typing import Any

import numpy as np

N = 1 << 22


def with_unisycl(a: Any, b: Any, c: Any) -> None:
    """Two kernels, one of them with mathematics."""
    import unisycl as sycl  # noqa: PLC0415 - its memory is what is measured

    @sycl.kernel
    def triad(i: Any, a: Any, b: Any, c: Any) -> None:
        c[i] = a[i] + np.float32(0.4) * b[i]

    @sycl.kernel
    def wave(i: Any, a: Any, c: Any) -> None:
        c[i] = sycl.sin(a[i]) * sycl.exp(-a[i])

    queue = sycl.queue(sycl.cpu_selector_v)
    queue.parallel_for(N, triad, a, b, c).wait()
    queue.parallel_for(N, wave, a, c).wait()


def with_numba(a: Any, b: Any, c: Any) -> None:
    """The same."""
    import numba  # noqa: PLC0415 - its memory is what is measured

    @numba.njit(parallel=True, fastmath=True)
    def triad(a: Any, b: Any, c: Any) -> None:
        for i in numba.prange(len(a)):
            c[i] = a[i] + np.float32(0.4) * b[i]

    @numba.njit(parallel=True, fastmath=True)
    def wave(a: Any, c: Any) -> None:
        for i in numba.prange(len(a)):
            c[i] = np.sin(a[i]) * np.exp(-a[i])

    triad(a, b, c)
    wave(a, c)


def peak() -> float:
    """Return the greatest resident size so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(name: str) -> None:
    """Run and print."""
    a, b, c = np.ones((3, N), np.float32)
    before = peak()
    (with_unisycl if name == "unisycl" else with_numba)(a, b, c)
    print(peak() - before)


if __name__ == "__main__":
    main(sys.argv[1])
