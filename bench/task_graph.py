"""A graph of 1000 tasks of one work-item: all independent, and each waiting for the one before."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bench import ours
from bench.harness import OURS, Benchmark, Case, Implementation, Work, sized
from bench.peers.opencl import Session, opencl
from bench.peers.start import numba, taichi, warp

NODES = sized(1000, 50)
EAGER = f"{OURS}-eager"


def operands() -> Work:
    """Return what the tasks write, one element each after the first, which stays zero."""
    return Work((np.zeros(NODES + 1, np.float32), np.int32(0)), 0)


def with_unisycl(which: str) -> Case:
    """An out-of-order queue; dependent tasks name the event before."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    def mark(i: Any, values: Any, node: Any) -> None:
        values[node + 1] = np.float32(node + 1)

    def follow(i: Any, values: Any, node: Any) -> None:
        values[node + 1] = values[node] + np.float32(1)

    queue = ours.queue()
    memory: Any = sycl.malloc_shared(NODES + 1, np.float32, queue)
    memory[0] = np.float32(0)

    def independent() -> None:
        for node in range(NODES):
            queue.parallel_for(1, mark, memory, node)
        queue.wait()

    def dependent() -> None:
        before = queue.parallel_for(1, follow, memory, 0)
        for node in range(1, NODES):
            before = queue.parallel_for(1, follow, memory, node, depends_on=before)
        queue.wait()

    return Case(dependent if which == "dependent" else independent,
                lambda: np.array([memory[i] for i in range(NODES + 1)]), keep=(queue, memory))


def on_opencl(which: str) -> Callable[[Session], Case]:
    """Return PyOpenCL's graph on an out-of-order queue."""
    def prepare(session: Session) -> Case:
        values = operands().args[0]
        memory = session.buffer(values)
        kernel = session.kernel("follow" if which == "dependent" else "mark")
        numbers, queue = [np.int32(k) for k in range(NODES)], session.queue

        def run() -> None:
            before = None
            for node in numbers:
                event = kernel(queue, (1,), None, memory, node, wait_for=before)
                before = [event] if which == "dependent" else None
            queue.finish()

        def result() -> Any:
            session.read([values], [memory])
            return values

        return Case(run, result, keep=session)
    return prepare


def in_turn(name: str) -> dict[str, Implementation]:
    """Return those who have no graph: one call after the other."""
    def all_nodes(made: Implementation) -> Case:
        case = made.prepare()
        kernel, args = case.keep
        numbers = [np.int32(k) for k in range(NODES)]

        def run() -> None:
            for node in numbers:
                kernel(args, node)

        return Case(run, case.result, case)

    made = {**numba(name, operands), **taichi(name, operands), **warp(name, operands, (1,))}
    return {k: Implementation(partial(all_nodes, i), i.needs) for k, i in made.items()}


def check(result: Any) -> None:
    """Every task ran, and in order."""
    assert np.array_equal(result, np.arange(NODES + 1))


def make(which: str, kernel: str, title: str) -> Benchmark:
    """Return one of the two graphs."""
    return Benchmark(title, {OURS: Implementation(partial(with_unisycl, which)), **in_turn(kernel),
                             **opencl(on_opencl(which), out_of_order=True)},
                     check, work=NODES / 1e3, unit="ktask/s")


def small_kernels(*, replayed: bool) -> Case:
    """A hundred kernels of 64 work-items over ten memories, submitted one by one or replayed."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    def add(i: Any, values: Any, amount: Any) -> None:
        values[i] += amount

    queue = ours.queue(sycl.property.queue.in_order())
    memory: Any = sycl.malloc_shared((10, 64), np.float32, queue)
    rows = [memory.pointer_to(64 * k) for k in range(10)]

    def submit() -> None:
        for k in range(100):
            queue.parallel_for(64, add, rows[k % 10], 1)

    def eager() -> None:
        memory[...] = 0
        submit()
        queue.wait()

    graph: Any = sycl.ext.oneapi.experimental.command_graph(queue)
    with graph.record(queue):
        submit()
    executable = graph.finalize()

    def replay() -> None:
        memory[...] = 0
        queue.ext_oneapi_graph(executable).wait()

    return Case(replay if replayed else eager, memory.get_view, keep=(queue, memory))


def check_small(result: Any) -> None:
    """Each memory was added to ten times."""
    assert (result == 10).all()


BENCHMARKS = {
    "graph_replay": Benchmark(
        "100 kernels of 64 work-items as one replay of a graph, beside submitting them",
        {OURS: Implementation(partial(small_kernels, replayed=True)),
         EAGER: Implementation(partial(small_kernels, replayed=False), counted=False)},
        check_small, work=0.1, unit="kkernels/s", shown=("us", 1e6)),
    "tasks_independent": make("independent", "mark", f"{NODES} tasks of one work-item, no edges"),
    "tasks_dependent": make("dependent", "follow", f"{NODES} tasks, each after the one before"),
}

if __name__ == "__main__":
    ours.show(BENCHMARKS)
