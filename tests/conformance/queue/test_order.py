"""The order of command groups, seen from their results (SYCL 2020 §3.8.1)."""

from __future__ import annotations

import random
import threading
import time

import numpy as np
import pytest

import unisycl as sycl


def mix(h: sycl.handler, source: sycl.buffer, target: sycl.buffer, factor: int) -> None:
    a = sycl.accessor(source, h, sycl.read_only)
    b = sycl.accessor(target, h, sycl.read_write)

    @h.parallel_for(target.get_range())
    def kernel(i):
        b[i] = b[i] * factor + a[i]


def mix_on_host(h: sycl.handler, source: sycl.buffer, target: sycl.buffer, factor: int) -> None:
    a = sycl.accessor(source, h, sycl.read_only_host_task)
    b = sycl.accessor(target, h, sycl.read_write_host_task)

    @h.host_task
    def task():
        b[:] = np.asarray(b) * factor + np.asarray(a)


@pytest.mark.row("E-36", "E-1", "E-2")
@pytest.mark.parametrize("seed", range(3))
def test_random_graphs_equal_a_serial_replay(device: sycl.device, seed: int) -> None:
    choose = random.Random(seed)
    queues = [sycl.queue(device), sycl.queue(device, sycl.property.queue.in_order()),
              sycl.queue(choose.choice(sycl.device.get_devices()))]
    arrays = [np.full(6, k + 1, np.int64) for k in range(5)]
    expected = [a.copy() for a in arrays]
    buffers = [sycl.buffer(a) for a in arrays]
    for _ in range(200):
        source, target = choose.sample(range(5), 2)
        factor = choose.randrange(1, 4)
        group = choose.choice([mix, mix, mix_on_host])
        choose.choice(queues).submit(
            lambda h, g=group, s=source, t=target, f=factor: g(h, buffers[s], buffers[t], f))
        expected[target] = expected[target] * factor + expected[source]
    for buffer in buffers:
        buffer.close()
    assert [e.tolist() for e in expected] == [a.tolist() for a in arrays]


@pytest.mark.row("E-1", "X-5", "E-5")
def test_independent_groups_may_overlap_in_time(queue: sycl.queue) -> None:
    count = 64 * 1024
    base = sycl.buffer(np.zeros(2 * count, np.uint8))
    parts = [sycl.buffer(base, 0, count), sycl.buffer(base, count, count)]
    meet, met = threading.Barrier(2), []

    def group(h: sycl.handler, part: sycl.buffer) -> None:
        sycl.accessor(part, h, sycl.write_only_host_task)
        h.host_task(lambda: met.append(meet.wait(10)))
    for part in parts:
        queue.submit(lambda h, p=part: group(h, p))
    queue.wait()
    assert {0, 1} == {*met}


@pytest.mark.row("E-2")
def test_two_readers_overlap_and_a_writer_waits_for_both(queue: sycl.queue) -> None:
    b = sycl.buffer(np.zeros(4))
    meet, seen = threading.Barrier(2), []

    def read(h: sycl.handler) -> None:
        sycl.accessor(b, h, sycl.read_only_host_task)
        h.host_task(lambda: (meet.wait(10), time.sleep(0.02), seen.append("read")))

    def write(h: sycl.handler) -> None:
        sycl.accessor(b, h, sycl.write_only_host_task)
        h.host_task(lambda: seen.append("write"))
    queue.submit(read)
    queue.submit(read)
    queue.submit(write)
    queue.wait()
    assert ["read", "read", "write"] == seen


@pytest.mark.row("A-26")
def test_a_thousand_small_groups_from_eight_threads(queue: sycl.queue) -> None:
    x = np.zeros(1, np.int64)
    with sycl.buffer(x) as bx:
        def group(h: sycl.handler) -> None:
            acc = sycl.accessor(bx, h, sycl.read_write_host_task)
            h.host_task(lambda: acc.__setitem__(0, acc[0] + 1))

        def submit() -> None:
            for _ in range(125):
                queue.submit(group)
        threads = [threading.Thread(target=submit) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert 1000 == x[0]
