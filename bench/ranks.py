"""Several ranks on this machine: ``python -m bench.ranks``.

Collective calls over what they stand on, a queue over ranks over a plain queue, ranks over threads,
and the simulation over real runs. Non-goals: networks. Invariant: what is compared runs in turns,
each figure is the median, and the spread (the quartiles' distance over the median) stands beside.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import unisycl as sycl
from unisycl.ext.unisycl import distr_buffer, distr_queue, neighborhood, one_to_one
from unisycl.oneapi import ccl


class Figure(NamedTuple):
    """Seconds by the clock, their spread, and seconds of the processor."""

    wall: float
    spread: float
    cpu: float


HERE = [sys.executable, "-m", "bench.ranks"]


def in_turns(ways: dict[str, Callable[[], Any]], rounds: int, each: int = 1) -> dict[str, Figure]:
    """Return what each way takes: seconds by the clock, their spread, and of the processor."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for way in ways.values():
        way()
    for _ in range(rounds):
        for name, way in ways.items():
            begin, spent = time.perf_counter(), time.process_time()
            for _ in range(each):
                way()
            found[name].append(((time.perf_counter() - begin) / each,
                                (time.process_time() - spent) / each))
    return {name: summary(x) for name, x in found.items()}


def summary(values: list[tuple[float, float]]) -> Figure:
    """Return the medians and the spread."""
    low, middle, high = np.percentile([v[0] for v in values], [25, 50, 75])
    return Figure(float(middle), float((high - low) / middle),
                  float(np.median([v[1] for v in values])))


def allreduce() -> None:
    """Compare ``allreduce`` with mpi4py's own call, on this number of ranks."""
    from mpi4py import MPI  # noqa: PLC0415 -- importing it starts MPI

    world = MPI.COMM_WORLD
    comm = ccl.from_mpi(world)
    queue = sycl.queue("cpu", sycl.property.queue.in_order())
    for count, rounds, each in ((1, 15, 20), (1 << 20, 15, 1)):
        a, b = np.ones(count, np.float32), np.ones(count, np.float32)
        found = in_turns({
            "MPI": functools.partial(world.Allreduce, a, b),
            "ours": functools.partial(_ours, a, b, comm, queue)}, rounds, each)
        if world.rank == 0:
            tell(f"allreduce of {4 * count} B on {world.size} ranks", found)


def _ours(a: Any, b: Any, comm: Any, queue: Any) -> None:
    ccl.allreduce(a, b, comm=comm, where=queue).wait()


def heat_step(n: int, u: Any, v: Any, around: Any = None, own: Any = None) -> Any:
    """Return a command group that makes a step of the heat equation."""
    def step(h: Any) -> None:
        a = sycl.accessor(u, h, around, sycl.read_only)
        b = sycl.accessor(v, h, own, sycl.write_only, sycl.no_init)

        def flow(i: Any) -> None:
            r, c = i[0], i[1]
            if 0 < r < n - 1 and 0 < c < n - 1:
                b[r, c] = a[r, c] + 0.2 * (a[r - 1, c] + a[r + 1, c] + a[r, c - 1] + a[r, c + 1]
                                           - 4 * a[r, c])
            else:
                b[r, c] = a[r, c]
        h.parallel_for((n, n), flow)
    return step


def one_rank() -> None:
    """Compare steps of the heat equation on a plain queue and by a queue over ranks."""
    n, steps = 1000, 20
    plain, over = sycl.queue("cpu"), distr_queue("cpu")
    start = np.zeros((n, n), np.float32)

    def run(queue: Any, u: Any, v: Any, *mappers: Any) -> None:
        for _ in range(steps):
            queue.submit(heat_step(n, u, v, *mappers))
            u, v = v, u
        queue.wait()
    tell(f"heat {n}, {steps} steps, one rank", in_turns({
        "queue": functools.partial(run, plain, sycl.buffer(start.copy()),
                                   sycl.buffer(start.copy())),
        "ranks": functools.partial(run, over, distr_buffer(start), distr_buffer(start),
                                   neighborhood(1, 1), one_to_one)}, 15))


def groups() -> None:
    """Compare the cost of a command group that moves nothing."""
    n, count = 256, 100
    plain, over = sycl.queue("cpu"), distr_queue("cpu")
    b, d = sycl.buffer(np.zeros(n)), distr_buffer(np.zeros(n))

    def submit(queue: Any, buffer: Any, *mapper: Any) -> Callable[[], None]:
        def all_of_them() -> None:
            for _ in range(count):
                def group(h: Any) -> None:
                    a = sycl.accessor(buffer, h, *mapper, sycl.read_write)

                    def add(i: Any) -> None:
                        a[i] += 1
                    h.parallel_for(n, add)
                queue.submit(group)
            queue.wait()
        return all_of_them
    found = in_turns({"queue": submit(plain, b), "ranks": submit(over, d, one_to_one)}, 9)
    if over.rank == 0:
        tell(f"{count} command groups, {over.size} ranks, no data to move", found)
    over.close()


def tell(what: str, found: dict[str, Figure]) -> None:
    """Print a comparison."""
    (first, a), (second, b) = found.items()
    print(f"{what}: {first} {a.wall * 1e6:.0f} us (spread {a.spread:.0%}, processor "
          f"{a.cpu * 1e6:.0f}), {second} {b.wall * 1e6:.0f} us ({b.spread:.0%}, "
          f"{b.cpu * 1e6:.0f}): {b.wall / a.wall:.2f} x, processor {b.cpu / a.cpu:.2f} x",
          flush=True)


def start(count: int, *words: str, threads: int = 1) -> str:
    """Run a part of this program, or another one, as so many ranks; return what it prints."""
    mpiexec = str(Path(sys.executable).parent / "mpiexec")
    done = subprocess.run([mpiexec, "-n", str(count), *words], text=True, capture_output=True,
                          check=False, env={**os.environ, "UNISYCL_THREADS": str(threads)})
    return done.stdout + (done.stderr if done.returncode else "")


def ranks_for_threads(what: str, size: int, steps: int) -> None:
    """Compare two ranks of one thread with one rank of two threads, in turns."""
    program = [sys.executable, "-m", "unisycl.examples.ranks", what, str(size), str(steps)]
    times: dict[int, list[tuple[float, float]]] = {1: [], 2: []}
    for _ in range(5):
        for count, known in times.items():
            said = start(count, *program, threads=3 - count)
            known.append((float(said.split("ranks: ")[1].split(" ms")[0]) / 1e3, 0.0))
    one, two = summary(times[1]), summary(times[2])
    print(f"{what} {size}, {steps} steps: one rank of two threads {one.wall * 1e3:.1f} ms (spread "
          f"{one.spread:.0%}), two ranks of one thread {two.wall * 1e3:.1f} ms (spread "
          f"{two.spread:.0%}): {one.wall / two.wall:.2f} x as fast", flush=True)


def main(arguments: list[str]) -> None:
    """Run one part as a rank, or all parts."""
    parts = {"allreduce": allreduce, "groups": groups, "one": one_rank}
    if arguments:
        parts[arguments[0]]()
        return
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    for count in (2, 4):
        print(start(count, *HERE, "allreduce"), end="")
    print(start(1, *HERE, "one"), end="")
    for count in (1, 2):
        print(start(count, *HERE, "groups"), end="")
    ranks_for_threads("heat", 2000, 40)
    ranks_for_threads("bodies", 3000, 8)


if __name__ == "__main__":
    main(sys.argv[1:])
