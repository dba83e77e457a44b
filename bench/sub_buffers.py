"""What a submit costs by how many sub-buffers a buffer has: ``python -m bench.sub_buffers``.

Every sub-buffer is written once a round, by a kernel of one work-item. Prints the processor time
of one submit, all threads of the process together, and its ratio to that with ten.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import unisycl as sycl

COUNTS = (10, 100, 1000, 4000)
SUBMITS = 4000
ROUNDS = 3


def seconds(count: int, *, reads: bool) -> float:
    """Return the processor time of one submit over one of so many sub-buffers."""
    queue = sycl.queue(sycl.cpu_selector_v)
    base = sycl.buffer(np.zeros(16 * count, np.float32))
    parts = [sycl.buffer(base, 16 * k, 16) for k in range(count)]
    mode = sycl.read_only if reads else sycl.read_write
    out: Any = sycl.malloc_shared(1, np.float32, queue)

    def submit(part: sycl.buffer) -> None:
        def group(h: sycl.handler) -> None:
            acc = sycl.accessor(part, h, mode)

            def add() -> None:
                acc[0] += 1

            def look() -> None:
                out[0] = acc[0]
            h.single_task(look if reads else add)
        queue.submit(group)
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for k in range(SUBMITS):
            submit(parts[k % count])
        queue.wait()
        times.append((time.process_time() - start) / SUBMITS)
    base.close()
    return min(times)


def main() -> None:
    """Print a row for each number of sub-buffers."""
    first: dict[bool, float] = {}
    for count in COUNTS:
        cells = []
        for reads in (False, True):
            took = seconds(count, reads=reads)
            ratio = took / first.setdefault(reads, took)
            cells.append(f"{1e6 * took:8.1f} us ({ratio:5.2f})")
        print(f"{count:5d} sub-buffers: written {cells[0]}, read {cells[1]}", flush=True)


if __name__ == "__main__":
    main()
