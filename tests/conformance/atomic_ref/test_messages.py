"""Messages between running kernels and threads of the host, through shared USM (SYCL 2020 §4.15.5).

Whoever has the turn reads what the other one wrote by plain stores and writes its answer, then
gives the turn back by one atomic store. A kernel that waits too long gives up, so that a mistake
fails and does not hang.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import unisycl as sycl

order, scope = sycl.memory_order, sycl.memory_scope
PATIENCE = 1 << 30
ROUNDS = {"fences": 1000, "acquire and release": 10_000, "seq_cst": 1000}


def answer(turn, data, rounds, first, fenced, strict, patience):
    """Answer each message with twice its number and one more; count the wrong ones in data[2]."""
    ref = sycl.atomic_ref(turn, 0, order.relaxed, scope.system)
    for k in range(rounds):
        mine = 2 * k + first
        waited = 0
        if fenced:
            while ref.load(order.relaxed) != mine and waited < patience:
                waited += 1
            sycl.atomic_fence(order.acquire, scope.system)
        elif strict:
            while ref.load(order.seq_cst) != mine and waited < patience:
                waited += 1
        else:
            while ref.load(order.acquire) != mine and waited < patience:
                waited += 1
        if waited == patience:
            data[2] += 1
            break
        if first == 1 and data[0] != 3 * k:
            data[2] += 1
        if first == 0 and k > 0 and data[1] != 2 * k - 1:
            data[2] += 1
        if first == 1:
            data[1] = 2 * k + 1
        else:
            data[0] = 3 * k
        if fenced:
            sycl.atomic_fence(order.release, scope.system)
            ref.store(mine + 1, order.relaxed)
        elif strict:
            ref.store(mine + 1, order.seq_cst)
        else:
            ref.store(mine + 1, order.release)


def bound(way: str, first: int, rounds: int, patience: int = PATIENCE) -> Any:
    fenced, strict = way == "fences", way == "seq_cst"

    def kernel(turn, data, rounds=rounds, patience=patience):
        answer(turn, data, rounds, first, fenced, strict, patience)
    return kernel


def memory(queue: sycl.queue) -> tuple[Any, Any]:
    made = sycl.malloc_shared(1, np.int32, queue), sycl.malloc_shared(3, np.int64, queue)
    for one in made:
        one[:] = 0
    return made


@pytest.mark.row("E-32", "E-35", "E-24")
@pytest.mark.parametrize("way", ROUNDS)
def test_a_thread_of_the_host_asks_and_a_kernel_answers(queue: sycl.queue, way: str) -> None:
    native = queue.get_device().get_backend() is sycl.backend.cpu
    slow = queue.get_device().get_backend() is sycl.backend.host
    rounds = ROUNDS[way] if native else 100  # others spend a time slice on each where it is busy
    with sycl.testing.refused(queue.get_device(), sycl.aspect.usm_atomic_shared_allocations):
        turn, data = memory(queue)
        kernel = bound(way, 1, rounds, 1 << 18 if slow else PATIENCE)
        mine = sycl.atomic_ref(turn, 0, order.relaxed, scope.system)
        # The host device runs a kernel in the thread that submits it.
        launch = ThreadPoolExecutor(1).submit(
            lambda: queue.single_task(kernel, turn, data).wait())
        wrong = 0
        for k in range(rounds):
            data[0] = 3 * k
            if way == "fences":
                sycl.atomic_fence(order.release, scope.system)
                mine.store(2 * k + 1, order.relaxed)
            else:
                mine.store(2 * k + 1, order.release)
            while mine.load(order.acquire) != 2 * k + 2 and not launch.done():
                pass
            if way == "fences":
                sycl.atomic_fence(order.acquire, scope.system)
            wrong += int(data[1]) != 2 * k + 1
        launch.result()
        assert (0, 0) == (wrong, int(data[2]))


@pytest.mark.part("E-32", "E-24")
@pytest.mark.parametrize("way", ROUNDS)
def test_kernels_of_two_queues_ask_and_answer(queue: sycl.queue, way: str) -> None:
    """Neither asks for progress: two commands run at the same time where two threads are free."""
    device = queue.get_device()
    if device.get_backend() is not sycl.backend.cpu:
        pytest.skip("only the native CPU runs two kernels at a time that do not ask for it")
    if device.get_info(sycl.info.device.max_compute_units) < 2:
        pytest.skip("one compute unit runs one kernel at a time")
    with sycl.testing.refused(device, sycl.aspect.usm_atomic_shared_allocations):
        turn, data = memory(queue)
        other = sycl.queue(queue.get_context(), device)
        events = [other.single_task(bound(way, 1, ROUNDS[way]), turn, data),
                  queue.single_task(bound(way, 0, ROUNDS[way]), turn, data)]
        sycl.event.wait(events)
        assert (2 * ROUNDS[way], 0) == (int(turn[0]), int(data[2]))
