"""Runs benchmarks: one process per implementation, rounds interleaved, medians and ratios.

``python dev.py bench`` calls it. Non-goals: judging; a figure that misses its bar is printed as
such and the exit status stays 0.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import report
from bench.bars import Results, summary
from bench.catalogue import NAMES, NOT_KERNELS, expand, load
from bench.harness import OURS, QUICK

HERE = Path(__file__).parent


@dataclass
class Worker:
    """One implementation's process, driven from the main thread."""

    process: subprocess.Popen[str]
    seconds: list[list[float]] = field(default_factory=list)
    device: list[list[float]] = field(default_factory=list)
    note: str = ""

    def ask(self, request: str = "") -> None:
        """Read one answer, after sending a request if there is one: round or device."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        if request:
            self.process.stdin.write(f"{request}\n")
            self.process.stdin.flush()
        line = self.process.stdout.readline()
        answer: dict[str, Any] = json.loads(line) if line else {"error": "its process ended"}
        if "seconds" in answer:
            self.seconds.append(answer["seconds"])
        if answer.get("device"):
            self.device.append(answer["device"])
        self.note = answer.get("missing") or answer.get("error") or ""

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def start(name: str, implementation: str, *, verbose: bool) -> Worker:
    """Start one implementation, which then warms up and is checked."""
    command = [sys.executable, "-m", "bench.worker", name, implementation]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=HERE.parent,
        stderr=None if verbose else subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": _path()})
    return Worker(process)


def _path() -> str:
    return os.pathsep.join([str(HERE.parent), *filter(None, [os.environ.get("PYTHONPATH")])])


def measure(name: str, rounds: int, peers: Sequence[str] | None, *, verbose: bool,
            by_device: int = 0) -> dict[str, Worker]:
    """Run one benchmark: start every implementation, then one round of each in turn.

    ``by_device`` more rounds are timed by the clocks of devices.
    """
    wanted = [i for i in load(name).implementations if peers is None or i == OURS or i in peers]
    workers: dict[str, Worker] = {}
    try:
        for i in wanted:
            workers[i] = start(name, i, verbose=verbose)
            workers[i].ask()
        for request in ["round"] * rounds + ["device"] * by_device:
            for worker in workers.values():
                if not worker.note:
                    time.sleep(0.05)  # lets the threads of the one before go to sleep
                    worker.ask(request)
    finally:
        for worker in workers.values():
            worker.close()
    return workers


def measure_limits() -> dict[str, float]:
    """Return what ``bench.limits`` prints in a process of its own; empty if it fails."""
    done = subprocess.run([sys.executable, "-m", "bench.limits"], cwd=HERE.parent, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    if done.returncode:
        return {}
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="dev.py bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help="which to run (default all), a benchmark or a file; see --list")
    parser.add_argument("--peers", metavar="A,B", help="run only these beside unisycl")
    parser.add_argument("--rounds", type=int, help="how many rounds (default 7; 1 if --quick)")
    parser.add_argument("--json", metavar="FILE", help="write every time measured")
    parser.add_argument("--markdown", metavar="FILE", help="write one table of everything")
    parser.add_argument("--quick", action="store_true",
                        help="small sizes: shows that everything runs, the times mean nothing")
    parser.add_argument("--list", action="store_true", help="name the benchmarks and end")
    parser.add_argument("--verbose", action="store_true", help="show what the workers print")
    options = parser.parse_args(arguments)
    try:
        options.names = expand(options.names or list(NAMES))
    except KeyError as unknown:
        parser.error(f"no benchmark is named {unknown.args[0]}; there are: {', '.join(NAMES)}")
    if options.rounds is None:
        options.rounds = 1 if options.quick else 7
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks asked for and print their tables."""
    options = parse(arguments)
    if options.quick:
        os.environ[QUICK] = "1"
    if options.list:
        print("\n".join(report.entry(name, load(name)) for name in options.names))
        return 0
    peers = options.peers.split(",") if options.peers else None
    about = report.machine()
    print(report.heading(about))
    limits = measure_limits()
    print(report.limits_line(limits), flush=True)
    seconds: dict[str, dict[str, list[list[float]]]] = {}
    rows = {}
    for name in options.names:
        workers = measure(name, options.rounds, peers, verbose=options.verbose)
        benchmark = load(name)
        rows[name] = report.rows_of(benchmark, {n: w.seconds for n, w in workers.items()
                                                if not w.note})
        notes = {n: w.note for n, w in workers.items() if w.note}
        print("\n" + "\n".join(report.describe(name, benchmark, rows[name], notes, limits)),
              flush=True)
        seconds[name] = {n: w.seconds for n, w in workers.items()}
    again = measure_limits()
    print(f"\nat the end: {report.limits_line(again)}")
    limits = {key: max(limits.get(key, 0.0), value) for key, value in again.items()} or limits
    results = Results(rows, [n for n in options.names if n not in NOT_KERNELS], limits,
                      {n: load(n).work or 0.0 for n in options.names})
    print("\n" + "\n".join(summary(results)))
    if options.markdown:
        table = report.markdown({n: load(n) for n in options.names}, rows, limits)
        Path(options.markdown).write_text("\n".join(table) + "\n", encoding="utf-8")
    if options.json:
        document = {"machine": about, "limits": limits, "rounds": options.rounds,
                    "quick": options.quick, "seconds": seconds}
        Path(options.json).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
