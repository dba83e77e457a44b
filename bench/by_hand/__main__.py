"""Compare them: ``python -m bench.by_hand [--ranks 2] [--programs heat,bodies]``.

Both run in the same processes, of one thread each, in turns; the clock and the processor's time of
rank 0 are told, and how many lines of code each has (neither empty, nor comments, nor docstrings).
"""

from __future__ import annotations

import argparse
import ast
import functools
import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from bench.ranks import in_turns

SIZES = {"heat": ((2000, 50), (4096, 20)), "bodies": ((3000, 5), (8000, 1))}
KINDS = {"by hand": "by_hand", "ours": "ours"}


def lines(path: Path) -> int:
    """Return how many lines of code a program has."""
    tree = ast.parse(path.read_text())
    texts = {n.value.lineno for n in ast.walk(tree) if isinstance(n, ast.Expr)
             and isinstance(n.value, ast.Constant) and isinstance(n.value.value, str)}
    return sum(bool(line.split("#")[0].strip()) and k not in texts
               for k, line in enumerate(path.read_text().splitlines(), 1))


def as_rank(what: str) -> None:
    """Run both forms of a program as a rank."""
    from mpi4py import MPI  # noqa: PLC0415 -- importing it starts MPI

    rank = MPI.COMM_WORLD.rank
    found: dict[str, Any] = {
        kind: importlib.import_module(f"bench.by_hand.{what}_{name}") for kind, name in
        KINDS.items()}
    for size, steps in SIZES[what]:
        states = {kind: module.start(size) for kind, module in found.items()}

        def run(kind: str, states: Any = states, steps: int = steps) -> None:
            found[kind].run(states[kind], steps)
            MPI.COMM_WORLD.Barrier()
        for kind in found:
            run(kind)
        ends = {kind: module.result(states[kind]) for kind, module in found.items()}
        times = in_turns({kind: functools.partial(run, kind) for kind in found}, 7)
        if rank == 0:
            far = float(np.abs(ends["ours"] - ends["by hand"]).max())
            a, b = times["by hand"], times["ours"]
            print(f"{what} {size}, a step on {MPI.COMM_WORLD.size} ranks: by hand "
                  f"{a.wall / steps * 1e3:.3f} ms (spread {a.spread:.0%}, processor "
                  f"{a.cpu / steps * 1e3:.3f}), ours {b.wall / steps * 1e3:.3f} ms "
                  f"({b.spread:.0%}, {b.cpu / steps * 1e3:.3f}): {a.wall / b.wall:.2f} x as fast, "
                  f"by processor time {a.cpu / b.cpu:.2f} x; results of {steps} steps differ by "
                  f"{far:.2g} at most",
                  flush=True)


def main() -> None:
    """Start the ranks, and count lines."""
    words = argparse.ArgumentParser()
    words.add_argument("--ranks", type=int, default=2)
    words.add_argument("--programs", default="heat,bodies")
    words.add_argument("--as-rank", default="")
    given = words.parse_args()
    if given.as_rank:
        as_rank(given.as_rank)
        return
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    for what in given.programs.split(","):
        count = {k: lines(Path(__file__).with_name(f"{what}_{n}.py")) for k, n in KINDS.items()}
        print(f"{what}: {count['by hand']} lines by hand, {count['ours']} of ours: "
              f"{count['ours'] / count['by hand']:.2f}", flush=True)
        subprocess.run([sys.executable, "-m", "unisycl", "mpirun", "-n", str(given.ranks), "-m",
                        "bench.by_hand", "--as-rank", what], check=True,
                       env={**os.environ, "UNISYCL_THREADS": "1", "NUMBA_NUM_THREADS": "1"})


if __name__ == "__main__":
    main()
