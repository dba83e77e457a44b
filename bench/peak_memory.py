"""``python -m bench.peak_memory``: MiB that a program needs beyond Python, NumPy and its arrays.

Each way runs in a process of its own, ours with an empty cache and with a full one; columns are the
peak behind the import, the first kernel and the second. ``unisycl|numba`` runs one way here and
prints its last peak. Non-goals: memory of other devices.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

N = 1 << 22
STAGES: dict[str, float] = {}
BEFORE: list[float] = []


def with_unisycl(a: Any, b: Any, c: Any) -> None:
    """Two kernels, one of them with mathematics."""
    import unisycl as sycl  # noqa: PLC0415 - its memory is what is measured
    told("import")

    @sycl.kernel
    def triad(i: Any, a: Any, b: Any, c: Any) -> None:
        c[i] = a[i] + np.float32(0.4) * b[i]

    @sycl.kernel
    def wave(i: Any, a: Any, c: Any) -> None:
        c[i] = sycl.sin(a[i]) * sycl.exp(-a[i])

    queue = sycl.queue(sycl.cpu_selector_v)
    queue.parallel_for(N, triad, a, b, c).wait()
    told("first kernel")
    queue.parallel_for(N, wave, a, c).wait()


def with_numba(a: Any, b: Any, c: Any) -> None:
    """The same."""
    import numba  # noqa: PLC0415 - its memory is what is measured
    told("import")

    @numba.njit(parallel=True, fastmath=True)
    def triad(a: Any, b: Any, c: Any) -> None:
        for i in numba.prange(len(a)):
            c[i] = a[i] + np.float32(0.4) * b[i]

    @numba.njit(parallel=True, fastmath=True)
    def wave(a: Any, c: Any) -> None:
        for i in numba.prange(len(a)):
            c[i] = np.sin(a[i]) * np.exp(-a[i])

    triad(a, b, c)
    told("first kernel")
    wave(a, c)


def peak() -> float:
    """Return the greatest resident size so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def told(stage: str) -> None:
    """Note the peak behind a stage."""
    STAGES[stage] = peak() - BEFORE[0]


def main(name: str) -> None:
    """Run and print."""
    a, b, c = np.ones((3, N), np.float32)
    BEFORE[:] = [peak()]
    (with_unisycl if name == "unisycl" else with_numba)(a, b, c)
    told("second kernel")
    print(" ".join(f"{mib:.1f}" for mib in STAGES.values()))


def table() -> None:
    """Run each way in a process of its own and print its stages."""
    print(f"{'MiB beyond the arrays':24}{'import':>10}{'1 kernel':>10}{'2 kernels':>10}")
    with tempfile.TemporaryDirectory(prefix="unisycl-bench-") as cache:
        env = {**os.environ, "UNISYCL_CACHE": cache,
               "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
        for title, name in (("unisycl, nothing cached", "unisycl"), ("unisycl, cached", "unisycl"),
                            ("numba", "numba")):
            done = subprocess.run([sys.executable, __file__, name], env=env, text=True,
                                  stdout=subprocess.PIPE, check=False)
            print(f"{title:24}" + ("".join(f"{x:>10}" for x in done.stdout.split())
                                   if done.returncode == 0 else "  did not run"))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        table()
