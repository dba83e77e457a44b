"""The tables: one benchmark's rows with its rate, its share of the machine's limit, and ratios.

Non-goals: running (``run``) and judging (``bars``).
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import statistics
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.bars import Row
from bench.harness import OURS, QUICK, Benchmark

PACKAGES = ("unisycl", "numpy", "scipy", "llvmlite", "numba", "taichi", "warp-lang", "dpctl",
            "dpnp", "pyopencl", "intel-opencl-rt", "pocl-binary-distribution")


def rows_of(benchmark: Benchmark, seconds: Mapping[str, list[list[float]]]) -> dict[str, Row]:
    """Return the figures of the implementations that ran, from the times of their rounds."""
    medians = {n: [statistics.median(r) for r in rounds] for n, rounds in seconds.items() if rounds}
    mine = medians.get(OURS, [])
    out = {}
    for name, times in medians.items():
        every = [t for r in seconds[name] for t in r]
        ratios = [] if name == OURS else [t / o for t, o in zip(times, mine, strict=False)]
        out[name] = Row(name, statistics.median(every), min(every), max(every), ratios,
                        benchmark.implementations[name].counted)
    return out


def describe(name: str, benchmark: Benchmark, rows: Mapping[str, Row], notes: Mapping[str, str],
             limits: Mapping[str, float]) -> list[str]:
    """Return the lines printed of one benchmark; ``notes`` say why an implementation is absent."""
    unit, scale = benchmark.shown
    limit = limits.get(benchmark.bound)
    heads = f"{benchmark.unit if benchmark.work else '':>10}{'of limit' if limit else '':>10}"
    lines = [f"{name}: {benchmark.title}",
             f"  {'':22}{'median ' + unit:>11}{'min':>10}{'max':>10}{heads}  time against ours"]
    for row in rows.values():
        rate = benchmark.work / row.median if benchmark.work else 0.0
        speed = f"{rate:10.1f}" if benchmark.work else " " * 10
        share = f"{rate / limit:10.0%}" if limit and rate else " " * 10
        lines.append(f"  {row.name:22}{row.median * scale:11.2f}{row.least * scale:10.2f}"
                     f"{row.greatest * scale:10.2f}{speed}{share}  {_ratio(row)}".rstrip())
    lines += [f"  {n:22}skipped: {why}" for n, why in notes.items()]
    return lines


def markdown(benchmarks: Mapping[str, Benchmark], rows: Mapping[str, Mapping[str, Row]],
             limits: Mapping[str, float]) -> list[str]:
    """Return one table of all benchmarks: ours, and each peer's time over ours."""
    peers = list(dict.fromkeys(row.name for found in rows.values() for row in found.values()
                               if row.ratios and row.counted))
    heads = ["benchmark", "time", "rate", "of limit", *peers]
    rule = ["-"] + ["-:"] * (len(heads) - 1)
    lines = ["| " + " | ".join(heads) + " |", "|" + "|".join(rule) + "|"]
    for name, found in rows.items():
        mine = found.get(OURS)
        if mine is None:
            continue
        benchmark = benchmarks[name]
        unit, scale = benchmark.shown
        rate = benchmark.work / mine.median if benchmark.work else 0.0
        limit = limits.get(benchmark.bound)
        ratios = {r.name: r.ratio() for r in found.values() if r.ratios and r.counted}
        best = min(ratios.values(), default=0.0)
        cells = [name, f"{mine.median * scale:.3g} {unit}",
                 f"{rate:.3g} {benchmark.unit}" if rate else "",
                 f"{rate / limit:.0%}" if limit and rate else ""]
        for peer in peers:
            ratio = ratios.get(peer)
            text = "" if ratio is None else f"{ratio:.2f}"
            cells.append(f"**{text}**" if text and ratio == best else text)
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _ratio(row: Row) -> str:
    if not row.ratios:
        return ""
    text = f"{row.ratio():.2f} x ({min(row.ratios):.2f} to {max(row.ratios):.2f})"
    return text if row.counted else f"{text}, not counted"


def entry(name: str, benchmark: Benchmark) -> str:
    """Return the line of ``--list``."""
    return f"{name:20} {benchmark.title}; {', '.join(benchmark.implementations)}"


def limits_line(limits: Mapping[str, float]) -> str:
    """Return the line that names the machine's limits."""
    if not limits:
        return "the machine's limits could not be measured"
    return (f"limits: stream triad {limits['stream']:.1f} GB/s with non-temporal stores, fused "
            f"multiply-adds {limits['fma']:.0f} GFLOP/s (a kernel of ours: "
            f"{limits['fma by a kernel']:.0f})")


def heading(about: Mapping[str, Any]) -> str:
    """Return the first line: what the figures depend on."""
    versions = ", ".join(f"{k} {v}" for k, v in about["versions"].items())
    quick = "; QUICK: the sizes are small and the times mean nothing" if os.environ.get(
        QUICK) else ""
    return (f"{about['cpu']}, {about['threads']} threads, {about['system']}, Python "
            f"{about['python']}; {versions}{quick}")


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
