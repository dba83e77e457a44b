"""Queues, buffers, USM, graphs and events without number, dropped in any order from any thread.

Measured are the memory in use, open files, threads, and the queues the runtime knows of: after a
first part all of these must stay as they are.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

import unisycl as sycl
from tests.stress.run import Run, device_names, handles, resident
from unisycl.runtime.graph import lifecycle

THREADS, CALM = 4, 1000
experimental = sycl.ext.oneapi.experimental


def bump(i, p):
    p[i] += 1


def objects(device: sycl.device, kind: int) -> list[Any]:
    """Make a few objects that know of each other, with work under way."""
    queue = sycl.queue(device)
    array = np.zeros(64, np.int32)
    buffer = sycl.buffer(array)
    made: list[Any] = [queue, buffer]
    if kind % 4 == 0:
        made.append(queue.submit(lambda h: h.fill(sycl.accessor(buffer, h, sycl.write_only), 1)))
    if kind % 8 == 1:
        pointer = sycl.malloc_shared(64, np.int32, queue)
        made += [pointer, queue.parallel_for(64, bump, pointer)]
    if kind % 16 == 2:
        graph = experimental.command_graph(queue)
        graph.add(lambda h: h.fill(sycl.accessor(buffer, h, sycl.write_only), 2))
        made += [graph, queue.ext_oneapi_graph(graph.finalize())]
    if kind % 16 == 3:
        made.append(queue.submit(lambda h: look(h, buffer)))
    if kind % 32 == 4:
        made.append(made)  # only the collector ends it
    if kind % 16 == 5:
        made.append(sycl.host_accessor(buffer))
    return made


def look(h: sycl.handler, buffer: sycl.buffer) -> None:
    acc = sycl.accessor(buffer, h, sycl.read_only_host_task)
    h.host_task(lambda: acc[0])


def work(run: Run, seed: int, each: int, wrong: list[BaseException]) -> None:
    """Make and drop objects; each thread drops what another one made, too."""
    choose = np.random.default_rng(seed)
    devices = [sycl.queue(name).get_device() for name in device_names()]
    kept: list[Any] = []
    try:
        for _ in range(each):
            kept += objects(devices[choose.integers(len(devices))], int(choose.integers(32)))
            while len(kept) > 40:
                del kept[int(choose.integers(len(kept)))]
    except BaseException as error:  # noqa: BLE001 - told to the main thread
        wrong.append(error)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make objects in threads, part by part, and measure after each part."""
    run = Run("lifetimes", arguments, seconds=600.0, count=10_000)
    calm: tuple[int, ...] | None = None
    last: tuple[int, ...] = ()
    made = 0
    for _ in run.turns():
        wrong: list[BaseException] = []
        threads = [threading.Thread(target=work, args=(
            run, run.random.randrange(1 << 30), CALM // 2 // THREADS, wrong))
            for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        made += CALM // 2
        for error in wrong:
            run.fail(repr(error))
        gc.collect()
        last = (resident() // 1024, *handles(), lifecycle.count())
        calm = last if calm is None or made <= CALM else calm
        if made >= run.count:
            break
    assert calm is not None
    more = [now - then for now, then in zip(last, calm, strict=True)]
    run.counts["queues and buffers"] = made
    for name, count in zip(("KiB", "files", "threads", "known queues"), more, strict=True):
        run.counts[f"{name} more"] = count
    if more[0] > 4096 + made // 2 or more[1] > 2 or more[2] > 16 or more[3] > 64:
        run.fail("something was left over")
    return run.end()


if __name__ == "__main__":
    sys.exit(main())
