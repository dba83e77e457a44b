"""How to time a kernel: warm up, then the clock around submit and wait, and the events' own times.

``python -m unisycl.examples.timing [--size N] [--rounds R] [--device D]``

Without ``--device`` every device found is measured, on a tiled matrix product. The first run
compiles the kernel and is told apart. The clock sees what the program waits for; the event's times
(queues with ``enable_profiling``) say when the device began and ended.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import unisycl as sycl
from unisycl.examples.comparison import at_least, distance, pick_size
from unisycl.examples.matmul import error_bound, submit_tiled
from unisycl.examples.program import make_queue


@dataclass(frozen=True)
class Times:
    """What one device took, in milliseconds: each the median of several runs."""

    first: float
    clock: float
    waiting: float
    running: float
    right: bool


def measure(queue: sycl.queue, size: int, rounds: int) -> Times:
    """Time a product of two square matrices on a queue with profiling."""
    generator = np.random.default_rng(6)
    a, b = generator.random((size, size), np.float32), generator.random((size, size), np.float32)
    c = np.empty_like(a)
    asked = sycl.info.event_profiling
    clock, waiting, running = [], [], []
    with sycl.buffer(a) as ba, sycl.buffer(b) as bb, sycl.buffer(c) as bc:
        begin = time.perf_counter()
        submit_tiled(queue, ba, bb, bc).wait()  # compiles, allocates, moves the data
        first = (time.perf_counter() - begin) * 1e3
        for _ in range(rounds):
            begin = time.perf_counter()
            event = submit_tiled(queue, ba, bb, bc)
            event.wait()
            clock.append((time.perf_counter() - begin) * 1e3)
            submitted, started, ended = (event.get_profiling_info(what) / 1e6 for what in (
                asked.command_submit, asked.command_start, asked.command_end))
            waiting.append(started - submitted)
            running.append(ended - started)
    median = statistics.median
    right = distance(c, a.astype(np.float64) @ b) <= error_bound(a, b)
    return Times(first, median(clock), median(waiting), median(running), right)


def gigaflops(size: int, milliseconds: float) -> float:
    """Return the rate of a product: one multiplication and one addition for each of size³."""
    return 2 * size ** 3 / max(milliseconds, 1e-9) / 1e6


def queues(asked: str | None) -> list[sycl.queue]:
    """Return a profiling queue on the device asked for, or on each that was found."""
    if asked is not None:
        return [make_queue(asked)]
    profiling = sycl.property.queue.enable_profiling()
    return [sycl.queue(d, profiling) for p in sycl.platform.get_platforms()
            for d in p.get_devices() if d.has(sycl.aspect.queue_profiling)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example from the command line."""
    parser = argparse.ArgumentParser(prog="python -m unisycl.examples.timing",
                                     description="Times a matrix product on every device.")
    parser.add_argument("--device", help="only this one: cpu, host, default, ...")
    parser.add_argument("--size", type=int, help="default 512, on the host device 24")
    parser.add_argument("--rounds", type=int, default=10, help="runs after the first")
    options = parser.parse_args(arguments)
    at_least(1, rounds=options.rounds)
    if options.size is not None:
        at_least(1, size=options.size)

    wrong = False
    for queue in queues(options.device):
        device = queue.get_device()
        size = pick_size(queue, options.size, 512, 24)
        times = measure(queue, size, options.rounds)
        wrong = wrong or not times.right
        print(f"{device.get_info(sycl.info.device.name)} [{device.get_backend().name}]: "
              f"{size} x {size}, median of {options.rounds}")
        print(f"  first run, compiling included {times.first:12.3f} ms")
        print(f"  clock around submit and wait  {times.clock:12.3f} ms "
              f"{gigaflops(size, times.clock):10.3f} GFLOP/s")
        print(f"  event: submitted to started   {times.waiting:12.3f} ms")
        print(f"  event: started to ended       {times.running:12.3f} ms "
              f"{gigaflops(size, times.running):10.3f} GFLOP/s")
        print("  equal to NumPy" if times.right else "  WRONG")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
