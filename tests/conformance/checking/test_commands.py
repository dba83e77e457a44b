"""Races between commands that nothing orders: kernels, copies and fills, on one queue or two."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.checking.found import place
from unisycl.testing import refused

STATUS = sycl.info.event.command_execution_status


class Program:
    """Queues that look for races, some memory, and what was told."""

    def __init__(self, device: sycl.device) -> None:
        self.found: list[str] = []
        self.one, self.two, self.in_order = (
            sycl.queue(device, lambda errors: self.found.extend(e.what() for e in errors),
                       sycl.property.queue.debug("races"), *more)
            for more in ((), (), (sycl.property.queue.in_order(),)))
        self.a, self.b = (sycl.malloc_shared(8, np.int32, self.one) for _ in range(2))
        self.a[:], self.b[:] = 0, 0

    def told(self, case: Callable[[Program], None]) -> list[str]:
        """Run a case; return what it told."""
        case(self)
        for queue in (self.one, self.two, self.in_order):
            queue.wait_and_throw()
        return self.found


@pytest.fixture
def program(device: sycl.device) -> Iterator[Program]:
    if device.get_backend() not in (sycl.backend.cpu, sycl.backend.host):
        pytest.skip("races between commands are found on the CPU and the host device")
    with refused(device, sycl.aspect.usm_shared_allocations):
        made = Program(device)
        yield made
        for p in (made.a, made.b):
            sycl.free(p, made.one)


def fill(i: Any, a: Any) -> None:
    a[i] = i[0]  # fills


def double(i: Any, a: Any) -> None:
    a[i] = 2 * a[i]  # doubles


def take(i: Any, a: Any, b: Any) -> None:
    b[i] = a[i]  # takes


def only(a: Any) -> None:
    a[3] = 7  # only


def square(i: Any, a: Any) -> None:
    a[2 * i[0] + i[1]] = 1


def grouped(g: Any, a: Any) -> None:
    def body(h: Any) -> None:
        a[h.get_global_id(0)] = 2
    g.parallel_for_work_item(body)


def count(i: Any, a: Any) -> None:
    sycl.atomic_ref(a, 0).fetch_add(1)


# ---- ordered: nothing is told
def by_an_event(p: Program) -> None:
    p.two.parallel_for(8, p.one.parallel_for(8, fill, p.a), double, p.a)


def by_a_wait(p: Program) -> None:
    p.one.parallel_for(8, fill, p.a).wait()
    p.two.parallel_for(8, double, p.a)
    p.two.wait()
    p.one.memcpy(np.zeros(8, np.int32), p.a)


def by_the_queue(p: Program) -> None:
    p.in_order.memcpy(p.a, np.arange(8, dtype=np.int32))
    p.in_order.parallel_for(8, double, p.a)
    p.in_order.parallel_for(8, take, p.a, p.b)
    p.in_order.fill(p.a, 3)


def by_the_queue_past_others(p: Program) -> None:
    p.in_order.fill(p.a, 3)
    p.in_order.prefetch(p.a)
    p.in_order.parallel_for(8, double, p.a)
    p.in_order.mem_advise(p.a, None, 0)
    p.in_order.memcpy(p.b, p.a, 32)
    last = p.in_order.parallel_for(8, fill, p.b)
    p.two.parallel_for(8, last, double, p.a)


def by_a_hint(p: Program) -> None:
    first = p.one.parallel_for(8, fill, p.a)
    p.in_order.prefetch(p.a, 32, first)
    p.in_order.parallel_for(8, double, p.a)


def by_a_third(p: Program) -> None:
    first = p.one.parallel_for(8, fill, p.a)
    p.two.parallel_for(8, p.two.parallel_for(8, first, fill, p.b), double, p.a)


def by_looking(p: Program) -> None:
    event = p.one.parallel_for(8, fill, p.a)
    while event.get_info(STATUS) is not sycl.info.event_command_status.complete:
        pass
    p.two.parallel_for(8, double, p.a)


def by_looking_at_the_queue(p: Program) -> None:
    p.one.parallel_for(8, fill, p.a)
    while not p.one.ext_oneapi_empty():
        pass
    p.two.parallel_for(8, double, p.a)


def by_depends_on(p: Program) -> None:
    first = p.one.memcpy(p.a, np.arange(8, dtype=np.int32))

    def group(h: sycl.handler) -> None:
        h.depends_on(first)
        h.parallel_for(8, double, p.a)
    p.two.fill(p.a, 1, depends_on=p.two.submit(group))


def by_a_barrier(p: Program) -> None:
    p.one.parallel_for(8, fill, p.a)
    p.one.ext_oneapi_submit_barrier()
    p.one.parallel_for(8, double, p.a)


def apart(p: Program) -> None:
    p.one.parallel_for(8, fill, p.a)
    p.two.parallel_for(8, fill, p.b)


def halves(p: Program) -> None:
    p.one.parallel_for(4, fill, p.a)
    p.two.parallel_for(4, fill, p.a.pointer_to(4))
    p.two.fill(p.b, 1, 4)
    p.one.memcpy(p.b.pointer_to(4), np.arange(4, dtype=np.int32))


def both_read(p: Program) -> None:
    x, y = (sycl.malloc_shared(8, np.int32, p.one) for _ in range(2))
    p.one.parallel_for(8, take, p.a, x)
    p.two.parallel_for(8, take, p.a, y)


def both_atomic(p: Program) -> None:
    p.one.parallel_for(8, count, p.a)
    p.two.parallel_for(8, count, p.a)


def graph_with_edges(p: Program) -> None:
    graph = sycl.ext.oneapi.experimental.command_graph(p.one)
    first = graph.add(lambda h: h.parallel_for(8, fill, p.a))
    middle = graph.add()
    graph.make_edge(first, middle)
    last = graph.add(lambda h: h.parallel_for(8, double, p.a))
    graph.make_edge(middle, last)
    ready = graph.finalize()
    for _ in range(2):
        p.one.ext_oneapi_graph(ready)
    p.in_order.parallel_for(8, p.one.ext_oneapi_graph(ready), double, p.a)


def answers(a: Any, b: Any) -> None:
    if sycl.atomic_ref(a, 7, sycl.memory_order.acq_rel).load() == 1:
        b[0] = a[0]


def asks(a: Any) -> None:
    a[0] = 5
    sycl.atomic_ref(a, 7, sycl.memory_order.acq_rel).store(1)


def by_a_flag(p: Program) -> None:
    p.one.single_task(asks, p.a)
    p.two.single_task(answers, p.a, p.b)


def adds(i: Any, total: Any) -> None:
    total.combine(1)


def reduced_behind(p: Program) -> None:
    first = p.one.parallel_for(8, sycl.reduction(p.a, sycl.plus()), adds)
    p.two.parallel_for(8, first, double, p.a)


@pytest.mark.row("Q-3")
@pytest.mark.parametrize("case", [
    by_a_flag, reduced_behind, by_the_queue_past_others, by_a_hint, by_an_event, by_a_wait,
    by_the_queue, by_a_third, by_depends_on,
    by_looking, by_looking_at_the_queue, by_a_barrier, apart, halves, both_read, both_atomic,
    graph_with_edges],
    ids=lambda c: c.__name__)
def test_what_is_ordered_is_no_race(program: Program, case: Callable[[Program], None]) -> None:
    assert program.told(case) == []


# ---- not ordered
def two_queues(p: Program) -> None:
    p.one.parallel_for(8, fill, p.a)  # one
    p.two.parallel_for(8, double, p.a)  # two


def one_queue(p: Program) -> None:
    p.one.parallel_for(8, fill, p.a)  # one
    p.one.parallel_for(8, double, p.a)  # two


def read_then_written(p: Program) -> None:
    p.one.parallel_for(8, take, p.a, p.b)  # one
    p.two.parallel_for(8, fill, p.a)  # two


def overlapping(p: Program) -> None:
    p.one.parallel_for(5, fill, p.a)  # one
    p.two.parallel_for(4, fill, p.a.pointer_to(4))  # two


def one_task(p: Program) -> None:
    p.one.parallel_for(8, take, p.a, p.b)  # one
    p.two.single_task(only, p.a)  # two


def plain_and_atomic(p: Program) -> None:
    p.one.parallel_for(8, count, p.a)  # one
    p.two.parallel_for(8, fill, p.a)  # two


def copied_to(p: Program) -> None:
    p.one.memcpy(p.a, np.arange(8, dtype=np.int32))  # one
    p.one.parallel_for(8, take, p.a, p.b)  # two


def copied_from(p: Program) -> None:
    p.one.parallel_for(8, fill, p.a)  # one
    p.one.memcpy(np.zeros(8, np.int32), p.a)  # two


def filled(p: Program) -> None:
    p.one.fill(p.a, 3)  # one
    p.two.parallel_for(8, double, p.a)  # two


def reduced(p: Program) -> None:
    p.one.parallel_for(8, fill, p.a)  # one
    p.two.parallel_for(8, sycl.reduction(p.a, sycl.plus()), adds)  # two


def in_two_dimensions(p: Program) -> None:
    p.one.parallel_for(8, fill, p.a)  # one
    p.two.parallel_for((2, 2), square, p.a)  # two


def in_groups(p: Program) -> None:
    p.one.fill(p.a, 3)  # one
    two = sycl.range(2)
    p.two.submit(lambda h: h.parallel_for_work_group(two, two, grouped, p.a))  # two


def by_a_slice(p: Program) -> None:
    p.one.parallel_for(8, fill, p.a)  # one
    p.two.parallel_for(2, double, p.a[2:4])  # two


def copied_to_a_slice(p: Program) -> None:
    p.one.parallel_for(8, fill, p.a)  # one
    p.two.memcpy(p.a[2:4], np.zeros(2, np.int32))  # two


def graph_without_edges(p: Program) -> None:
    graph = sycl.ext.oneapi.experimental.command_graph(p.one)
    graph.add(lambda h: h.parallel_for(8, fill, p.a))  # one
    graph.add(lambda h: h.parallel_for(8, double, p.a))  # two
    p.one.ext_oneapi_graph(graph.finalize())


@pytest.mark.row("Q-3")
@pytest.mark.parametrize(("case", "said"), [
    (two_queues, "kernel 'double'"), (one_queue, "kernel 'double'"),
    (read_then_written, "kernel 'fill'"), (overlapping, "kernel 'fill'"),
    (one_task, "kernel 'only'"), (plain_and_atomic, "kernel 'fill'"),
    (reduced, "kernel 'adds'"), (in_two_dimensions, "kernel 'square'"),
    (in_groups, "kernel 'grouped'"), (copied_to, "kernel 'take'"),
    (copied_from, "memcpy"), (filled, "kernel 'double'"),
    (by_a_slice, "kernel 'double'"), (copied_to_a_slice, "memcpy"),
    (graph_without_edges, "kernel 'double'")],
    ids=lambda v: getattr(v, "__name__", ""))
def test_a_race_between_commands_names_both_submissions(
        program: Program, case: Callable[[Program], None], said: str) -> None:
    (text,) = program.told(case)
    assert text.startswith(f"{said}, submitted at {place(case, '# two')}: data race between"), text
    assert f", submitted at {place(case, '# one')}, has " in text, text
    assert "nothing orders the two; give the later one the event of the earlier one" in text


@pytest.mark.row("Q-3")
def test_it_names_what_was_used_and_where(program: Program) -> None:
    (text,) = program.told(one_task)
    assert f"it writes a[3] at {place(only, '# only')}, which kernel 'take', submitted " in text
    assert f", has read as a[3] at {place(take, '# takes')}, and nothing orders" in text


@pytest.mark.row("Q-3")
def test_memory_that_was_freed_in_between_is_other_memory(program: Program) -> None:
    def case(p: Program) -> None:
        for _ in range(4):
            x = sycl.malloc_shared(8, np.int32, p.one)
            event = p.one.parallel_for(8, fill, x)
            while event.get_info(STATUS) is not sycl.info.event_command_status.complete:
                pass
            sycl.free(x, p.one)
    assert program.told(case) == []


@pytest.mark.row("Q-6")
def test_memory_is_not_freed_under_a_command_that_uses_it(program: Program) -> None:
    go, x = threading.Event(), sycl.malloc_shared(8, np.int32, program.one)

    def group(h: sycl.handler) -> None:
        h.depends_on(program.one.submit(lambda first: first.host_task(lambda: go.wait(60))))
        h.parallel_for(8, fill, x)  # uses
    event = program.two.submit(group)
    try:
        with pytest.raises(sycl.exception, match="allocation of 32 bytes is freed while kernel "
                           "'fill', submitted at .*, uses it; wait for that first"):
            sycl.free(x, program.one)
    finally:
        go.set()
    event.wait_and_throw()
    sycl.free(x, program.one)
