"""Kernels that enqueue kernels against the flat versions: ``python -m bench.enqueue [DEVICE]``.

Quicksort whose parts are children, against a host that launches each generation, and NumPy's sort;
the Mandelbrot set by subdivision, against every pixel computed; and what one child takes, in a tree
of many that do nothing. Non-goals: peers, which have nothing of the kind.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.examples import quicksort, subdivision
from unisycl.examples.program import make_queue
from unisycl.ext.unisycl import enqueue_task, kernel_enqueue_flags

ROUNDS, KEYS, LEAF, SIZE, MOST, DEPTH = 7, 1_000_000, 64, 1024, 1000, 12
AFTER = kernel_enqueue_flags.wait_kernel


def tree(depth: Any) -> None:
    """Enqueue two children, down to a depth."""
    if depth > 0:
        enqueue_task(AFTER, tree, depth - 1)
        enqueue_task(AFTER, tree, depth - 1)


def measure(what: str, works: dict[str, Callable[[], Any]], unit: float = 1e-3,
            name: str = "ms") -> None:
    """Print the median of paired rounds of some forms, and their spread."""
    for work in works.values():
        work()
    found: dict[str, list[float]] = {form: [] for form in works}
    for _ in range(ROUNDS):
        for form, work in works.items():
            start = time.perf_counter()
            work()
            found[form].append((time.perf_counter() - start) / unit)
    print(what)
    for form, times in found.items():
        print(f"  {form:44}{statistics.median(times):9.2f} {name} "
              f"({min(times):.2f} to {max(times):.2f})")


def main() -> None:
    """Run the benchmarks on a device, the CPU if none is named."""
    queue = make_queue(sys.argv[1] if len(sys.argv) > 1 else "cpu")
    print(f"device: {queue.get_device().get_info(sycl.info.device.name)}")
    keys = np.random.default_rng(1).integers(-(1 << 30), 1 << 30, KEYS).astype(np.int32)
    measure(f"quicksort of {KEYS} int32, parts of {LEAF} by insertion", {
        "kernels that enqueue kernels": lambda: quicksort.sort_by_children(queue, keys, LEAF),
        "the host launches each generation": lambda: quicksort.sort_flat(queue, keys, LEAF),
        "numpy.sort, kind quicksort": lambda: np.sort(keys)})
    measure(f"Mandelbrot, {SIZE} x {SIZE} pixels, {MOST} steps", {
        "kernels that enqueue kernels": lambda: subdivision.by_subdivision(queue, SIZE, MOST),
        "every pixel computed": lambda: subdivision.flat(queue, SIZE, MOST)})
    count = 2 ** (DEPTH + 1) - 1
    measure(f"a tree of {count} kernels that do nothing else", {
        "one of them": lambda: queue.single_task(tree, DEPTH).wait_and_throw()}, 1e-6 * count, "us")


if __name__ == "__main__":
    main()
