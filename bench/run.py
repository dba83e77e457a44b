"""Runs benchmarks: one process per implementation, rounds interleaved, medians and ratios.

``python dev.py bench`` calls it. Non-goals: judging; a figure that misses its bar is printed as
such and the exit status stays 0.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.harness import OURS, Benchmark
from bench.worker import load

HERE = Path(__file__).parent
NAMES = ("mandelbrot", "matmul_tiled", "vector_add", "cold_compile", "import_time")
PACKAGES = ("unisycl", "numpy", "llvmlite", "numba", "pyopencl", "intel-opencl-rt")


@dataclass
class Worker:
    """One implementation's process, driven from the main thread."""

    process: subprocess.Popen[str]
    seconds: list[list[float]] = field(default_factory=list)
    note: str = ""

    def ask(self, *, request: bool) -> None:
        """Read one answer, after sending a request for a round if ``request``."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        if request:
            self.process.stdin.write("round\n")
            self.process.stdin.flush()
        line = self.process.stdout.readline()
        answer: dict[str, Any] = json.loads(line) if line else {"error": "its process ended"}
        if "seconds" in answer:
            self.seconds.append(answer["seconds"])
        self.note = answer.get("missing") or answer.get("error") or ""

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def start(name: str, implementation: str, *, verbose: bool) -> Worker:
    """Start one implementation and wait until it is warmed up and checked."""
    command = [sys.executable, "-m", "bench.worker", name, implementation]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=HERE.parent,
        stderr=None if verbose else subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": _path()})
    worker = Worker(process)
    worker.ask(request=False)
    return worker


def _path() -> str:
    return os.pathsep.join([str(HERE.parent), *filter(None, [os.environ.get("PYTHONPATH")])])


def measure(name: str, rounds: int, peers: Sequence[str] | None, *, verbose: bool
            ) -> dict[str, Worker]:
    """Run one benchmark: start every implementation, then one round of each in turn."""
    wanted = [i for i in load(name).implementations if peers is None or i == OURS or i in peers]
    workers = {i: start(name, i, verbose=verbose) for i in wanted}
    try:
        for _ in range(rounds):
            for worker in workers.values():
                if not worker.note:
                    time.sleep(0.05)  # lets the threads of the one before go to sleep
                    worker.ask(request=True)
    finally:
        for worker in workers.values():
            worker.close()
    return workers


@dataclass(frozen=True)
class Row:
    """What is printed of one implementation. ``ratios`` are the peer's time over ours, by round."""

    name: str
    median: float
    least: float
    greatest: float
    ratios: list[float]


def rows_of(workers: dict[str, Worker]) -> list[Row]:
    """Return the figures of the implementations that ran."""
    medians = {n: [statistics.median(r) for r in w.seconds]
               for n, w in workers.items() if w.seconds and not w.note}
    ours = medians.get(OURS, [])
    out = []
    for name, times in medians.items():
        every = [t for r in workers[name].seconds for t in r]
        ratios = [] if name == OURS else [t / o for t, o in zip(times, ours, strict=False)]
        out.append(Row(name, statistics.median(every), min(every), max(every), ratios))
    return out


def describe(name: str, benchmark: Benchmark, workers: dict[str, Worker]) -> list[str]:
    """Return the lines printed of one benchmark."""
    rate = benchmark.unit if benchmark.work else ""
    lines = [f"{name}: {benchmark.title}",
             f"  {'':24}{'median ms':>10}{'min':>10}{'max':>10}{rate:>10}  time against ours"]
    for row in rows_of(workers):
        speed = f"{benchmark.work / row.median:10.1f}" if benchmark.work else " " * 10
        lines.append(f"  {row.name:24}{row.median * 1e3:10.2f}{row.least * 1e3:10.2f}"
                     f"{row.greatest * 1e3:10.2f}{speed}  {_verdict(benchmark, row)}".rstrip())
    lines += [f"  {n:24}skipped: {w.note}" for n, w in workers.items() if w.note]
    return lines


def _verdict(benchmark: Benchmark, row: Row) -> str:
    """Return the ratio with its spread, and the bar if there is one."""
    bar = benchmark.bars.get(row.name)
    if row.name == OURS:
        if bar is None:
            return ""
        return f"bar <= {bar * 1e3:g} ms: {'reached' if row.median <= bar else 'MISSED'}"
    if not row.ratios:
        return ""
    middle = statistics.median(row.ratios)
    text = f"{middle:.2f} x ({min(row.ratios):.2f} to {max(row.ratios):.2f})"
    if bar is None:
        return text
    return f"{text}, bar >= {bar:g}: {'reached' if middle >= bar else 'MISSED'}"


def machine() -> dict[str, Any]:
    """Return what the figures depend on."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [x for x in info.read_text().splitlines() if x.startswith("model name")]
        model = names[0].partition(": ")[2] if names else model
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {"cpu": model, "threads": len(os.sched_getaffinity(0)), "system": platform.platform(),
            "python": platform.python_version(), "versions": versions}


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="dev.py bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help=f"which to run (default all): {', '.join(NAMES)}")
    parser.add_argument("--peers", metavar="A,B", help="run only these beside unisycl")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", metavar="FILE", help="write every time measured")
    parser.add_argument("--verbose", action="store_true", help="show what the workers print")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in NAMES]
    if unknown:
        parser.error(f"no benchmark is named {', '.join(unknown)}; there are: {', '.join(NAMES)}")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks asked for and print their tables."""
    options = parse(arguments)
    peers = options.peers.split(",") if options.peers else None
    about = machine()
    print(f"{about['cpu']}, {about['threads']} threads, {about['system']}, Python "
          f"{about['python']}; " + ", ".join(f"{k} {v}" for k, v in about["versions"].items()))
    results: dict[str, dict[str, list[list[float]]]] = {}
    for name in options.names or NAMES:
        workers = measure(name, options.rounds, peers, verbose=options.verbose)
        print("\n" + "\n".join(describe(name, load(name), workers)), flush=True)
        results[name] = {n: w.seconds for n, w in workers.items()}
    if options.json:
        document = {"machine": about, "rounds": options.rounds, "seconds": results}
        Path(options.json).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
