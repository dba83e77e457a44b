"""What a benchmark is, and what its worker process does with one implementation.

Every implementation runs in a process of its own that answers one request at a time, so that the
parent can interleave rounds. Non-goals: choosing, printing and comparing (``bench.run`` does that).
Invariant: an implementation is checked against NumPy before it is timed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

OURS = "unisycl"
QUICK = "BENCH_QUICK"  # set in the environment by --quick, for the workers to see


def sized(full: int, quick: int) -> int:
    """Return the size of a benchmark: the full one, or a small one that only shows it works."""
    return quick if os.environ.get(QUICK) else full


@dataclass(frozen=True)
class Case:
    """A prepared implementation. ``run`` does the work once and waits for it.

    ``run`` may return seconds that it measured itself (in a fresh process, for instance).
    ``result`` gives what the benchmark's ``check`` looks at; None if there is nothing to check.
    ``keep`` is what must live as long as the case does. ``timed`` does the work once, too, and
    returns the seconds that its commands took by their device's clock, together.
    """

    run: Callable[[], float | None]
    result: Callable[[], Any] | None = None
    keep: Any = None
    timed: Callable[[], float] | None = None


@dataclass(frozen=True)
class Implementation:
    """One way to do the work: ``prepare`` imports what it needs and returns the case.

    ``needs`` are the modules that must be installed, by import name. One that does other work than
    ours (a blocked BLAS beside a naive product) is not ``counted`` among the peers.
    """

    prepare: Callable[[], Case]
    needs: tuple[str, ...] = ()
    counted: bool = True


@dataclass(frozen=True)
class Benchmark:
    """A piece of work and the ways to do it.

    Args:
        title: one line: sizes, types, what is counted.
        implementations: by name; ``unisycl`` is ours.
        check: raises AssertionError if a result is wrong.
        work: how much one run does, in ``unit`` times seconds (GB for GB/s); None if not counted.
        unit: the unit of the rate.
        bound: which limit of the machine bounds it: "stream", "fma" or "" if neither.
        shown: the unit that times are printed in, and how many make a second.
        single: each run stands alone (a fresh process); no warm-up and one run a round.
    """

    title: str
    implementations: dict[str, Implementation]
    check: Callable[[Any], None] = field(default=lambda result: None)
    work: float | None = None
    unit: str = ""
    bound: str = ""
    shown: tuple[str, float] = ("ms", 1e3)
    single: bool = False


class Missing(Exception):
    """An implementation cannot run here; the message says what is missing."""


def prepare(benchmark: Benchmark, name: str) -> Case:
    """Return one implementation ready to be timed: warmed up, and its result checked."""
    implementation = benchmark.implementations[name]
    absent = [module for module in implementation.needs if find_spec(module) is None]
    if absent:
        raise Missing(f"not installed: {', '.join(absent)}")
    case = implementation.prepare()
    if not benchmark.single:
        case.run()
    if case.result is not None:
        benchmark.check(case.result())
    return case


def time_once(case: Case) -> float:
    """Return the seconds of one run."""
    begin = time.perf_counter()
    told = case.run()
    spent = time.perf_counter() - begin
    return spent if told is None else told


def time_round(case: Case, *, single: bool, least: float = 0.1, most: int = 50) -> list[float]:
    """Return the seconds of each run of one round, which lasts about ``least`` seconds."""
    begin = time.perf_counter()
    times = [time_once(case)]
    while not single and len(times) < most and time.perf_counter() - begin < least:
        times.append(time_once(case))
    return times


def time_commands(case: Case, *, least: float = 0.1, most: int = 20) -> list[float]:
    """Return the device's seconds of each run of one round; nothing if the case has none."""
    if case.timed is None:
        return []
    begin = time.perf_counter()
    times = [case.timed()]
    while len(times) < most and time.perf_counter() - begin < least:
        times.append(case.timed())
    return times


@dataclass(frozen=True)
class Work:
    """The operands of one kernel call in order, and which of them are results (or one result)."""

    args: tuple[Any, ...]
    out: int | tuple[int, ...]

    def result(self) -> Any:
        """Return the result, or a tuple of the results."""
        if isinstance(self.out, int):
            return self.args[self.out]
        return tuple(self.args[k] for k in self.out)

    def call(self, function: Callable[..., Any]) -> Case:
        """Return the case that calls a function with the operands, which it works on in place."""
        def run() -> None:
            function(*self.args)
        return Case(run, self.result)


_BATCH = 0.015  # seconds


def processor_times(run: Callable[[], object], least: float) -> tuple[list[float], list[float]]:
    """Run for some seconds; return each run's by the clock, and the processor's of batches of runs.

    What threads have used that have not stopped since is only told at each tick of the system's
    clock, some milliseconds apart: of single short runs most would count one thread alone.
    """
    walls: list[float] = []
    spent: list[float] = []
    begun = time.perf_counter()
    while not spent or time.perf_counter() - begun < least:
        before, used, first = len(walls), time.process_time(), time.perf_counter()
        last = first
        while len(walls) == before or last - first < _BATCH:
            run()
            now = time.perf_counter()
            walls.append(now - last)
            last = now
        spent.append((time.process_time() - used) / (len(walls) - before))
    return walls, spent
