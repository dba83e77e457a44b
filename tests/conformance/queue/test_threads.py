"""Several threads launch kernels on one queue and wait for some of them: none waits for ever."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import unisycl as sycl

SIZE, LAUNCHES = 1 << 16, 400


def put(i, p, value):
    p[i] = value


@pytest.mark.row("A-26", "A-37")
@pytest.mark.parametrize("threads", [2, 4])
def test_threads_wait_for_kernels_of_one_queue(
        device: sycl.device, queue: sycl.queue, threads: int) -> None:
    host = device.get_backend().name == "host"
    size, launches = (16, 40) if host else (SIZE, LAUNCHES)
    found: list[bool] = []

    def work() -> None:
        given = []
        for k in range(launches):
            p = sycl.malloc_device(size, np.int32, queue)
            given.append((p, queue.parallel_for(size, put, p, k)))
            if k % 3 == 0:
                given[-1][1].wait()
        out = np.empty(size, np.int32)
        for k, (p, event) in enumerate(given):
            queue.copy(p, out, depends_on=[event]).wait()
            found.append(bool((out == k).all()))
            sycl.free(p, queue)
    workers = [threading.Thread(target=work, daemon=True) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert [True] * (threads * launches) == found
