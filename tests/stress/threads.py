"""Eight threads submit groups over shared buffers, kernels, fills and host tasks on two devices.

Every group adds to a counter that others add to as well, without atomics: a lost sum is a missing
edge. Host tasks and kernels also keep books of which came when: a reader sees whole states only.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence

import numpy as np

import unisycl as sycl
from tests.stress.run import Run, device_names, handles, resident

THREADS, BUFFERS, SIZE = 8, 6, 16


class Shared:
    """The buffers, the queues, and how often each buffer was added to."""

    def __init__(self) -> None:
        found = [sycl.queue(name).get_device() for name in device_names()]
        self.queues = [q for d in found for q in (
            sycl.queue(d), sycl.queue(d, sycl.property.queue.in_order()))]
        self.arrays = [np.zeros(SIZE, np.int64) for _ in range(BUFFERS)]
        self.buffers = [sycl.buffer(a) for a in self.arrays]
        self.torn: list[str] = []

    def device_group(self, buffer: sycl.buffer) -> object:
        def group(h: sycl.handler) -> None:
            acc = sycl.accessor(buffer, h)
            h.parallel_for(SIZE, bump_all(acc))
        return group

    def host_group(self, buffer: sycl.buffer) -> object:
        def group(h: sycl.handler) -> None:
            acc = sycl.accessor(buffer, h, sycl.read_write_host_task)

            @h.host_task
            def add() -> None:
                seen = np.asarray(acc)
                acc[:] = seen + 1
        return group

    def reading_group(self, buffer: sycl.buffer) -> object:
        def group(h: sycl.handler) -> None:
            acc = sycl.accessor(buffer, h, sycl.read_only_host_task)

            @h.host_task
            def check() -> None:
                seen = np.asarray(acc)
                if seen.min() != seen.max():
                    self.torn.append(f"a reader saw {seen.tolist()}")
        return group


def bump_all(acc):
    def kernel(i):
        acc[i] += 1
    return kernel


def work(shared: Shared, seed: int, groups: int, run: Run, totals: Counter[int]) -> None:
    """Submit groups until there were so many or the time is over."""
    choose = random.Random(seed)
    for turn in range(groups):
        if turn % 64 == 0 and not run.going():
            break
        at = choose.randrange(BUFFERS)
        kind = choose.random()
        make = (shared.device_group if kind < 0.6 else
                shared.host_group if kind < 0.8 else shared.reading_group)
        choose.choice(shared.queues).submit(make(shared.buffers[at]))
        totals[at] += make != shared.reading_group
        totals[-1] += 1
        if choose.random() < 0.002:
            choose.choice(shared.queues).wait()


def main(arguments: Sequence[str] | None = None) -> int:
    """Let eight threads submit; compare the sums."""
    run = Run("threads", arguments, seconds=600.0, count=100_000)
    shared = Shared()
    before, (files, threads) = resident(), handles()
    totals: list[Counter[int]] = [Counter() for _ in range(THREADS)]
    workers = [threading.Thread(target=work, args=(
        shared, run.random.randrange(1 << 30), run.count // THREADS, run, totals[k]))
        for k in range(THREADS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for buffer in shared.buffers:
        buffer.close()
    for at, array in enumerate(shared.arrays):
        expected = sum(t[at] for t in totals)
        if set(array.tolist()) != {expected}:
            run.fail(f"buffer {at}: {expected} groups added, found {array.tolist()}")
    for text in shared.torn:
        run.fail(text)
    run.counts["groups"] += sum(t[-1] for t in totals)
    run.counts["groups/s"] = int(run.counts["groups"] / (
        time.monotonic() - run.begun))
    run.counts["KiB more"] = (resident() - before) // 1024
    run.counts["files more"], run.counts["threads more"] = (
        now - then for now, then in zip(handles(), (files, threads), strict=True))
    return run.end()


if __name__ == "__main__":
    sys.exit(main())
