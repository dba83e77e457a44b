"""How our own implementations are launched: on the CPU device, waiting for each run.

Only our own worker imports unisycl, so nothing here does while it is loaded. Non-goals: kernels,
which stand in the file of their benchmark.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from bench.harness import OURS, Benchmark, Case, Implementation, Missing, Work, prepare

ONE_THREAD = f"{OURS}-1-thread"


def queue(*properties: Any) -> Any:
    """Return a queue on the CPU device."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    return sycl.queue(sycl.cpu_selector_v, *properties)


def launch(space: Any, kernel: Any, work: Work, *local: Any) -> Case:
    """Return the case of one kernel over NumPy arrays that are used in place."""
    q, args = queue(), (*work.args, *local)
    return Case(lambda: q.parallel_for(space, kernel, *args).wait(), work.result)


def show(benchmarks: Mapping[str, Benchmark]) -> None:
    """Run ours once and check it, so that ``python -m unisycl show FILE:KERNEL`` finds kernels."""
    for name, benchmark in benchmarks.items():
        prepare(benchmark, OURS)
        print(name, "is right")


def one_thread(prepare: Callable[[], Case]) -> dict[str, Implementation]:
    """Return the same on one processor, to see what the others add; no peer."""
    def alone() -> Case:
        allowed = os.sched_getaffinity(0)
        if len(allowed) < 2:
            raise Missing("there is one processor only")
        os.sched_setaffinity(0, {max(allowed)})
        return prepare()
    return {ONE_THREAD: Implementation(alone, counted=False)}
