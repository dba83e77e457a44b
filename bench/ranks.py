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
from unisycl.examples import ranks as examples
from unisycl.ext.unisycl import distr_buffer, distr_queue, neighborhood, one_to_one
from unisycl.oneapi import ccl


class Figure(NamedTuple):
    """Seconds by the clock, their spread, and seconds of the processor."""

    wall: float
    spread: float
    cpu: float


PROGRAMS = (("heat", 2000, 100), ("heat", 4096, 40), ("bodies", 3000, 10))
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


def steps(what: str, size: str, count: str) -> None:
    """Run steps of a program five times as a rank; the first prints the median of a step.

    Large memory is taken before: on virtual machines that may take longer than all steps.
    """
    queue, n, k = distr_queue("cpu"), int(size), int(count)
    grids = [distr_buffer((n, n), np.float32) for _ in range(2)] if what == "heat" else []

    def fill(grid: Any, h: Any) -> None:
        h.fill(sycl.accessor(grid, h, sycl.write_only, sycl.no_init), 1.0)
    for grid in grids:
        queue.submit(functools.partial(fill, grid))

    def run() -> None:
        if what != "heat":
            examples.bodies(queue, n, k)
        for j in range(k if grids else 0):
            queue.submit(heat_step(n, grids[j % 2], grids[1 - j % 2], neighborhood(1, 1),
                                   one_to_one))
        queue.close()
    found = in_turns({what: run}, 5)[what]
    if queue.rank == 0:
        print(f"ranks: {found.wall / k * 1e3:.3f} ms", flush=True)


def ranks_for_threads(what: str, size: int, count: int) -> None:
    """Compare two ranks of one thread, each on its processor, with one rank of two, in turns."""
    times: dict[int, list[tuple[float, float]]] = {1: [], 2: []}
    for _ in range(3):
        for ranks, known in times.items():
            said = subprocess.run(
                [sys.executable, "-m", "unisycl", "mpirun", "-n", str(ranks), "-m", "bench.ranks",
                 "steps", what, str(size), str(count)], text=True, capture_output=True, check=True,
                env={**os.environ, "UNISYCL_THREADS": str(3 - ranks)}).stdout
            known.append((float(said.split("ranks: ")[1].split(" ms")[0]) / 1e3, 0.0))
    one, two = summary(times[1]), summary(times[2])
    print(f"a step of {what} {size}: one rank of two threads {one.wall * 1e3:.2f} ms (spread "
          f"{one.spread:.0%}), two ranks of one thread {two.wall * 1e3:.2f} ms (spread "
          f"{two.spread:.0%}): {one.wall / two.wall:.2f} x as fast", flush=True)


def ranks_for_all() -> None:
    """Compare ranks with threads by all programs."""
    for program in PROGRAMS:
        ranks_for_threads(*program)


def main(arguments: list[str]) -> None:
    """Run one part as a rank, or all parts."""
    parts: dict[str, Callable[..., None]] = {
        "allreduce": allreduce, "groups": groups, "one": one_rank, "steps": steps,
        "threads": ranks_for_all}
    if arguments:
        parts[arguments[0]](*arguments[1:])
        return
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    for count in (2, 4):
        print(start(count, *HERE, "allreduce"), end="")
    print(start(1, *HERE, "one"), end="")
    for count in (1, 2):
        print(start(count, *HERE, "groups"), end="")
    parts["threads"]()


if __name__ == "__main__":
    main(sys.argv[1:])
