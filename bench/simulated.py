"""What ``simulate`` predicts beside what ranks take here.

::

    python -m bench.simulated [--ranks 2,4] [--programs heat,bodies]

The network's figures are measured between two ranks first: what a large message takes, and a step
of a program that does nothing but wait for an element of its neighbour, which is what a message
costs with all that ranks do for it. Programs run as they are on two ranks, each with a thread and a
processor, and with delays: each kernel sleeps as long as it is said to take, and each message is
late, so that any number of ranks needs no more processors than are there. All that is run and told
in turns; the median counts. Non-goals: other machines' networks. Invariant: the simulation gets the
network's figures and those of the delays, nothing of the runs.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.examples import ranks as examples
from unisycl.ext.unisycl import distr_buffer, distr_queue, neighborhood, one_to_one
from unisycl.ranks.links import world
from unisycl.ranks.links.link import Ending, Link
from unisycl.ranks.links.mpi import MpiLink
from unisycl.ranks.network.machine import Machine
from unisycl.ranks.network.pretended import PretendedLink
from unisycl.ranks.queue import distr_handler, pretending
from unisycl.runtime.graph.tasks import begin_python

LATE, SPEED = 4e-3, 2e8  # seconds, and bytes a second, of a message that is delayed
STEPS = {False: 40, True: 10}  # with delays fewer; memory is taken anew in the first ones
PROGRAMS: dict[str, tuple[Callable[[Any, int], Any], float]] = {
    "heat": (lambda q, k: examples.heat(q, 512 * q.size, 1024, k), 5e-8),
    "bodies": (lambda q, k: examples.bodies(q, 1024 * q.size, k), 2.4e-5)}
"""How a program is run for so many steps, and the seconds of an item where kernels are delays."""


def longer(size: int) -> float:
    """Return how much longer delays are than those of two ranks: processors are as many as ever."""
    return max(1.0, size / 2)


def delay(cost: float, late: float) -> None:
    """Have kernels sleep instead, so long for each item, and messages arrive late."""
    plain = MpiLink.receive

    def receive(self: Any, source: int, tag: int, data: Any, words: str = "") -> Ending:
        inner, made = plain(self, source, tag, data, words), Ending()

        def later() -> None:
            threading.Timer(late + data.nbytes / SPEED, made.finish, (inner.error(),)).start()
        inner.call(later)
        return made

    def launch(self: Any, geometry: Any, fn: Any, args: Any, reductions: Any) -> None:
        spent = cost * math.prod(geometry.global_)
        self.set_command("a delay", begin_python(lambda: time.sleep(spent)), native=False)
    MpiLink.receive = receive  # type: ignore[method-assign]
    distr_handler.distr_handler.launch = launch  # type: ignore[method-assign]


def as_rank(what: str, delayed: bool) -> None:
    """Run a program as one rank; the first prints the median of three runs."""
    run, cost = PROGRAMS[what]
    q = distr_queue("cpu")
    if delayed:
        delay(cost * longer(q.size), LATE * longer(q.size))
    run(q, 2)
    q.close()
    times = []
    for _ in range(3):
        q.close()
        begin = time.perf_counter()
        run(q, STEPS[delayed])
        q.close()
        times.append(time.perf_counter() - begin)
    if q.rank == 0:
        print("RESULT", json.dumps(float(np.median(times))), flush=True)


def steps_alone(q: Any) -> float:
    """Return the seconds of a step of which nearly all is a message to and from a neighbour."""
    grids = [distr_buffer(np.zeros(64)) for _ in range(2)]

    def step(h: Any) -> None:
        a = sycl.accessor(grids[0], h, neighborhood(1), sycl.read_only)
        b = sycl.accessor(grids[1], h, one_to_one, sycl.write_only, sycl.no_init)

        def left(i: Any) -> None:
            b[i] = a[max(int(i) - 1, 0)] + 1
        h.parallel_for(64, left)

    def run(count: int) -> float:
        begin = time.perf_counter()
        for _ in range(count):
            q.submit(step)
            grids.reverse()
        q.close()
        return (time.perf_counter() - begin) / count
    run(20)
    return float(np.median([run(20) for _ in range(9)]))


def network() -> None:
    """Measure messages between two ranks, and command groups: the first prints what they take."""
    q = distr_queue("cpu")
    link: Link = q.origin.duplicate()

    def way(nbytes: int, times: int) -> float:
        data, found = np.zeros(nbytes, np.uint8), []
        for k in range(times):
            begin = time.perf_counter()
            for turn in (0, 1):
                tag = 2 * k + turn
                link.finish(link.send(1 - q.rank, tag, data) if q.rank == turn else
                            link.receive(1 - q.rank, tag, data))
            found.append((time.perf_counter() - begin) / 2)
        return float(np.median(found))
    small, large = way(8, 300), way(1 << 22, 20)
    buffer = distr_buffer(np.zeros(256))
    step = steps_alone(q)

    def group(h: Any) -> None:
        a = sycl.accessor(buffer, h, one_to_one, sycl.read_write)

        def add(i: Any) -> None:
            a[i] += 1
        h.parallel_for(256, add)

    def groups(count: int) -> None:
        for _ in range(count):
            q.submit(group)
        q.wait()
    groups(200)
    begin = time.process_time()
    groups(200)
    spent = (time.process_time() - begin) / 200
    if q.rank == 0:
        print("RESULT", json.dumps([step, (1 << 22) / max(1e-9, large - small), spent]))
    q.close()


def result(count: int, *arguments: str) -> Any:
    """Return what a part of this program printed, run as so many ranks of one thread; 0: alone."""
    started = ("-m", "unisycl", "mpirun", "-n", str(count)) if count else ()
    said = subprocess.run([sys.executable, *started, "-m", "bench.simulated", *arguments],
                          text=True, capture_output=True, check=True,
                          env={**os.environ, "UNISYCL_THREADS": "1"}).stdout
    return json.loads(said.partition("RESULT")[2].splitlines()[0])


def predicted(what: str, size: int, machine: Machine, delayed: bool) -> float:
    """Return the seconds that the simulation tells of a program."""
    run, cost = PROGRAMS[what]
    link = world.pretended = PretendedLink(size)
    plain: Any = pretending._measured
    try:
        if delayed:
            pretending._measured = lambda h, part, what: cost * longer(size)
        q = distr_queue("cpu")
        run(q, STEPS[delayed])
        q.close()
    finally:
        world.pretended, pretending._measured = None, plain
    return link.program.times(machine).end


def both(what: str, size: int, network: list[float], delayed: bool) -> tuple[float, float]:
    """Return what a program takes, and what is told of it."""
    step, speed, group = network
    late, slow = (LATE * longer(size), 1 / SPEED) if delayed else (0.0, 0.0)
    machine = Machine(step + late, 0.0, 1 / (1 / speed + slow), 1.0, group)
    words = [what, *(["delayed"] * delayed)]
    return (result(size, "--as-rank", *words),
            result(0, "--predict", str(size), json.dumps(dataclasses.astuple(machine)), *words))


def main() -> int:
    """Measure, predict and print; or run as a rank."""
    words = argparse.ArgumentParser()
    words.add_argument("--ranks", default="2,4")
    words.add_argument("--programs", default="heat,bodies")
    words.add_argument("--rounds", type=int, default=3)
    words.add_argument("--as-rank", nargs="+")
    words.add_argument("--predict", nargs="+")
    given = words.parse_args()
    if given.predict:
        size, machine, what, *rest = given.predict
        print("RESULT", predicted(what, int(size), Machine(*json.loads(machine)), bool(rest)))
        return 0
    if given.as_rank == ["network"]:
        network()
        return 0
    if given.as_rank:
        as_rank(given.as_rank[0], given.as_rank[1:] == ["delayed"])
        return 0
    found: dict[str, list[tuple[float, float]]] = {}
    for _ in range(given.rounds):
        known = result(2, "--as-rank", "network")
        print(f"load {os.getloadavg()[0]:.1f}; a message {known[0] * 1e6:.0f} us and "
              f"{known[1] / 1e9:.2f} GB/s, a command group {known[2] * 1e6:.0f} us", flush=True)
        for what in given.programs.split(","):
            for size in map(int, given.ranks.split(",")):
                for delayed in (False, True) if size == 2 else (True,):
                    name = f"{what}, {size} ranks{' with delays' * delayed}"
                    found.setdefault(name, []).append(both(what, size, known, delayed))
    for name, pairs in found.items():
        took, told = (float(np.median(x)) for x in zip(*pairs, strict=True))
        each = ", ".join(f"{b / a:.2f}" for a, b in pairs)
        print(f"{name}: took {took * 1e3:.1f} ms, predicted {told * 1e3:.1f} ms: {told / took:.2f} "
              f"of it ({each})", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
