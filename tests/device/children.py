"""Children of kernels on a card: started by the host, as those of Python are, and by the card.

::

    python -m tests.device.children [--device cuda:0]

A work-item starts 1 to 1000 children of 32 items that do nothing else, and a tree starts two in
each node. Those of kernels in Python have no event and the flag ``no_wait``; those of CUDA C++ are
``cudaStreamFireAndForget`` launches. Printed are medians of the whole, wait included, in us.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.ext.oneapi import experimental as ext
from unisycl.ext.unisycl import enqueue_kernel, enqueue_task, kernel_enqueue_flags
from unisycl.testing import find_device

ROUNDS = 11
SOON = kernel_enqueue_flags.no_wait
TEXT = """
extern "C" __global__ void child(int *out) { if (threadIdx.x == 40) out[0] = 1; }
extern "C" __global__ void start(int *out, int count)
{
    for (int k = 0; k < count; k++) child<<<1, 32, 0, cudaStreamFireAndForget>>>(out);
}
extern "C" __global__ void tree(int *out, int depth)
{
    if (depth > 0) {
        tree<<<1, 1, 0, cudaStreamFireAndForget>>>(out, depth - 1);
        tree<<<1, 1, 0, cudaStreamFireAndForget>>>(out, depth - 1);
    }
}
extern "C" __global__ void nothing(int *out) { }
"""


def child(i: Any, out: Any) -> None:
    if i == 40:
        out[0] = 1


def start(out: Any, count: Any) -> None:
    for _ in range(count):
        enqueue_kernel(SOON, 32, child, out)


def tree(depth: Any) -> None:
    if depth > 0:
        enqueue_task(SOON, tree, depth - 1)
        enqueue_task(SOON, tree, depth - 1)


def median(work: Callable[[], Any]) -> float:
    work()
    found = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        work()
        found.append((time.perf_counter() - begun) * 1e6)
    return statistics.median(found)


def main() -> None:
    """Print what both take."""
    asked = argparse.ArgumentParser()
    asked.add_argument("--device", default="cuda:0")
    queue = sycl.queue(find_device(asked.parse_args().device))
    built = ext.build(ext.create_kernel_bundle_from_source(
        queue.get_context(), ext.source_language.cuda, TEXT))
    out = sycl.malloc_device(4, np.int32, queue)

    def theirs(name: str, *given: int) -> Callable[[], Any]:
        kernel = built.ext_oneapi_get_kernel(name)

        def group(h: sycl.handler) -> None:
            h.set_args(out, *map(np.int32, given))
            h.parallel_for(sycl.nd_range(1, 1), kernel)
        return lambda: queue.submit(group).wait()
    print(f"an empty kernel of a text, and its wait: {median(theirs('nothing')):.1f} us")
    for count in (1, 10, 100, 1000):
        ours = median(lambda n=count: queue.single_task(start, out, n).wait())
        card = median(theirs("start", count))
        print(f"{count} children: by the host {ours:.1f} us, by the card {card:.1f} us", flush=True)
    for depth in (4, 8, 10):
        ours = median(lambda n=depth: queue.single_task(tree, n).wait())
        card = median(theirs("tree", depth))
        print(f"a tree of {2 ** (depth + 1) - 1}: by the host {ours:.1f} us, by the card "
              f"{card:.1f} us", flush=True)


if __name__ == "__main__":
    main()
