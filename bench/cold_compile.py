"""The first kernel of a fresh process: what compiling costs."""

from __future__ import annotations

from bench.fresh import ROOT, seconds_of
from bench.harness import OURS, Benchmark, Case, Implementation


def with_unisycl() -> Case:
    """``bench/cold_kernel.py`` in a process of its own."""
    return Case(lambda: seconds_of(str(ROOT / "bench" / "cold_kernel.py")))


BENCHMARK = Benchmark(
    title="a kernel of 20 lines in a fresh process, from the call to the launch, nothing cached",
    implementations={OURS: Implementation(with_unisycl)},
    bars={OURS: 0.1},
    single=True,
)
