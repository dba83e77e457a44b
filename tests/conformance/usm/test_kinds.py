"""What differs between kinds of memory: addresses of device memory, and hints (SYCL 2020 §4.8)."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import unisycl as sycl
from unisycl.ext.oneapi import experimental as x

COUNT = 40


@sycl.is_device_copyable.register
@dataclasses.dataclass
class Link:
    value: np.int32
    next: sycl.global_ptr[Link]


def join(i, links, others):
    links[i].value = i
    links[i].next = others + (COUNT - 1 - i)
    others[i].value = 100 * i
    others[i].next = None


def follow(i, links, out):
    p = links[i].next
    out[i] = links[i].value + p.value
    if not p.next:
        out[i] += 1


def add(i, p, n):
    p[i] = p[i] * 2 + n


@pytest.mark.row("B-42", "D-17")
def test_lists_lie_in_device_memory_where_that_has_addresses(queue: sycl.queue) -> None:
    links, others = (sycl.malloc_device(COUNT, Link, queue) for _ in range(2))
    head = sycl.malloc_shared(1, Link, queue)
    problem = None
    try:
        head[0].next = links
    except sycl.exception as error:
        problem = error
    if problem is not None:
        assert sycl.errc.feature_not_supported == problem.code()
        with pytest.raises(sycl.exception, match="address of a device allocation"):
            queue.parallel_for(COUNT, join, links, others).wait()
        return
    out, seen = sycl.malloc_device(COUNT, np.int64, queue), np.zeros(COUNT, np.int64)
    for _ in range(3):
        event = queue.parallel_for(COUNT, join, links, others)
        event = queue.parallel_for(COUNT, event, follow, links, out)
        queue.memcpy(seen, out, seen.nbytes, event).wait()
        assert [i + 100 * (COUNT - 1 - i) + 1 for i in range(COUNT)] == seen.tolist()
        seen[:] = 0


@pytest.mark.row("B-48", "M-2")
@pytest.mark.parametrize("make", [sycl.malloc_device, sycl.malloc_host, sycl.malloc_shared])
def test_hints_come_between_the_commands_around_them(queue: sycl.queue, make) -> None:
    p, seen = make(COUNT, np.int64, queue), np.zeros(COUNT, np.int64)
    ordered = sycl.queue(queue.get_context(), queue.get_device(),
                         [sycl.property.queue.in_order()])
    ordered.fill(p, 0)
    for n in range(4):
        ordered.prefetch(p)
        ordered.parallel_for(COUNT, add, p, n)
        ordered.mem_advise(p.pointer_to(1), 8 * (COUNT - 1), n)
        x.prefetch(ordered, p, 8, x.prefetch_type.host)
    ordered.memcpy(seen, p, seen.nbytes).wait()
    assert [11] * COUNT == seen.tolist()
    event = queue.parallel_for(COUNT, add, p, 1)
    event = queue.mem_advise(p, None, 1 << 40, event)
    event = queue.prefetch(p, 16, event)
    queue.memcpy(seen, p, seen.nbytes, event).wait()
    assert [23] * COUNT == seen.tolist()


@pytest.mark.row("B-48", "M-2")
def test_hints_are_recorded(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(COUNT, np.int64, queue)
    p[:] = 0
    graph = x.command_graph(queue)
    before = graph.add(lambda h: h.prefetch(p))
    before = graph.add(lambda h: h.parallel_for(COUNT, add, p, 3), depends_on=[before])
    before = graph.add(lambda h: h.mem_advise(p, 64, 2), depends_on=[before])
    graph.add(lambda h: h.parallel_for(COUNT, add, p, 1), depends_on=[before])
    replay = graph.finalize()
    for _ in range(2):
        queue.ext_oneapi_graph(replay).wait()
    assert [35] * COUNT == p[:].tolist()
