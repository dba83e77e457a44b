"""Kernels that wait for one another on a card, launched as one: many packets, many shapes.

::

    python -m tests.device.joined [--device cuda:0] [--packets 1000000]

Each line says what was done and how long it took; a packet that is wrong ends the program.
Non-goals: what the conformance tests of pipes show.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.ext.intel import pipe
from unisycl.ext.oneapi import experimental as ext
from unisycl.testing import find_device

line = pipe(np.int32, 16)
more = pipe(np.int32, 16)
lanes = [pipe(np.int32, 16) for _ in range(4)]
wide = pipe(np.int32, 1024)


def put(count: int) -> None:
    for k in range(count):
        line.write(k)


def pass_on(count: int) -> None:
    for _ in range(count):
        more.write(line.read() + 1)


def take(out: Any, count: int) -> None:
    wrong = 0
    for k in range(count):
        if line.read() != k:
            wrong += 1
    out[0] = wrong


def take_more(out: Any, count: int) -> None:
    wrong = 0
    for k in range(count):
        if more.read() != k + 1:
            wrong += 1
    out[0] = wrong


def told(what: str, run: Callable[[], int]) -> None:
    """Print how long something takes; end the program if anything was wrong."""
    begun = time.perf_counter()
    wrong = run()
    print(f"{what}: {wrong} wrong, {time.perf_counter() - begun:.3f} s", flush=True)
    if wrong:
        raise SystemExit(1)


class Runs:
    """What is done on a queue."""

    def __init__(self, queue: sycl.queue, packets: int) -> None:
        self.queue = queue
        self.packets = packets
        self.out = sycl.malloc_shared(64, np.int64, queue)

    def pair(self) -> int:
        """One kernel writes, another reads."""
        self.out[:] = -1
        self.queue.single_task(take, self.out, self.packets)
        self.queue.single_task(put, self.packets)
        self.queue.wait()
        return int(self.out[0])

    def chain(self) -> int:
        """Three kernels, two pipes."""
        self.out[:] = -1
        self.queue.single_task(put, self.packets)
        self.queue.single_task(pass_on, self.packets)
        self.queue.single_task(take_more, self.out, self.packets).wait()
        return int(self.out[0])

    def pairs(self) -> int:
        """Four pairs, joined by nothing, in turns of one of each."""
        self.out[:] = -1
        count, events = self.packets // 10, []
        for k, lane in enumerate(lanes):
            def write(count, lane=lane):
                for n in range(count):
                    lane.write(n)

            def read(out, k, count, lane=lane):
                wrong = 0
                for n in range(count):
                    if lane.read() != n:
                        wrong += 1
                out[k] = wrong
            events += [self.queue.single_task(write, count),
                       self.queue.single_task(read, self.out, k, count)]
        self.queue.wait()
        return int(self.out[:4].sum())

    def shapes(self) -> int:
        """Thousands of items write a packet each, work-groups of another size take them."""
        units = self.queue.get_device().get_info(sycl.info.device.max_compute_units)
        groups, items = units, 256
        sums = sycl.malloc_shared(groups * items, np.int32, self.queue)
        sums[:] = -1

        def many(it):
            value = sycl.exclusive_scan_over_group(it.get_group(), np.int32(1), sycl.plus())
            sycl.group_barrier(it.get_group())
            wide.write(value + np.int32(it.get_group(0)) * np.int32(it.get_local_range(0)))

        def few(it, sums, each):
            for k in range(each):
                where = (it.get_group(0) * each + k) * it.get_local_range(0) + it.get_local_id(0)
                sums[where] = wide.read()
                sycl.group_barrier(it.get_group())
        self.queue.parallel_for(sycl.nd_range(groups * items, items), many)
        self.queue.parallel_for(sycl.nd_range(groups * 32, 32), few, sums, items // 32)
        self.queue.wait()
        return int((np.sort(sums[:]) != np.arange(groups * items)).sum())

    def graph(self) -> int:
        """A graph of a pair, a hundred times."""
        count = self.packets // 1000
        graph = ext.command_graph(self.queue)
        graph.add(lambda h: h.single_task(put, count))
        graph.add(lambda h: h.single_task(take, self.out, count))
        ready, wrong = graph.finalize(), 0
        for _ in range(100):
            self.out[:] = -1
            self.queue.ext_oneapi_graph(ready).wait()
            wrong += int(self.out[0])
        return wrong

    def again(self) -> int:
        """A pair of one packet, a thousand times: what it costs to launch two kernels as one."""
        wrong = 0
        for _ in range(1000):
            self.out[0] = -1
            self.queue.single_task(put, 1)
            self.queue.single_task(take, self.out, 1).wait()
            wrong += int(self.out[0])
        return wrong

    def refused(self) -> int:
        """Kernels without the other end, one behind the other, and too large for the card."""
        ordered = sycl.queue(self.queue.get_context(), self.queue.get_device(),
                             sycl.property.queue.in_order())

        def large(it):
            wide.write(it.get_global_id(0))

        def lone() -> None:
            self.queue.single_task(take, self.out, 1).wait()

        def behind() -> None:
            ordered.single_task(put, 1)
            ordered.single_task(take, self.out, 1).wait()

        def too_large() -> None:
            self.queue.parallel_for(sycl.nd_range(1 << 22, 256), large)
            self.queue.single_task(lambda: wide.read()).wait()
        wrong = 0
        for call in (lone, behind, too_large):
            try:
                call()
                self.queue.wait()
                ordered.wait()
                wrong += 1
            except sycl.exception as error:
                print(f"    {error}")
            for one in (self.queue, ordered):
                try:
                    one.wait_and_throw()
                except sycl.exception as error:
                    print(f"    also: {error}")
        return wrong


def main() -> None:
    """Run all of it."""
    asked = argparse.ArgumentParser()
    asked.add_argument("--device", default="cuda:0")
    asked.add_argument("--packets", type=int, default=1_000_000)
    given = asked.parse_args()
    queue = sycl.queue(find_device(given.device))
    runs = Runs(queue, given.packets)
    n = given.packets
    told(f"{n} packets, one pair (compiled now)", runs.pair)
    told(f"{n} packets, one pair", runs.pair)
    told(f"{n} packets, a chain of three", runs.chain)
    told(f"{n // 10} packets in each of four pairs", runs.pairs)
    told("a packet of each of many items, read by other work-groups", runs.shapes)
    told("a graph of a pair, 100 times", runs.graph)
    told("a pair of one packet, 1000 times", runs.again)
    told("what is refused", runs.refused)


if __name__ == "__main__":
    main()
