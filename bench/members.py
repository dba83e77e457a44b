"""``python -m bench.members``: what reading and writing records whole is worth.

A step of particles, records of four float32, with and without ``passes.simd.members``, in paired
rounds. Non-goals: peers (``dev.py bench``). Invariant: both kernels compute the same.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.passes.simd import members

SIZES, ROUNDS = (1 << 14, 1 << 22), 31  # in the second-level cache, in memory
PARTICLE = np.dtype([("x", "f4"), ("v", "f4"), ("a", "f4"), ("m", "f4")])


def step(i: Any, p: Any, out: Any) -> None:
    """Move a particle."""
    one = p[i]
    v = one.v + one.a / one.m * np.float32(0.01)
    out[i].x = one.x + v * np.float32(0.01)
    out[i].v = v
    out[i].a = -one.x
    out[i].m = one.m


def single(i: Any, p: Any, out: Any) -> None:
    """Compiled without the pass."""
    step(i, p, out)


def whole(i: Any, p: Any, out: Any) -> None:
    """Compiled with it."""
    step(i, p, out)


def prepared(queue: sycl.queue, kernel: Any, size: int) -> Callable[[], float]:
    """Return what runs one step and says how long it took; it is compiled when this returns."""
    join = members.gather
    p, out = np.ones(size, PARTICLE), np.zeros(size, PARTICLE)

    def run() -> float:
        start = time.perf_counter()
        queue.parallel_for(size, kernel, p, out).wait()
        return 1e6 * (time.perf_counter() - start)
    try:
        if kernel is single:
            members.gather = lambda kernel: kernel
        run()
    finally:
        members.gather = join
    return run


def main() -> None:
    """Print the medians and the rounds' ratios."""
    os.environ["UNISYCL_CACHE"] = "off"  # it would take both kernels for one
    queue = sycl.queue(sycl.cpu_selector_v)
    for size in SIZES:
        runs = [prepared(queue, kernel, size) for kernel in (single, whole)]
        times = [[run() for run in runs] for _ in range(ROUNDS)]
        ratios = sorted(a / b for a, b in times)
        middle = [statistics.median(column) for column in zip(*times, strict=True)]
        print(f"{size:8} particles: {middle[0]:9.1f} us one by one, {middle[1]:9.1f} us whole, "
              f"ratio {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")


if __name__ == "__main__":
    main()
