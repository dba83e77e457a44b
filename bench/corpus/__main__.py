"""Run the corpus: ``python -m bench.corpus [NAMES] [--peers numba,opencl] [--json FILE]``.

NAMES are parts of names as ``--list`` prints them. ``--only-check`` compares every form and every
peer with the references at small sizes and times nothing.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.corpus import catalogue, ispc, peers, table
from bench.corpus.frame import FAST, PLAIN
from bench.corpus.run import run


def main(given: Sequence[str] | None = None,
         choose: Callable[[str, str], bool] = lambda name, form: True) -> int:
    """Print the table of forms that ``choose`` wants; return 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m bench.corpus", description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--peers", default=",".join(peers.PEERS), help="or 'none'")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only-check", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--plain", action="store_true",
                        help="time ours by parallel_for, not by launches prepared once")
    parser.add_argument("--fast", action="store_true",
                        help="compile ours with -ffast-math, as Numba's and Taichi's are")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--ispc", metavar="PATH", help="ISPC's compiler, for its peers")
    asked = parser.parse_args(given)
    rows = [row for row in catalogue.rows(asked.names) if choose(*row)]
    if asked.list:
        print("\n".join(catalogue.title(*row) for row in rows))
        return 0
    if asked.ispc:
        os.environ[ispc.WHERE] = asked.ispc
    wanted = [] if asked.peers == "none" else asked.peers.split(",")
    unknown = [name for name in wanted if name not in peers.PEERS]
    if unknown:
        parser.error(f"no such peer: {', '.join(unknown)}; there are {', '.join(peers.PEERS)}")
    for name in list(wanted):
        if why := peers.lacks(name):
            print(f"without {name}: {why}")
            wanted.remove(name)
    for variable, given_so in ((PLAIN, asked.plain), (FAST, asked.fast)):
        if given_so:
            os.environ[variable] = "1"
    cores, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    print(f"{len(rows)} forms on {cores} processors, load {load:.1f}")
    print(table.heading(wanted))
    results = []
    for result in run(rows, wanted, rounds=asked.rounds, check=asked.only_check):
        results.append(result)
        print(table.line(result, wanted), flush=True)
    print("\n".join(table.summary(results, wanted)))
    if asked.json:
        asked.json.write_text(json.dumps([dataclasses.asdict(r) for r in results], indent=1))
    return int(any(r.errors for r in results))


if __name__ == "__main__":
    sys.exit(main())
