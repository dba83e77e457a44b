"""``python -m bench.groups``: a work-group's reduction by group function and by hand.

Paired rounds of ``reduce_over_group`` and of the tree with barriers, in CPU time, so that a busy
machine disturbs little. Non-goals: peers (``dev.py bench``). Invariant: both compute the same sums.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl

SIZES, GROUP, ROUNDS = (1 << 18, 1 << 21), 256, 31


def whole(it: Any, values: Any, sums: Any, tile: Any) -> None:
    """Add a work-group's values by the group function."""
    group = it.get_group()
    total = sycl.reduce_over_group(group, values[it.get_global_id(0)], sycl.plus)
    if group.leader():
        sums[it.get_group(0)] = total


def tree(it: Any, values: Any, sums: Any, tile: Any) -> None:
    """Add them pair by pair in local memory."""
    k = it.get_local_id(0)
    tile[k] = values[it.get_global_id(0)]
    it.barrier()
    step = GROUP // 2
    while step > 0:
        if k < step:
            tile[k] += tile[k + step]
        it.barrier()
        step //= 2
    if k == 0:
        sums[it.get_group(0)] = tile[0]


def prepared(queue: sycl.queue, kernel: Any, values: Any, sums: Any) -> Callable[[], float]:
    """Return what runs a kernel and says how much CPU time it took; it is compiled already."""
    def group(h: sycl.handler) -> None:
        tile = sycl.local_accessor(np.float32, GROUP, h)
        h.parallel_for(sycl.nd_range(values.size, GROUP), kernel, values, sums, tile)

    def run() -> float:
        start = time.process_time()
        queue.submit(group).wait()
        return 1e6 * (time.process_time() - start)
    run()
    return run


def main() -> None:
    """Print the medians and the rounds' ratios."""
    queue = sycl.queue(sycl.cpu_selector_v)
    for size in SIZES:
        values = np.random.default_rng(0).random(size, np.float32)
        sums = [np.zeros(size // GROUP, np.float32) for _ in range(2)]
        runs = [prepared(queue, kernel, values, out)
                for kernel, out in zip((tree, whole), sums, strict=True)]
        np.testing.assert_allclose(sums[0], sums[1], rtol=1e-5)
        times = [[run() for run in runs] for _ in range(ROUNDS)]
        ratios = sorted(a / max(b, 1e-3) for a, b in times)
        middle = [statistics.median(column) for column in zip(*times, strict=True)]
        print(f"{size:8} numbers: {middle[0]:8.0f} us by hand, {middle[1]:8.0f} us by "
              f"reduce_over_group, ratio {statistics.median(ratios):.2f} "
              f"({ratios[0]:.2f} to {ratios[-1]:.2f})")


if __name__ == "__main__":
    main()
