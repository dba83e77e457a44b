"""What a random number takes inside kernels, by the engine that makes it.

    python -m bench.random_kernels [--items 65536] [--rounds 3] [--device cpu]

Each work-item makes an engine at a place of its own in one stream (of mt19937: of a seed of its
own) and adds up so many uniform float32. Printed are the nanoseconds of all processors for a number
(of a card: by the clock), the least of the rounds; what one number more takes; and what making the
engine takes. Non-goals: other libraries.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.mkl import rng

COUNTS = (1, 16, 1024)
device = rng.device
ENGINES: dict[str, Callable[[Any], Any]] = {
    "philox4x32x10": lambda i: device.philox4x32x10(1, 1024 * i),
    "mcg59": lambda i: device.mcg59(1, 1024 * i),
    "mrg32k3a": lambda i: device.mrg32k3a(1, 1024 * i),
    "mt19937": device.mt19937,
    "sobol": lambda i: device.sobol(4, 4 * i),
}


def least(queue: sycl.queue, make: Callable[[Any], Any], items: int, count: int,
          rounds: int) -> float:
    """Return the seconds of all processors (of a card: by the clock) for a launch."""
    out = sycl.malloc_shared(items, np.float32, queue)

    def kernel(i: Any, out: Any, count: Any) -> None:
        engine, total = make(i), np.float32(0)
        law = device.uniform(np.float32(0), np.float32(1))
        for _ in range(count):
            total += device.generate(law, engine)
        out[i] = total

    clock = time.process_time if queue.get_device().has(sycl.aspect.cpu) else time.perf_counter
    found = []
    for _ in range(rounds + 1):
        begin = clock()
        queue.parallel_for(items, kernel, out, np.int32(count)).wait()
        found.append(clock() - begin)
    assert 0.45 * count < float(np.asarray(out).mean()) < 0.55 * count
    sycl.free(out, queue)
    return min(found[1:])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.random_kernels")
    parser.add_argument("--items", type=int, default=65536)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    asked = parser.parse_args()
    queue = sycl.queue(asked.device)
    print(f"{asked.items} work-items on {asked.device}; ns")
    print(f"{'numbers of each work-item':27}" + "".join(f"{c:>10}" for c in COUNTS)
          + f"{'one more':>10}{'engine':>10}")
    for name, make in ENGINES.items():
        times = [1e9 * least(queue, make, asked.items, c, asked.rounds) / asked.items
                 for c in COUNTS]
        more = (times[-1] - times[0]) / (COUNTS[-1] - COUNTS[0])
        cells = "".join(f"{t / c:10.2f}" for t, c in zip(times, COUNTS, strict=True))
        print(f"{name:27}{cells}{more:10.2f}{max(times[0] - more, 0):10.1f}", flush=True)


if __name__ == "__main__":
    main()
