"""What checks cost: each kernel of the benchmarks with none, with bounds and with races.

    python -m bench.checks [NAMES] [--words bounds races ...] [--rounds N] [--clock processor]

Prints the time of the checked kernel over that of the unchecked one, the geometric mean and the
worst; the least of all rounds counts. ``--clock processor`` adds up the processor time of all
threads, which other work on the machine changes little; kernels whose races are looked for run on
one thread, so that by the wall they may take as many times more as there are processors.
Non-goals: peers, launches (``bench.run``). Invariant: all modes of a kernel are checked against
NumPy and timed by turns in one process.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import sys
import time
from collections.abc import Callable

from bench.catalogue import NAMES, NOT_KERNELS, expand, load
from bench.harness import OURS, QUICK, Case, prepare, time_once

WORDS = ("bounds", "1", "races")


def cases_of(name: str, words: list[str]) -> dict[str, Case]:
    """Return a benchmark's prepared case for each setting; the first is without checks."""
    found = {}
    for asked in ("", *words):
        os.environ["UNISYCL_DEBUG"] = asked
        found[asked] = prepare(load(name), OURS)
    return found


def by_processor(case: Case) -> float:
    """Return the processor time of all threads in one run."""
    spent = time.process_time()
    time_once(case)
    return time.process_time() - spent


CLOCKS: dict[str, Callable[[Case], float]] = {"wall": time_once, "processor": by_processor}


def ratios(name: str, words: list[str], rounds: int, clock: Callable[[Case], float] = time_once
           ) -> tuple[float, dict[str, float]]:
    """Return the seconds without checks, and the times with each setting over that."""
    cases = cases_of(name, words)
    times: dict[str, list[float]] = {asked: [] for asked in cases}
    for _ in range(rounds):
        for asked, case in cases.items():
            os.environ["UNISYCL_DEBUG"] = asked
            times[asked].append(clock(case))
    best = {asked: min(found) for asked, found in times.items()}
    return best[""], {asked: best[asked] / best[""] for asked in words}


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--words", nargs="*", default=list(WORDS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--quick", action="store_true", help="small sizes, for a test")
    asked = parser.parse_args()
    if asked.quick:
        os.environ[QUICK] = "1"
    names = expand(asked.names) or [n for n in NAMES if n not in NOT_KERNELS]
    found: dict[str, dict[str, float]] = {}
    print(f"{'':20}{'no checks':>12}" + "".join(f"{w:>12}" for w in asked.words))
    for name in names:
        seconds, found[name] = ratios(name, asked.words, asked.rounds,
                                      CLOCKS[asked.clock])
        print(f"{name:20}{seconds * 1e3:9.2f} ms" + "".join(
            f"{found[name][w]:10.2f} x" for w in asked.words), flush=True)
    for title, pick in (("geometric mean", lambda x: math.exp(statistics.fmean(map(math.log, x)))),
                        ("worst", max)):
        print(f"{title:32}" + "".join(
            f"{pick([row[w] for row in found.values()]):10.2f} x" for w in asked.words))
    return 0


if __name__ == "__main__":
    sys.exit(main())
