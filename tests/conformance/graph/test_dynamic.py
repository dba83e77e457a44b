"""Graphs that change between replays, and host tasks in them (sycl_ext_oneapi_graph)."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import code_of

x = sycl.ext.oneapi.experimental
updatable = x.property.graph.updatable()


def add(i, p, value):
    p[i] += value


def times(i, p, value):
    p[i] *= value


def shared(queue: sycl.queue, n: int = 8) -> sycl.usm_pointer:
    p = sycl.malloc_shared(n, np.int64, queue)
    p[:] = 0
    return p


@pytest.mark.row("M-2")
def test_an_accessor_is_updated(queue: sycl.queue) -> None:
    one, two = np.zeros(8, np.int64), np.full(8, 100, np.int64)
    with sycl.buffer(one) as b1, sycl.buffer(two) as b2:
        graph = x.command_graph(queue)
        where = x.dynamic_parameter(graph, sycl.accessor(b1))

        def group(h: sycl.handler) -> None:
            h.require(where)
            h.parallel_for(8, add, where, 3)

        def second(h: sycl.handler) -> None:
            h.require(where)
            h.parallel_for(8, times, where, 2)
        nodes = [graph.add(group), graph.add(second)]
        assert [nodes[0]] == nodes[1].get_predecessors()
        replay = graph.finalize(updatable)
        queue.ext_oneapi_graph(replay)
        where.update(sycl.accessor(b2))
        queue.ext_oneapi_graph(replay)
        replay.update(nodes)
        queue.submit(lambda h: h.fill(sycl.accessor(b2, h), 7))
        queue.ext_oneapi_graph(replay)
        with sycl.host_accessor(b2, sycl.read_only) as view:  # the replay is ordered with it
            assert [20] * 8 == list(view)
        assert sycl.errc.invalid == code_of(where.update, 3)
    assert ([18] * 8, [20] * 8) == (one.tolist(), two.tolist())


@pytest.mark.row("M-2")
def test_a_dynamic_command_group_chooses_its_kernel(queue: sycl.queue) -> None:
    p = shared(queue)
    graph = x.command_graph(queue)
    value = x.dynamic_parameter(graph, 5)
    first = graph.add(lambda h: h.parallel_for(8, add, p, 1))

    def more(h: sycl.handler) -> None:
        h.parallel_for(8, add, p, value)

    def less(h: sycl.handler) -> None:
        h.parallel_for(sycl.range(4), times, p, value)
    choice = x.dynamic_command_group(graph, [more, less])
    node = graph.add(choice, x.property.node.depends_on(first))
    assert 0 == choice.get_active_index()
    assert [first] == node.get_predecessors()
    assert x.node_type.kernel is node.get_type()
    replay = graph.finalize(updatable)
    queue.ext_oneapi_graph(replay).wait()
    assert [6] * 8 == p[:].tolist()
    choice.set_active_index(1)
    queue.ext_oneapi_graph(replay).wait()
    assert [12] * 8 == p[:].tolist()
    replay.update(node)
    queue.ext_oneapi_graph(replay).wait()
    assert [65] * 4 + [13] * 4 == p[:].tolist()
    value.update(2)
    node.update_range(8)
    replay.update(node)
    queue.ext_oneapi_graph(replay).wait()
    assert [132] * 4 + [28] * 4 == p[:].tolist()
    queue.ext_oneapi_graph(graph.finalize()).wait()
    assert [266] * 4 + [58] * 4 == p[:].tolist()


@pytest.mark.row("M-2")
def test_a_dynamic_command_group_chooses_its_host_task(queue: sycl.queue) -> None:
    seen: list[str] = []
    graph = x.command_graph(queue)
    choice = x.dynamic_command_group(graph, [
        lambda h: h.host_task(lambda: seen.append("one")),
        lambda h: h.host_task(lambda: seen.append("two"))])
    node = graph.add(choice)
    replay = graph.finalize(updatable)
    for index in (0, 1, 0):
        choice.set_active_index(index)
        replay.update(node)
        queue.ext_oneapi_graph(replay)
    queue.wait()
    assert ["one", "two", "one"] == seen


@pytest.mark.row("M-2")
def test_dynamic_command_groups_that_do_not_fit_are_refused(queue: sycl.queue) -> None:
    p, b, other = shared(queue), sycl.buffer(np.zeros(8)), sycl.buffer(np.zeros(8))
    graph, stranger = x.command_graph(queue), x.command_graph(queue)

    def kernel(h: sycl.handler) -> None:
        h.parallel_for(8, add, p, 1)

    def on(buffer: sycl.buffer) -> Any:
        return lambda h: h.parallel_for(8, add, sycl.accessor(buffer, h), 1)
    invalid = sycl.errc.invalid
    assert invalid == code_of(x.dynamic_command_group, graph, [])
    assert invalid == code_of(x.dynamic_command_group, queue, [kernel])
    assert invalid == code_of(x.dynamic_command_group, graph, [lambda h: h.fill(p, 1)])
    assert invalid == code_of(x.dynamic_command_group, graph, [
        kernel, lambda h: h.host_task(lambda: None)])
    choice = x.dynamic_command_group(graph, [kernel])
    for index in (-1, 1):
        assert invalid == code_of(choice.set_active_index, index)
    assert invalid == code_of(stranger.add, choice)
    graph.add(on(b))
    assert invalid == code_of(graph.add, x.dynamic_command_group(graph, [on(b), on(other)]))
    graph.add(x.dynamic_command_group(graph, [on(other), on(other)]))


@pytest.mark.row("M-2", "C-27")
def test_host_tasks_of_a_graph_run_side_by_side(queue: sycl.queue) -> None:
    meet, order = threading.Barrier(3, timeout=60), []
    p = shared(queue)
    graph = x.command_graph(queue)
    first = graph.add(lambda h: h.parallel_for(8, add, p, 1))
    tasks = [graph.add(lambda h: h.host_task(meet.wait), depends_on=[first]) for _ in range(3)]
    graph.add(lambda h: h.host_task(lambda: order.append(int(p[0]))), depends_on=tasks)
    graph.add(lambda h: h.parallel_for(8, times, p, 10), x.property.node.depends_on_all_leaves())
    replay = graph.finalize()
    queue.ext_oneapi_graph(replay)
    queue.ext_oneapi_graph(replay)
    queue.wait()
    assert ([1, 11], [110] * 8) == (order, p[:].tolist())


@pytest.mark.row("M-2", "E-15")
def test_a_failed_host_task_stops_what_needs_it_only(device: sycl.device) -> None:
    lists: list[Any] = []
    q = sycl.queue(device, lists.append)
    p, other = shared(q), shared(q)
    graph = x.command_graph(q)
    bad = graph.add(lambda h: h.host_task(lambda: 1 // 0))
    graph.add(lambda h: h.parallel_for(8, add, p, 1), depends_on=[bad])
    good = graph.add(lambda h: h.host_task(lambda: None))
    graph.add(lambda h: h.parallel_for(8, add, other, 1), depends_on=[good])
    q.ext_oneapi_graph(graph.finalize()).wait()
    q.wait_and_throw()
    assert [1] == [len(one) for one in lists]
    assert isinstance(lists[0].errors[0].__cause__, ZeroDivisionError)
    assert ([0] * 8, [1] * 8) == (p[:].tolist(), other[:].tolist())


@pytest.mark.row("M-2")
@pytest.mark.parametrize("with_task", [False, True])
def test_a_part_of_a_graph_runs_beside_its_own_replays(device: sycl.device, *,
                                                       with_task: bool) -> None:
    q = sycl.queue(device, sycl.property.queue.in_order())
    p = shared(q)
    inner = x.command_graph(q)
    before = [inner.add(lambda h: h.parallel_for(8, add, p, 1))]
    if with_task:
        inner.add(lambda h: h.host_task(lambda: p.__setitem__(0, p[0] + 1)), depends_on=before)
    small = inner.finalize()
    outer = x.command_graph(q)
    first = outer.add(lambda h: h.ext_oneapi_graph(small))
    second = outer.add(lambda h: h.parallel_for(8, times, p, 2), depends_on=[first])
    outer.add(lambda h: h.ext_oneapi_graph(small), depends_on=[second])
    large = outer.finalize()
    for _ in range(2):
        q.ext_oneapi_graph(large)
        q.ext_oneapi_graph(small)
        q.submit(lambda h: h.ext_oneapi_graph(small))
    q.wait()
    step = [1 + with_task] + [1] * 7
    want = [0] * 8
    for _ in range(2):
        want = [2 * (w + s) + 3 * s for w, s in zip(want, step, strict=True)]
    assert want == p[:].tolist()


@pytest.mark.row("M-2")
def test_a_graph_says_what_it_is_and_what_it_refuses(queue: sycl.queue, tmp_path: Path) -> None:
    p = shared(queue)
    graph, later = x.command_graph(queue.get_device()), x.command_graph(queue)
    assert graph.empty()
    assert 0 < graph.get_id() < later.get_id()
    node = graph.add(lambda h: h.parallel_for(8, add, p, 1))
    assert not graph.empty()
    assert 0 == graph.finalize().get_required_mem_size()
    invalid = sycl.errc.invalid
    for space in (sycl.range(4, 2),):
        assert invalid == code_of(node.update_range, space)
    assert invalid == code_of(node.update_nd_range, sycl.nd_range(8, 4))
    assert invalid == code_of(graph.print_graph, tmp_path / "g.txt")
    assert invalid == code_of(graph.print_graph, tmp_path / "no" / "g.dot")
    with graph.record(queue):
        queue.parallel_for(8, add, p, 1)
        for wrong in (lambda: graph.add(), lambda: graph.make_edge(node, node)):
            assert invalid == code_of(wrong)
    fill = graph.add(lambda h: h.fill(p, 1))
    assert invalid == code_of(fill.update_range, 8)
    assert invalid == code_of(graph.add, x.property.graph.updatable())


@pytest.mark.row("M-2")
def test_host_tasks_are_taken_over_by_a_whole_update(queue: sycl.queue) -> None:
    seen: list[str] = []

    def build(word: str) -> Any:
        graph = x.command_graph(queue)

        def named() -> None:
            seen.append(word)
        named.__name__ = word
        graph.add(lambda h: h.host_task(named))
        return graph
    replay = build("one").finalize(updatable)
    queue.ext_oneapi_graph(replay)
    replay.update(build("two"))
    queue.ext_oneapi_graph(replay).wait()
    assert ["one", "two"] == seen


@pytest.mark.row("M-2")
@pytest.mark.parametrize("how", ["shortcut", "group", "free"])
def test_what_a_recorded_queue_launches_and_copies_is_updated(queue: sycl.queue, how: str) -> None:
    p, r = shared(queue), shared(queue)
    one, two = (np.full(8, k, np.int64) for k in (10, 20))
    graph = x.command_graph(queue)
    source, target, value, byte = (x.dynamic_parameter(graph, v) for v in (one, p, 3, 255))
    spare = shared(queue, 4)
    with graph.record(queue):
        if how == "shortcut":
            first = queue.memcpy(target, source)
            second = queue.parallel_for(8, first, add, target, value)
            last = [queue.fill(spare, value, 2, second),
                    queue.memset(spare.pointer_to(2), byte, 16)]
        elif how == "group":
            first = queue.submit(lambda h: h.copy(source, target))
            second = queue.submit(lambda h: (h.depends_on(first),
                                             h.parallel_for(8, add, target, value)))
            last = [queue.submit(lambda h: (h.depends_on(second), h.fill(spare, value, 2))),
                    queue.submit(lambda h: h.memset(spare.pointer_to(2), byte, 16))]
        else:
            x.copy(queue, source, target)
            queue.ext_oneapi_submit_barrier()
            x.parallel_for(queue, sycl.range(8), add, target, value)
            x.fill(queue, spare, value, 2)
            x.memset(queue, spare.pointer_to(2), byte, 16)
            last = []
    assert all(x.node.get_node_from_event(e) in graph.get_nodes() for e in last)
    replay = graph.finalize(updatable)
    queue.ext_oneapi_graph(replay).wait()
    assert ([13] * 8, [0] * 8, [3, 3, -1, -1]) == tuple(a[:].tolist() for a in (p, r, spare))
    source.update(two)
    target.update(r)
    value.update(4)
    byte.update(1)
    queue.ext_oneapi_graph(replay).wait()  # not taken over yet
    assert ([13] * 8, [0] * 8) == (p[:].tolist(), r[:].tolist())
    replay.update(graph.get_nodes())
    queue.ext_oneapi_graph(replay).wait()
    assert ([13] * 8, [24] * 8) == (p[:].tolist(), r[:].tolist())
    assert [4, 4, *[0x0101010101010101] * 2] == spare[:].tolist()


@pytest.mark.row("M-2")
def test_copies_between_accessors_are_updated(queue: sycl.queue) -> None:
    arrays = [np.full(8, k, np.int64) for k in (1, 2, 0, 0)]
    one, two, three, four = buffers = [sycl.buffer(a) for a in arrays]
    graph = x.command_graph(queue)
    source = x.dynamic_parameter(graph, sycl.accessor(one))
    with graph.record(queue):
        event = queue.copy(source, sycl.accessor(three))
        queue.copy(source, sycl.accessor(four))
    replay = graph.finalize(updatable)
    source.update(sycl.accessor(two))
    replay.update(x.node.get_node_from_event(event))
    queue.submit(lambda h: h.fill(sycl.accessor(two, h), 7))
    queue.ext_oneapi_graph(replay)
    for b in buffers:
        b.close()
    assert [1, 7, 7, 1] == [a[0] for a in arrays]


@pytest.mark.row("M-2")
def test_a_dynamic_parameter_of_another_graph_leaves_nothing_behind(queue: sycl.queue) -> None:
    p, graph = shared(queue), x.command_graph(queue)
    stranger = x.dynamic_parameter(x.command_graph(queue), 3)
    mine = x.dynamic_parameter(graph, p)
    with graph.record(queue):
        assert sycl.errc.invalid == code_of(queue.parallel_for, 8, add, p, stranger)
        assert sycl.errc.invalid == code_of(queue.fill, p, stranger)
        assert graph.empty()
        assert "recorded" in repr(queue.fill(mine, 5))
    assert sycl.errc.invalid == code_of(queue.fill, mine, 5)
    assert sycl.errc.kernel_argument == code_of(queue.parallel_for, 8, add, mine, 5)
    assert sycl.errc.invalid == code_of(mine.update, 3)  # no memory to be filled
    queue.ext_oneapi_graph(graph.finalize()).wait()
    assert [5] * 8 == p[:].tolist()


@pytest.mark.row("M-2")
def test_nodes_share_a_placeholder_and_are_updated_one_by_one(queue: sycl.queue) -> None:
    data = np.zeros(8, np.int64)
    with sycl.buffer(data) as b:
        graph, place = x.command_graph(queue), sycl.accessor(b)
        values = [x.dynamic_parameter(graph, v) for v in (1, 10)]

        def group(h: sycl.handler, value: x.dynamic_parameter) -> None:
            h.require(place)
            h.parallel_for(8, add, place, value)
        nodes = [graph.add(lambda h, v=v: group(h, v)) for v in values]
        replay = graph.finalize(updatable)
        queue.ext_oneapi_graph(replay)
        values[0].update(2)
        values[1].update(20)
        nodes[0].update_range(4)
        replay.update(nodes)
        queue.ext_oneapi_graph(replay)
    assert [33] * 4 + [31] * 4 == data.tolist()


@pytest.mark.row("M-2", "E-1")
def test_a_kernel_after_a_host_task_in_the_text_does_not_wait_for_it(queue: sycl.queue) -> None:
    """The host task needs what a kernel added later writes, though no edge says so."""
    p, seen = shared(queue), threading.Event()
    graph = x.command_graph(queue)

    def wait() -> None:
        assert seen.wait(60)
    first = graph.add(lambda h: h.host_task(wait))
    graph.add(lambda h: h.parallel_for(8, add, p, 1), depends_on=[first])
    free = graph.add(lambda h: h.parallel_for(8, add, p, 10))
    graph.add(lambda h: h.host_task(seen.set), depends_on=[free])
    queue.ext_oneapi_graph(graph.finalize()).wait()
    assert [11] * 8 == p[:].tolist()


@pytest.mark.row("M-2", "E-15")
def test_what_does_not_need_a_failed_node_runs(device: sycl.device) -> None:
    lists: list[Any] = []
    q = sycl.queue(device, lists.append)
    p = shared(q)
    graph = x.command_graph(q)

    def broken() -> None:
        raise ValueError("mine")
    first = graph.add(lambda h: h.host_task(broken))
    graph.add(lambda h: h.parallel_for(8, add, p, 1), depends_on=[first])
    graph.add(lambda h: h.parallel_for(8, add, p, 100))
    q.ext_oneapi_graph(graph.finalize())
    q.wait_and_throw()
    assert [100] * 8 == p[:].tolist()
    assert ["mine"] == [str(e.__cause__) for e in lists[0]]


@pytest.mark.row("M-2", "F-10")
def test_copies_of_freed_memory_are_refused_at_the_replay(queue: sycl.queue) -> None:
    for ask in (lambda p, r: queue.memcpy(p, r), lambda p, r: queue.copy(p, r),
                lambda p, r: queue.fill(r, 3), lambda p, r: queue.memset(r, 3)):
        p, r = shared(queue), shared(queue)
        graph = x.command_graph(queue)
        with graph.record(queue):
            ask(p, r)
        replay = graph.finalize()
        queue.ext_oneapi_graph(replay).wait()
        sycl.free(r, queue)
        assert sycl.errc.invalid == code_of(queue.ext_oneapi_graph, replay)


@pytest.mark.row("M-2", "F-4")
def test_an_update_that_is_refused_changes_no_node(queue: sycl.queue) -> None:
    p, graph = shared(queue), x.command_graph(queue)
    short = sycl.malloc_shared(4, np.int64, queue)
    short[:] = 0
    target = x.dynamic_parameter(graph, p)
    with graph.record(queue):
        first = queue.parallel_for(4, add, target, 3)
        queue.fill(target, 9, 8, first)
    replay = graph.finalize(updatable)
    assert sycl.errc.invalid == code_of(target.update, short)  # the kernel could use it
    replay.update(graph.get_nodes())
    queue.ext_oneapi_graph(replay).wait()
    assert ([9] * 8, [0] * 4) == (p[:].tolist(), short[:].tolist())
