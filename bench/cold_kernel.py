"""A kernel of twenty lines, compiled cold: prints the seconds from the call to the launch.

The time holds all that a first kernel costs: loading the compiler, compiling, starting the threads;
with an argument another kernel comes before, over few and over many elements, so that it holds
compiling alone: the compiler is loaded, and so is the pool of threads, whose own code is compiled
once for all processes of a user.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import unisycl as sycl


@sycl.kernel
def relax(it: Any, height: Any, water: Any, out: Any) -> None:
    """Let water flow towards the lowest neighbour: loops, branches, a square root."""
    y, x = it
    rows, columns = it.get_range(0), it.get_range(1)
    level = height[y, x] + water[y, x]
    lowest = level
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            v = min(max(y + dy, 0), rows - 1)
            u = min(max(x + dx, 0), columns - 1)
            there = height[v, u] + water[v, u]
            if there < lowest:
                lowest = there
    flow = 0.0
    while level - lowest > 0.25 and flow < water[y, x]:
        flow += 0.125
        level -= 0.125
    if flow > 0.0:
        out[y, x] = sycl.sqrt(flow) * 0.5
    else:
        out[y, x] = water[y, x] - 0.5 * flow


@sycl.kernel
def before(it: Any, out: Any) -> None:
    """Have the compiler loaded."""
    out[it] = 0.0


def main() -> None:
    """Launch once and print the time."""
    queue = sycl.queue(sycl.cpu_selector_v)
    height, water, out = np.ones((3, 64, 64), np.float32)
    if len(sys.argv) > 1:
        for array in (out, np.ones((1024, 1024), np.float32)):
            queue.parallel_for(sycl.range(*array.shape), before, array).wait()
    begin = time.perf_counter()
    event = queue.parallel_for(sycl.range(64, 64), relax, height, water, out)
    print(time.perf_counter() - begin)
    event.wait()


if __name__ == "__main__":
    main()
