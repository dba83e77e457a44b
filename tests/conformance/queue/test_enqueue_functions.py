"""Commands as free functions without events (sycl_ext_oneapi_enqueue_functions)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import code_of

x = sycl.ext.oneapi.experimental
user_event = sycl.ext.unisycl.user_event


def add(i, p, value):
    p[i] += value


def store(p, value):
    p[0] = value


def places(it, p):
    p[it.get_global_id(0)] = it.get_local_id(0)


@pytest.mark.row("M-3")
def test_every_command_does_as_its_member_does_and_makes_no_event(
        device: sycl.device, monkeypatch: pytest.MonkeyPatch) -> None:
    q = sycl.queue(device, sycl.property.queue.in_order())
    p, other = sycl.malloc_shared(8, np.int32, q), sycl.malloc_shared(8, np.int32, q)
    total = sycl.malloc_shared(1, np.int32, q)
    array = np.arange(8, dtype=np.int32)
    graph = x.command_graph(q)
    with graph.record(q):
        x.parallel_for(q, 8, add, p, 100)
    replay = graph.finalize()

    def refuse(task: object) -> sycl.event:
        raise AssertionError("an event was made")
    monkeypatch.setattr(sycl.event, "_of", refuse)
    results = [
        x.memset(q, p, 0), x.memset(q, total, 0), x.fill(q, other, 7),
        x.parallel_for(q, sycl.range(8), add, p, 2), x.single_task(q, store, p, 5),
        x.copy(q, array, other, 4), x.prefetch(q, p, type=x.prefetch_type.host),
        x.mem_advise(q, p, None, 0), x.barrier(q), x.partial_barrier(q, []),
        x.parallel_for(q, x.launch_config(sycl.range(8)), summing,
                       sycl.reduction(total, sycl.plus()), other),
        x.execute_graph(q, replay), x.submit(q, lambda h: x.parallel_for(h, 8, add, p, 1))]
    q.wait()
    assert [None] * len(results) == results
    assert [106] + [103] * 7 == p[:].tolist()
    assert [0, 1, 2, 3, 7, 7, 7, 7] == other[:].tolist()
    assert 34 == total[0]
    x.nd_launch(q, x.launch_config(sycl.nd_range(8, 4)), places, p)
    x.memcpy(q, other, p, 16)
    q.wait()
    assert [0, 1, 2, 3] * 2 == p[:].tolist()
    assert [0, 1, 2, 3, 7, 7, 7, 7] == other[:].tolist()


def summing(i, r, p):
    r += p[i]


@pytest.mark.row("M-3")
def test_every_command_stands_in_a_command_group(queue: sycl.queue) -> None:
    p, other = sycl.malloc_shared(8, np.int32, queue), sycl.malloc_shared(8, np.int32, queue)
    small = x.command_graph(queue)
    small.add(lambda h: x.fill(h, p, 9))
    replay = small.finalize()
    groups = [
        (lambda h: x.memset(h, p, 0), [0] * 8), (lambda h: x.fill(h, p, 3), [3] * 8),
        (lambda h: x.single_task(h, store, p, 4), [4] + [3] * 7),
        (lambda h: x.parallel_for(h, 8, add, p, 1), [5] + [4] * 7),
        (lambda h: x.nd_launch(h, sycl.nd_range(8, 2), places, p), [0, 1] * 4),
        (lambda h: x.copy(h, p, other), [0, 1] * 4), (lambda h: x.memset(h, p, 1), [0x1010101] * 8),
        (lambda h: x.memcpy(h, p, other), [0, 1] * 4), (lambda h: x.prefetch(h, p), [0, 1] * 4),
        (lambda h: x.mem_advise(h, p), [0, 1] * 4), (lambda h: x.barrier(h), [0, 1] * 4),
        (lambda h: x.partial_barrier(h, []), [0, 1] * 4),
        (lambda h: x.execute_graph(h, replay), [9] * 8)]
    for group, want in groups:
        done = x.submit_with_event(queue, group)
        assert isinstance(done, sycl.event)
        done.wait()
        assert want == p[:].tolist()


@pytest.mark.row("M-3", "E-17")
@pytest.mark.parametrize("how", ["queue", "handler", "member"])
def test_a_barrier_holds_up_all_that_comes_later(queue: sycl.queue, how: str) -> None:
    p = sycl.malloc_shared(1, np.int32, queue)
    p[0] = 0
    gate, seen = user_event(), []
    queue.submit(lambda h: (h.depends_on(gate), h.host_task(lambda: seen.append(1))))
    if how == "queue":
        x.barrier(queue)
    elif how == "handler":
        x.submit(queue, x.barrier)
    else:
        queue.ext_oneapi_submit_barrier()
    kernel = queue.parallel_for(1, add, p, 1)
    task = queue.submit(lambda h: h.host_task(lambda: seen.append(2)))
    complete = sycl.info.event_command_status.complete
    other = sycl.queue(queue.get_device())
    other.submit(lambda h: h.host_task(lambda: seen.append(0))).wait()
    for late in (kernel, task):
        assert complete is not late.get_info(sycl.info.event.command_execution_status)
    assert ([0], 0) == (seen, p[0])
    gate.set()
    queue.wait()
    assert ([0, 1, 2], 1) == (seen, p[0])
    queue.parallel_for(1, add, p, 1).wait()
    assert 2 == p[0]


@pytest.mark.row("M-3", "E-17")
def test_a_partial_barrier_waits_for_its_events_only(queue: sycl.queue) -> None:
    gate, slow, seen = user_event(), user_event(), []
    first = queue.submit(lambda h: (h.depends_on(gate), h.host_task(lambda: seen.append(1))))
    queue.submit(lambda h: (h.depends_on(slow), h.host_task(lambda: seen.append(3))))
    x.partial_barrier(queue, [first])
    last = queue.submit(lambda h: h.host_task(lambda: seen.append(2)))
    gate.set()
    last.wait()
    assert [1, 2] == seen
    slow.set()
    queue.wait()
    assert [1, 2, 3] == seen


@pytest.mark.row("M-3", "M-2")
def test_barriers_are_nodes_of_a_graph(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(8, np.int32, queue)
    p[:] = 1
    graph = x.command_graph(queue)
    with graph.record(queue):
        x.parallel_for(queue, 8, add, p, 1)
        x.parallel_for(queue, 8, add, p, 2)
        x.barrier(queue)
        x.parallel_for(queue, 8, add, p, 4)
        x.submit(queue, lambda h: x.barrier(h))
        x.fill(queue, p, 5)
    one, two, barrier, three, second, last = graph.get_nodes()
    kinds = [n.get_type() for n in (barrier, second)]
    assert [x.node_type.ext_oneapi_barrier] * 2 == kinds
    assert {one, two} == set(barrier.get_predecessors())
    assert [barrier] == three.get_predecessors()
    assert [second] == last.get_predecessors()
    x.execute_graph(queue, graph.finalize())
    queue.wait()
    assert [5] * 8 == p[:].tolist()


@pytest.mark.row("M-3")
def test_what_does_not_fit_is_refused(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(8, np.int32, queue)
    invalid = sycl.errc.invalid
    assert invalid == code_of(x.parallel_for, queue, sycl.nd_range(8, 2), places, p)
    assert invalid == code_of(x.nd_launch, queue, sycl.range(8), add, p, 1)
    assert invalid == code_of(x.submit, 3, lambda h: None)
    assert invalid == code_of(x.fill, p, 3, 3)
    assert invalid == code_of(x.prefetch, queue, p, None, "host")
    assert invalid == code_of(x.launch_config, 8, sycl.property.queue.in_order())
    assert sycl.errc.kernel_argument == code_of(x.single_task, queue, 3)
    assert invalid == code_of(x.submit, queue, lambda h: (
        x.parallel_for(h, 8, add, p, 1), x.parallel_for(h, 8, add, p, 1)))
