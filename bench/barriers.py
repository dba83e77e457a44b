"""What a barrier over all work-groups of a launch takes: ``python -m bench.barriers``.

As many work-groups as the device has threads, of 16 work-items each, meet 40,000 times. Non-goals:
peers, which have no such barrier.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import unisycl as sycl
from unisycl.ext.oneapi.experimental import use_root_sync

ROUNDS, BARRIERS, ITEMS = 7, 40_000, 16


@sycl.kernel(properties=use_root_sync)
def meet(it: Any, count: int) -> None:
    """Meet all work-groups so many times."""
    root = it.ext_oneapi_get_root_group()
    for _ in range(count):
        sycl.group_barrier(root)


def main() -> None:
    """Print the median of some launches and their spread, in microseconds a barrier."""
    queue = sycl.queue(sycl.cpu_selector_v)
    kernel = sycl.get_kernel_bundle(queue.get_context(), [meet]).get_kernel(meet)
    groups = kernel.get_info(sycl.info.kernel.max_num_work_group_sync, queue, ITEMS)
    space = sycl.nd_range(ITEMS * groups, ITEMS)
    queue.parallel_for(space, meet, 1).wait()
    found = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        queue.parallel_for(space, meet, BARRIERS).wait()
        found.append((time.perf_counter() - start) / BARRIERS * 1e6)
    print(f"{groups} work-groups of {ITEMS}: {statistics.median(found):.2f} us a barrier "
          f"({min(found):.2f} to {max(found):.2f})")


if __name__ == "__main__":
    main()
