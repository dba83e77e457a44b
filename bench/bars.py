"""What the suite must reach, and whether it did: geometric mean, worst kernel, and each bar.

A bar is a row of the table in issue 3. Non-goals: measuring. Invariant: a figure whose benchmark or
peers did not run is "not measured", never reached.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bench.harness import OURS
from bench.ours import ONE_THREAD


@dataclass(frozen=True)
class Row:
    """Figures of one implementation: seconds of all runs; ``ratios`` to ours, round by round."""

    name: str
    median: float
    least: float
    greatest: float
    ratios: list[float] = field(default_factory=list)
    counted: bool = True

    def ratio(self) -> float:
        """Return this implementation's time over ours: above 1, ours is the faster."""
        return statistics.median(self.ratios)


@dataclass(frozen=True)
class Results:
    """All rows by benchmark and implementation, the kernels among them, and the limits."""

    rows: Mapping[str, Mapping[str, Row]]
    kernels: Sequence[str] = ()
    limits: Mapping[str, float] = field(default_factory=dict)
    work: Mapping[str, float] = field(default_factory=dict)

    def median(self, name: str) -> float | None:
        """Return our median seconds of a benchmark."""
        row = self.rows.get(name, {}).get(OURS)
        return None if row is None else row.median

    def against(self, name: str, *peers: str) -> float | None:
        """Return the least ratio over these peers, or over all that count; None if none ran."""
        found = [r.ratio() for r in self.rows.get(name, {}).values()
                 if r.ratios and (r.name in peers if peers else r.counted)]
        return min(found, default=None)

    def best(self) -> dict[str, tuple[float, str]]:
        """Return the ratio to the best peer, and its name, of each kernel that has one."""
        out = {}
        for name in self.kernels:
            rows = [r for r in self.rows.get(name, {}).values() if r.ratios and r.counted]
            if rows:
                row = min(rows, key=Row.ratio)
                out[name] = (row.ratio(), row.name)
        return out


@dataclass(frozen=True)
class Bar:
    """One thing to reach: at least, or at most if ``most``."""

    text: str
    figure: Callable[[Results], float | None]
    bar: float
    moonshot: float
    unit: str = "x"
    most: bool = False

    def line(self, results: Results) -> str:
        """Return what is printed of it."""
        value = self.figure(results)
        wanted = f"{'<=' if self.most else '>='} {self.bar:g} {self.unit}"
        if value is None:
            return f"  {self.text:58}{'':>12}  bar {wanted}: not measured"
        verdict = "reached" if self._reaches(value, self.bar) else "MISSED"
        if self._reaches(value, self.moonshot):
            verdict = f"reached, and the moonshot of {self.moonshot:g}"
        return f"  {self.text:58}{value:>8.3g} {self.unit:4} bar {wanted}: {verdict}"

    def _reaches(self, value: float, wanted: float) -> bool:
        return value <= wanted if self.most else value >= wanted


def geometric_mean(results: Results) -> float | None:
    """Return the geometric mean of the ratios to the best peer of each kernel."""
    best = [ratio for ratio, _ in results.best().values()]
    return math.exp(statistics.fmean(map(math.log, best))) if best else None


def worst(results: Results) -> float | None:
    """Return the least ratio to a best peer."""
    return min((ratio for ratio, _ in results.best().values()), default=None)


def _scaled(name: str, scale: float) -> Callable[[Results], float | None]:
    def figure(results: Results) -> float | None:
        median = results.median(name)
        return None if median is None else median * scale
    return figure


def _rate(name: str) -> Callable[[Results], float | None]:
    def figure(results: Results) -> float | None:
        median = results.median(name)
        return None if median is None else results.work[name] / median
    return figure


def _against(name: str, *peers: str) -> Callable[[Results], float | None]:
    return lambda results: results.against(name, *peers)


def _threads(results: Results) -> float | None:
    found = [results.against(n, ONE_THREAD) for n in ("mandelbrot", "nbody", "black_scholes")]
    return min((f for f in found if f is not None), default=None)


def _of_limit(results: Results) -> float | None:
    rate, limit = _rate("stream_triad_f32")(results), results.limits.get("stream")
    return None if rate is None or limit is None else rate / limit


INTEL, PYTHONS = "intel-opencl", ("numba", "taichi", "warp", "pocl")
MOONSHOTS = {"mandelbrot": 1.3, "nbody": 5, "matmul": 5, "stencil": 1.9, "black_scholes": 2.5,
             "matmul_tiled": 1.7, "tree_reduction": 2.4}
BARS = (
    Bar("geometric mean over kernels against the best peer", geometric_mean, 1.0, 1.3),
    Bar("worst kernel against its best peer", worst, 0.85, 1.0),
    *(Bar(f"{name} against Intel's OpenCL", _against(name, INTEL), 1.0, moonshot)
      for name, moonshot in MOONSHOTS.items()),
    *(Bar(f"{name} against the best of {', '.join(PYTHONS)}", _against(name, *PYTHONS), 5, 10)
      for name in ("mandelbrot", "nbody", "black_scholes")),
    Bar("triad against the best of NumPy, dpnp, Intel's OpenCL",
        _against("stream_triad_f32", "numpy", "dpnp", INTEL), 1.0, 1.0),
    Bar("triad against the machine's stream limit", _of_limit, 0.97, 0.97),
    Bar("one work-item, in-order queue, USM: submit and wait", _scaled("launch_usm", 1e6), 5, 2,
        "us", most=True),
    Bar("the same through buffer and accessor", _scaled("launch_buffer", 1e6), 25, 12, "us",
        most=True),
    Bar("host cost of one pre-bound launch, pipelined", _scaled("launch_bound", 1e6), 2, 1, "us",
        most=True),
    Bar("import, NumPy included", _scaled("import_time", 1e3), 150, 100, "ms", most=True),
    Bar("installed size with dependencies", _scaled("installed_size", 1), 260, 260, "MiB",
        most=True),
    Bar("independent tasks", _rate("tasks_independent"), 60, 200, "k/s"),
    Bar("dependent tasks", _rate("tasks_dependent"), 60, 200, "k/s"),
    Bar("first kernel of a new process, cold", _scaled("cold_compile", 1e3), 100, 100, "ms",
        most=True),
    Bar("first launch of a cached kernel in a new process", _scaled("warm_start", 1e3), 5, 2, "ms",
        most=True),
    Bar("all threads against one, least of three kernels", _threads, 1.9, 1.97),
    Bar("peak memory beyond the arrays", _scaled("peak_memory", 1), 60, 30, "MiB", most=True),
)


def summary(results: Results) -> list[str]:
    """Return the lines at the end: each kernel against its best peer, then every bar."""
    lines = ["ours against the best peer of each kernel (above 1, ours is faster)"]
    best = sorted(results.best().items(), key=lambda pair: pair[1])
    lines += [f"  {name:24}{ratio:8.2f} x  {peer}" for name, (ratio, peer) in best]
    lines += ["bars", *(bar.line(results) for bar in BARS)]
    return lines
