"""Children launched by a card: whether each ran once, and what was left to the host.

::

    python -m tests.device.offspring [--device cuda:0]

Runs trees of many shapes, with events in some, several at a time, and more children than a card
keeps launches; prints how many the card launched and how many runs it left. Ends with 1 if a count
is wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.ext.unisycl import enqueue_kernel, enqueue_task, kernel_enqueue_flags, ndrange
from unisycl.testing import find_device

SOON, AFTER = kernel_enqueue_flags.no_wait, kernel_enqueue_flags.wait_kernel
RELAXED, DEVICE = sycl.memory_order.relaxed, sycl.memory_scope.device


def count(out: Any, k: Any) -> None:
    sycl.atomic_ref(out, k, RELAXED, DEVICE).fetch_add(1)


def many(out: Any, n: Any) -> None:
    for k in range(n):
        enqueue_task(SOON, count, out, k)


def tree(out: Any, depth: Any) -> None:
    sycl.atomic_ref(out, depth, RELAXED, DEVICE).fetch_add(1)
    if depth > 0:
        enqueue_task(SOON, tree, out, depth - 1)
        enqueue_task(AFTER, tree, out, depth - 1)


def chain(out: Any, left: Any) -> None:
    sycl.atomic_ref(out, 0, RELAXED, DEVICE).fetch_add(1)
    if left > 0:
        enqueue_task(SOON, chain, out, left - 1)


def mixed(out: Any, depth: Any) -> None:
    """A tree in which one generation waits for events, half way."""
    sycl.atomic_ref(out, depth, RELAXED, DEVICE).fetch_add(1)
    if depth == 3:
        first = enqueue_task(SOON, mixed, out, depth - 1)
        enqueue_task(SOON, mixed, out, depth - 1, wait_list=(first,))
    elif depth > 0:
        enqueue_task(SOON, mixed, out, depth - 1)
        enqueue_task(SOON, mixed, out, depth - 1)


def wide(it: Any, out: Any) -> None:
    out[it[0] + 100 * it[1]] += 1


def groups(it: Any, out: Any) -> None:
    sycl.group_barrier(it.get_group())
    out[it.get_global_id(0)] += 1


def shapes(out: Any, flat: Any) -> None:
    enqueue_kernel(SOON, (100, 37), wide, out)
    enqueue_kernel(SOON, ndrange(64, 32, 5), groups, flat)
    enqueue_kernel(SOON, (0, 37), wide, out)


def main() -> None:
    """Print what ran, and where."""
    asked = argparse.ArgumentParser()
    asked.add_argument("--device", default="cuda:0")
    device = find_device(asked.parse_args().device)
    queue = sycl.queue(device)
    opened: Any = getattr(device.state.driver, "opened", None)
    wrong = 0
    before = [0, 0]

    def told(name: str, found: Any, wanted: Any, begun: float) -> None:
        nonlocal wrong, before
        good = np.array_equal(found, wanted)
        wrong += not good
        now, text = before, ""
        home = getattr(opened and opened(), "offspring", None)
        if home is not None:
            now = [home.launched, home.left]
            text = f"{now[0] - before[0]} by the card, {now[1] - before[1]} runs left"
        before = now
        print(f"{name}: {'right' if good else f'WRONG {found}'}; {text}; "
              f"{(time.perf_counter() - begun) * 1e3:.1f} ms", flush=True)

    def fresh(n: int, queue: Any = queue) -> Any:
        made = sycl.malloc_shared(n, np.int32, queue)
        queue.fill(made, 0).wait()
        return made

    for n in (1, 31, 1000, 1025, 2048, 3000):
        for _ in range(2):
            out, begun = fresh(3000), time.perf_counter()
            queue.single_task(many, out, n).wait()
            told(f"{n} children", out[:min(n, 2048)].sum(), min(n, 2048), begun)
    for kernel, depth in ((tree, 4), (tree, 10), (tree, 12), (mixed, 7)):
        for _ in range(2):
            out, begun = fresh(16), time.perf_counter()
            queue.single_task(kernel, out, depth).wait()
            told(f"{kernel.__name__} of {2 ** (depth + 1) - 1}", out[:depth + 1],
                 [2 ** k for k in range(depth, -1, -1)], begun)
    for n in (10, 30, 1000):
        out, begun = fresh(1), time.perf_counter()
        queue.single_task(chain, out, n).wait()
        told(f"a chain of {n + 1}", out[0], n + 1, begun)
    out, flat, begun = fresh(10000), fresh(80), time.perf_counter()
    queue.single_task(shapes, out, flat).wait()
    told("shapes", [out[:].sum(), flat[5:69].sum(), flat[:].sum()], [3700, 64, 64], begun)
    begun, queues = time.perf_counter(), [sycl.queue(device) for _ in range(6)]
    outs = [fresh(3000) for _ in range(24)]
    for k, out in enumerate(outs):
        queues[k % 6].single_task(many, out, 2048)
    for one in queues:
        one.wait_and_throw()
    told("24 of 2048 children in 6 queues", [o[:2048].sum() for o in outs], [2048] * 24, begun)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
