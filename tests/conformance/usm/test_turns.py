"""Host and kernels use shared memory in turns (SYCL 2020 §4.8.2)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import unisycl as sycl
from unisycl.testing import refused

COUNT = 300


def add(i, p, n):
    p[i] += n


def double(i, p, q):
    q[i] = p[i] * 2


@pytest.fixture(params=[sycl.usm.alloc.shared, sycl.usm.alloc.host], ids=["shared", "host"])
def memory(request, queue: sycl.queue):
    needed = getattr(sycl.aspect, f"usm_{request.param.name}_allocations")
    with refused(queue.get_device(), needed):
        made = sycl.malloc(COUNT, np.int32, queue, request.param)
    made[:] = np.arange(COUNT)
    return made


@pytest.mark.row("B-49", "E-16", "E-24")
def test_each_sees_what_the_other_has_stored(queue: sycl.queue, memory) -> None:
    for turn in range(6):
        queue.parallel_for(COUNT, add, memory, turn).wait()
        assert (np.arange(COUNT) + turn * (turn + 1)).tolist() == memory[:].tolist()
        memory[:] += turn + 1


@pytest.mark.row("B-49", "E-24")
def test_an_array_kept_from_before_shows_what_kernels_store(queue: sycl.queue, memory) -> None:
    kept = memory[:]
    queue.parallel_for(COUNT, add, memory, 5).wait()
    assert (np.arange(COUNT) + 5).tolist() == kept.tolist()
    kept[:] = 1
    queue.parallel_for(COUNT, add, memory, 1).wait()
    assert [2] * COUNT == kept.tolist()


@pytest.mark.row("A-29", "E-16")
def test_who_sees_the_last_of_a_chain_end_may_read_what_the_first_used(queue: sycl.queue,
                                                                       memory) -> None:
    kept = memory[:]
    first = queue.parallel_for(COUNT, add, memory, 1)
    second = sycl.malloc_device(COUNT, np.int32, queue)
    middle = queue.parallel_for(COUNT, first, double, memory, second)
    other = sycl.malloc_device(COUNT, np.int32, queue)
    last = queue.memcpy(other, second, 4 * COUNT, middle)
    while last.get_info(sycl.info.event.command_execution_status) is not (
            sycl.info.event_command_status.complete):
        pass
    assert (np.arange(COUNT) + 1).tolist() == kept.tolist()
    out = np.empty(COUNT, np.int32)
    queue.memcpy(out, other, 4 * COUNT).wait()
    assert (2 * np.arange(COUNT) + 2).tolist() == out.tolist()


@pytest.mark.row("C-27", "E-16")
def test_a_host_task_between_two_kernels_has_the_memory(queue: sycl.queue, memory) -> None:
    kept, seen = memory[:], []
    first = queue.parallel_for(COUNT, add, memory, 1)

    def look() -> None:
        seen.append(kept.tolist())
        kept[:] = 7

    def group(h: sycl.handler) -> None:
        h.depends_on(first)
        h.host_task(look)

    between = queue.submit(group)
    queue.parallel_for(COUNT, between, add, memory, 3).wait()
    assert [(np.arange(COUNT) + 1).tolist()] == seen
    assert [10] * COUNT == kept.tolist()


@pytest.mark.row("B-49")
def test_each_of_two_commands_on_one_allocation_may_be_waited_for(queue: sycl.queue,
                                                                  memory) -> None:
    kept, half = memory[:], COUNT // 2
    events = [queue.parallel_for(half, add, memory, 1),
              queue.parallel_for(half, add, memory.pointer_to(half), 2)]
    events[0].wait()
    assert (np.arange(half) + 1).tolist() == kept[:half].tolist()
    events[1].wait()
    assert (np.arange(half, COUNT) + 2).tolist() == kept[half:].tolist()


@pytest.mark.row("B-48", "I-15")
def test_copies_and_fills_reach_it_as_kernels_do(queue: sycl.queue, memory) -> None:
    other = sycl.malloc_shared(COUNT, np.int32, queue)
    own = sycl.malloc_device(COUNT, np.int32, queue)
    x = np.empty(COUNT, np.int32)
    queue.fill(other, np.int32(3), COUNT).wait()
    assert [3] * COUNT == other[:].tolist()
    queue.memcpy(other.pointer_to(10), memory, 40).wait()
    assert [3] * 10 + [*range(10)] + [3] == other[:21].tolist()
    queue.memcpy(own, memory, 4 * COUNT).wait()
    queue.memcpy(other, own, 4 * COUNT).wait()
    assert memory[:].tolist() == other[:].tolist()
    queue.memcpy(x, other, 4 * COUNT).wait()
    assert memory[:].tolist() == x.tolist()
    queue.memcpy(memory[100:], other, 40).wait()  # an array over a part of it
    assert [*range(10), 110] == memory[100:111].tolist()
    queue.memset(other, 1, 4 * COUNT).wait()
    assert [0x01010101] * COUNT == other[:].tolist()


@pytest.mark.row("B-49")
def test_it_may_be_freed_behind_the_last_command(queue: sycl.queue) -> None:
    out = sycl.malloc_shared(COUNT, np.int32, queue)
    for turn in range(20):
        p = sycl.malloc_shared(COUNT, np.int32, queue)
        p[:] = turn
        queue.parallel_for(COUNT, double, p, out).wait()
        sycl.free(p, queue)
        assert [2 * turn] * COUNT == out[:].tolist()


@pytest.mark.row("D-44")
def test_a_sum_goes_into_it_and_is_added_to(queue: sycl.queue, memory) -> None:
    total = sycl.malloc_shared(1, np.int32, queue)
    total[0] = 5

    def kernel(i, s, p):
        s.combine(p[i])

    queue.parallel_for(COUNT, sycl.reduction(total, sycl.plus()), kernel, memory).wait()
    assert 5 + sum(range(COUNT)) == total[0]


@pytest.mark.row("B-43", "A-26")
def test_threads_make_use_and_free_it(queue: sycl.queue) -> None:
    """Drivers may take one call of a kind at a time, whatever OpenCL says of threads."""
    def work(start: int) -> list[int]:
        found = []
        for turn in range(start, start + 20):
            p = sycl.malloc_shared(COUNT, np.int32, queue)
            p[:] = turn
            queue.parallel_for(COUNT, add, p, 1).wait()
            found.append(int(p[turn]))
            sycl.free(p, queue)
        return found
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(work, range(0, 80, 20)))
    assert [list(range(k + 1, k + 21)) for k in range(0, 80, 20)] == results
