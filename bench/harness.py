"""What a benchmark is, and what its worker process does with one implementation.

Every implementation runs in a process of its own that answers one request at a time, so that the
parent can interleave rounds. Non-goals: choosing, printing and comparing (``bench.run`` does that).
Invariant: an implementation is checked against NumPy before it is timed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

OURS = "unisycl"


@dataclass(frozen=True)
class Case:
    """A prepared implementation. ``run`` does the work once and waits for it.

    ``run`` may return seconds that it measured itself (in a fresh process, for instance).
    ``result`` gives what the benchmark's ``check`` looks at; None if there is nothing to check.
    ``keep`` is what must live as long as the case does.
    """

    run: Callable[[], float | None]
    result: Callable[[], Any] | None = None
    keep: Any = None


@dataclass(frozen=True)
class Implementation:
    """One way to do the work: ``prepare`` imports what it needs and returns the case.

    ``needs`` are the modules that must be installed, by import name.
    """

    prepare: Callable[[], Case]
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Benchmark:
    """A piece of work and the ways to do it.

    Args:
        title: one line: sizes, types, what is counted.
        implementations: by name; ``unisycl`` is ours.
        check: raises AssertionError if a result is wrong.
        work: how much one run does, in ``unit`` times seconds (GB for GB/s); None if not counted.
        unit: the unit of the rate.
        bars: what is to be reached, by peer: least ratio of the peer's time to ours; under
            ``unisycl`` the greatest time in seconds.
        single: each run stands alone (a fresh process); no warm-up and one run a round.
    """

    title: str
    implementations: dict[str, Implementation]
    check: Callable[[Any], None] = field(default=lambda result: None)
    work: float | None = None
    unit: str = ""
    bars: dict[str, float] = field(default_factory=dict)
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
    times = [time_once(case)]
    while not single and sum(times) < least and len(times) < most:
        times.append(time_once(case))
    return times
