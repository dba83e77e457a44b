"""How our own implementations are launched: on the CPU device, waiting for each run.

``UNISYCL_DEVICE`` names another device. Only our own worker imports unisycl, so nothing here does
while it is loaded. Non-goals: kernels, which stand in the file of their benchmark.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from bench.harness import OURS, Benchmark, Case, Implementation, Missing, Work, prepare

ONE_THREAD = f"{OURS}-1-thread"


def queue(*properties: Any) -> Any:
    """Return a queue on the CPU device."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    asked = os.environ.get("UNISYCL_DEVICE")
    return sycl.queue(sycl.default_selector_v if asked else sycl.cpu_selector_v, *properties)


def place(q: Any, args: Sequence[Any]) -> tuple[list[Any], Callable[[], None]]:
    """Return operands where the device uses them, and what brings the results back.

    NumPy arrays are used in place where the device can; elsewhere they are copied to its memory.
    """
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    if q.get_device().has(sycl.aspect.usm_system_allocations):
        return list(args), lambda: None
    placed = [sycl.malloc_device(a.shape, q, dtype=a.dtype) if isinstance(a, np.ndarray) else a
              for a in args]
    pairs = [(p, a) for p, a in zip(placed, args, strict=True) if isinstance(a, np.ndarray)]
    for p, a in pairs:
        q.memcpy(p, a).wait()

    def fetch() -> None:
        for p, a in pairs:
            if a.flags.writeable:
                q.memcpy(a, p).wait()

    return placed, fetch


def fetched(work: Work, fetch: Callable[[], None]) -> Callable[[], Any]:
    """Return what gives the result after it was brought back."""
    def result() -> Any:
        fetch()
        return work.result()

    return result


def launch(space: Any, kernel: Any, work: Work, *local: Any) -> Case:
    """Return the case of one kernel over NumPy arrays, used in place if the device can."""
    q = queue()
    placed, fetch = place(q, work.args)
    args = (*placed, *local)

    def run() -> None:
        q.parallel_for(space, kernel, *args).wait()

    return Case(run, fetched(work, fetch),
                timed=timer(q, lambda other: [other.parallel_for(space, kernel, *args)]))


def timer(q: Any, commands: Callable[[Any], Sequence[Any]]) -> Callable[[], float]:
    """Return what has another queue do the commands, and adds up the times of their events."""
    other: list[Any] = []

    def timed() -> float:
        import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

        if not other:  # commands are timed from here on, which costs launches something
            wanted: list[Any] = [sycl.property.queue.enable_profiling()]
            if q.is_in_order():
                wanted.append(sycl.property.queue.in_order())
            other.append(sycl.queue(q.get_device(), *wanted))
            sum(map(taken, commands(other[0])))
        return sum(map(taken, commands(other[0])))

    return timed


def taken(event: Any) -> float:
    """Return the seconds a command took on its device, having waited for it."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    event.wait()
    asked = sycl.info.event_profiling
    start, end = (event.get_profiling_info(x) for x in (asked.command_start, asked.command_end))
    return float(end - start) * 1e-9


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
