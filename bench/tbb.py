"""Loops and tasks of oneTBB: what one costs, and compiled bodies beside NumPy.

``python -m bench.tbb [--rounds N]``: of each the least wall and processor time of all rounds.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np

import unisycl as sycl
from bench.mkl import Run, least
from unisycl.oneapi import tbb
from unisycl.oneapi.tbb import flow

COUNT = 1 << 22
MANY = 1000


@sycl.kernel
def root(k: Any, x: Any, out: Any) -> None:
    """Take the square root of an element."""
    out[k] = sycl.sqrt(x[k]) + 1


def tasks() -> None:
    """Run tasks that do nothing."""
    group = tbb.task_group()
    for _ in range(MANY):
        group.run(_nothing)
    group.wait()


def messages() -> None:
    """Send messages through two nodes."""
    graph = flow.graph()
    first, second = (flow.function_node(graph, flow.unlimited, _same) for _ in range(2))
    flow.make_edge(first, second)
    for k in range(MANY):
        first.try_put(k)
    graph.wait_for_all()


def _nothing() -> None:
    pass


def _same(x: Any) -> Any:
    return x


def main(given: Sequence[str] | None = None) -> None:
    """Print all."""
    parser = argparse.ArgumentParser(prog="python -m bench.tbb")
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args(given).rounds
    x = np.random.default_rng(1).random(COUNT, np.float32)
    out, small = np.empty_like(x), np.empty(16, np.float32)
    runs: dict[str, tuple[Run, int]] = {
        f"compiled parallel_for of {COUNT}": (lambda: tbb.parallel_for(COUNT, root, x, out), 1),
        "the same by NumPy": (lambda: np.add(np.sqrt(x, out=out), 1, out=out), 1),
        "compiled parallel_for of 16": (lambda: tbb.parallel_for(16, root, x, small), 1),
        "a task of a group": (tasks, MANY), "a message through two nodes": (messages, MANY)}
    found = least({name: run for name, (run, _) in runs.items()}, rounds)
    for name, (wall, spent) in found.items():
        count = runs[name][1]
        print(f"{name:34} {wall / count:10.1f} us (processor {spent / count:10.1f})")


if __name__ == "__main__":
    main()
