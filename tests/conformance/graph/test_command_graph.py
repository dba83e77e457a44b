"""Command graphs (sycl_ext_oneapi_graph)."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
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


def double(i, p):
    p[i] *= 2


def large(i, p):
    for _ in range(3):
        p[i] += 1


def shared(queue: sycl.queue, n: int = 16) -> sycl.usm_pointer:
    p = sycl.malloc_shared(n, np.int64, queue)
    p[:] = 0
    return p


@pytest.mark.row("M-2")
def test_a_recorded_queue_is_replayed(queue: sycl.queue) -> None:
    q = sycl.queue(queue.get_device(), sycl.property.queue.in_order())
    p = shared(q)
    graph = x.command_graph(q)
    assert x.queue_state.executing is q.ext_oneapi_get_state()
    with graph.record(q):
        assert x.queue_state.recording is q.ext_oneapi_get_state()
        q.parallel_for(16, add, p, 3)
        q.parallel_for(16, double, p)
        q.parallel_for(16, add, p, 1)
    assert x.queue_state.executing is q.ext_oneapi_get_state()
    assert [0] * 16 == p[:].tolist()
    replay = graph.finalize()
    want = 0
    for _ in range(5):
        q.ext_oneapi_graph(replay)
        want = (want + 3) * 2 + 1
    q.wait()
    assert [want] * 16 == p[:].tolist()


@pytest.mark.row("M-2")
@pytest.mark.parametrize("count", [1, 100])
def test_many_small_kernels_equal_the_eager_run(queue: sycl.queue, count: int) -> None:
    p, other = shared(queue, 64), shared(queue, 64)
    graph = x.command_graph(queue)
    before = None
    for k in range(count):
        before = graph.add(lambda h, k=k: h.parallel_for(64, add, p, k),
                           depends_on=[before] if before else [])
        before = graph.add(lambda h: h.parallel_for(64, double, p), depends_on=[before])
        queue.parallel_for(64, add, other, k).wait()
        queue.parallel_for(64, double, other).wait()
    replay = graph.finalize()
    queue.ext_oneapi_graph(replay).wait()
    assert other[:].tolist() == p[:].tolist()


@pytest.mark.row("M-2")
def test_edges_come_from_data_events_and_nodes(queue: sycl.queue) -> None:
    a, b = sycl.buffer(np.zeros(8, np.int64)), sycl.buffer(np.zeros(8, np.int64))
    p = shared(queue)
    graph = x.command_graph(queue.get_context(), queue.get_device())

    def write(h: sycl.handler, buffer: sycl.buffer) -> None:
        acc = sycl.accessor(buffer, h)
        h.fill(acc, 4)
    first = graph.add(lambda h: write(h, a))
    second = graph.add(lambda h: write(h, b))

    def both(h: sycl.handler) -> None:
        h.copy(sycl.accessor(a, h, sycl.read_only), sycl.accessor(b, h, sycl.write_only))
    third = graph.add(both)
    assert {first, second} == set(third.get_predecessors())
    assert [third] == first.get_successors()
    graph.begin_recording(queue)
    e1 = queue.parallel_for(16, add, p, 1)
    e2 = queue.parallel_for(16, e1, double, p)
    graph.end_recording()
    n1, n2 = map(x.node.get_node_from_event, (e1, e2))
    assert [n1] == n2.get_predecessors()
    assert [x.node_type.memfill, x.node_type.memfill, x.node_type.memcpy, x.node_type.kernel,
            x.node_type.kernel] == [n.get_type() for n in graph.get_nodes()]
    assert [first, second, n1] == graph.get_root_nodes()
    empty = graph.add(depends_on=[third, n2])
    assert x.node_type.empty is empty.get_type()
    replay = graph.finalize()
    queue.ext_oneapi_graph(replay).wait()
    assert [2] * 16 == p[:].tolist()
    with sycl.host_accessor(b) as view:
        assert [4] * 8 == list(view)


@pytest.mark.row("M-2")
def test_a_replay_is_ordered_with_other_users_of_its_buffers(queue: sycl.queue) -> None:
    data = np.zeros(8, np.int64)
    with sycl.buffer(data) as b:
        graph = x.command_graph(queue)

        def group(h: sycl.handler) -> None:
            acc = sycl.accessor(b, h)

            @h.parallel_for(8)
            def kernel(i):
                acc[i] = acc[i] * 2 + 1
        with graph.record(queue):
            queue.submit(group)
            queue.submit(group)
        replay = graph.finalize()
        want = 0
        for _ in range(4):
            queue.submit(group)
            queue.ext_oneapi_graph(replay)
            want = 8 * want + 7
        with sycl.host_accessor(b, sycl.read_only) as view:
            assert [want] * 8 == list(view)
            later = queue.ext_oneapi_graph(replay)
            assert x.property is sycl.property
        later.wait()
    assert [4 * want + 3] * 8 == data.tolist()
    assert sycl.errc.invalid == code_of(queue.ext_oneapi_graph, replay)


@pytest.mark.row("M-2", "C-27")
def test_host_tasks_are_nodes_too(queue: sycl.queue) -> None:
    p, seen = shared(queue), []
    graph = x.command_graph(queue)
    first = graph.add(lambda h: h.parallel_for(16, add, p, 5))
    task = graph.add(lambda h: h.host_task(lambda: seen.append(int(p[3]))), depends_on=[first])
    graph.add(lambda h: h.parallel_for(16, double, p), depends_on=[task])
    assert x.node_type.host_task is task.get_type()
    replay = graph.finalize()
    for _ in range(3):
        queue.ext_oneapi_graph(replay)
    queue.wait()
    assert [5, 15, 35] == seen
    assert [70] * 16 == p[:].tolist()


@pytest.mark.row("M-2", "E-15")
def test_a_node_that_fails_fails_the_replay_and_the_graph_lives(device: sycl.device) -> None:
    lists: list[Any] = []
    q = sycl.queue(device, lists.append)
    p, fail = shared(q), [True]
    graph = x.command_graph(q)

    def task() -> None:
        if fail[0]:
            raise ValueError("mine")
    first = graph.add(lambda h: h.host_task(task))
    graph.add(lambda h: h.parallel_for(16, add, p, 1), depends_on=[first])
    replay = graph.finalize()
    q.ext_oneapi_graph(replay).wait()
    q.wait_and_throw()
    assert 1 == len(lists)
    assert "mine" in lists[0].errors[0].what()
    assert [0] * 16 == p[:].tolist()
    fail[0] = False
    q.ext_oneapi_graph(replay).wait()
    q.wait_and_throw()
    assert [1] * 16 == p[:].tolist()


@pytest.mark.row("M-2")
def test_large_and_small_kernels_mix(queue: sycl.queue) -> None:
    n = 1 << 12 if queue.get_backend() is sycl.backend.host else 1 << 18
    p, q = shared(queue, n), shared(queue, 32)
    graph = x.command_graph(queue)
    nodes: list[Any] = []
    for turn in range(6):
        nodes.append(graph.add(lambda h: h.parallel_for(n, large, p), depends_on=nodes[-2:]))
        nodes.append(graph.add(lambda h, turn=turn: h.parallel_for(32, add, q, turn),
                               depends_on=nodes[-2:]))
        nodes.append(graph.add(lambda h: h.parallel_for(32, double, q), depends_on=nodes[-1:]))
    replay = graph.finalize()
    queue.ext_oneapi_graph(replay)
    queue.ext_oneapi_graph(replay).wait()
    want = 0
    for _ in range(2):
        for turn in range(6):
            want = (want + turn) * 2
    assert [want] * 32 == q[:].tolist()
    assert (p[:] == 36).all()


@pytest.mark.row("M-2")
def test_arguments_are_updated(queue: sycl.queue) -> None:
    p, other = shared(queue), shared(queue)
    graph = x.command_graph(queue)
    value, where = x.dynamic_parameter(graph, 2), x.dynamic_parameter(graph, p)
    node = graph.add(lambda h: h.parallel_for(16, add, where, value))
    second = graph.add(lambda h: h.parallel_for(16, double, where), depends_on=[node])
    replay, frozen = graph.finalize(updatable), graph.finalize()
    queue.ext_oneapi_graph(replay).wait()
    assert [4] * 16 == p[:].tolist()
    value.update(10)
    queue.ext_oneapi_graph(replay).wait()
    assert [12] * 16 == p[:].tolist()
    replay.update(node)
    queue.ext_oneapi_graph(replay).wait()
    assert [44] * 16 == p[:].tolist()
    where.update(other)
    replay.update([node, second])
    queue.ext_oneapi_graph(replay).wait()
    assert ([44] * 16, [20] * 16) == (p[:].tolist(), other[:].tolist())
    assert sycl.errc.invalid == code_of(frozen.update, node)
    queue.ext_oneapi_graph(frozen).wait()
    assert [92] * 16 == p[:].tolist()


@pytest.mark.row("M-2")
def test_index_spaces_are_updated(queue: sycl.queue) -> None:
    n = 1 << 10 if queue.get_backend() is sycl.backend.host else 1 << 18
    p = shared(queue, n)
    graph = x.command_graph(queue)
    node = graph.add(lambda h: h.parallel_for(4, add, p, 1))
    graph.add(lambda h: h.parallel_for(4, double, p), depends_on=[node])
    replay = graph.finalize(updatable)
    queue.ext_oneapi_graph(replay).wait()
    node.update_range(n)
    replay.update(node)
    queue.ext_oneapi_graph(replay).wait()
    assert [6] * 4 + [1] * (n - 4) == p[:].tolist()

    def items(it, p):
        p[it.get_global_id(0)] = it.get_local_range(0)
    other = x.command_graph(queue)
    node = other.add(lambda h: h.parallel_for(sycl.nd_range(16, 4), items, p))
    replay = other.finalize(updatable)
    node.update_nd_range(sycl.nd_range(16, 8))
    replay.update(node)
    queue.ext_oneapi_graph(replay).wait()
    assert [8] * 16 == p[:16].tolist()


@pytest.mark.row("M-2", "P-15")
def test_a_whole_graph_is_updated_by_one_of_its_shape(queue: sycl.queue) -> None:
    p, other = shared(queue), shared(queue)

    def build(where: Any, value: int, more: int = 0) -> Any:
        graph = x.command_graph(queue)
        node = graph.add(lambda h: h.parallel_for(16, add, where, value))
        for _ in range(1 + more):
            graph.add(lambda h: h.parallel_for(16, double, where), depends_on=[node])
        return graph
    replay = build(p, 1).finalize(updatable)
    replay.update(build(other, 5))
    queue.ext_oneapi_graph(replay).wait()
    assert ([0] * 16, [10] * 16) == (p[:].tolist(), other[:].tolist())
    assert sycl.errc.invalid == code_of(replay.update, build(p, 1, 1))


@pytest.mark.row("M-2")
def test_cycles_and_strangers_are_refused(queue: sycl.queue) -> None:
    p = shared(queue)
    graph, other = x.command_graph(queue), x.command_graph(queue)
    a, b, c = (graph.add(lambda h: h.parallel_for(16, double, p)) for _ in range(3))
    stranger = other.add()
    graph.make_edge(a, b)
    graph.make_edge(b, c)
    for before, after in ((c, a), (b, a), (a, a), (a, stranger)):
        assert sycl.errc.invalid == code_of(graph.make_edge, before, after)
    assert sycl.errc.invalid == code_of(graph.add, depends_on=[stranger])
    replay = graph.finalize(updatable)
    assert sycl.errc.invalid == code_of(replay.update, stranger)
    real = queue.submit(lambda h: None)
    assert sycl.errc.invalid == code_of(x.node.get_node_from_event, real)
    for wrong in (graph, 3):
        assert sycl.errc.invalid == code_of(queue.ext_oneapi_graph, wrong)
    foreign = sycl.queue(sycl.context(queue.get_device()), queue.get_device())
    assert sycl.errc.invalid == code_of(graph.begin_recording, foreign)
    assert sycl.errc.invalid == code_of(foreign.ext_oneapi_graph, replay)
    assert sycl.errc.invalid == code_of(x.command_graph, queue.get_context())
    assert sycl.errc.invalid == code_of(x.dynamic_parameter, queue, 3)
    for made in (x.node, x.executable_graph):
        assert sycl.errc.invalid == code_of(made, 3)


@pytest.mark.row("M-2")
def test_what_is_recorded_has_no_state_of_its_own(queue: sycl.queue) -> None:
    q = sycl.queue(queue.get_device())
    p = shared(q)
    other, graph = x.command_graph(q), x.command_graph(q)
    real = q.parallel_for(16, double, p)
    known = {q: "known"}
    assert graph.begin_recording([q])
    assert known[q] == "known"
    assert q != queue
    assert not graph.begin_recording(q)
    assert sycl.errc.invalid == code_of(other.begin_recording, q)
    assert sycl.errc.invalid == code_of(other.end_recording, q)
    event = q.parallel_for(16, add, p, 1)
    task = q.submit(lambda h: h.host_task(lambda: None))
    barrier = q.ext_oneapi_submit_barrier()
    for one in (event, task, barrier):
        assert sycl.errc.invalid == code_of(one.wait)
        assert sycl.errc.invalid == code_of(
            one.get_info, sycl.info.event.command_execution_status)
        assert sycl.errc.invalid == code_of(queue.parallel_for, 16, double, p, depends_on=one)
        assert sycl.errc.invalid == code_of(queue.submit, lambda h, e=one: h.depends_on(e))
    assert sycl.errc.invalid == code_of(q.parallel_for, 16, double, p, depends_on=real)
    assert sycl.errc.invalid == code_of(q.wait)
    assert graph.end_recording(q)
    assert not graph.end_recording(q)
    assert 2 == len(x.node.get_node_from_event(barrier).get_predecessors())
    q.wait()
    queue.wait()
    assert [0] * 16 == p[:].tolist()


@pytest.mark.row("M-2")
def test_freed_memory_is_refused_at_the_replay(queue: sycl.queue) -> None:
    p = shared(queue)
    graph = x.command_graph(queue)
    graph.add(lambda h: h.parallel_for(16, double, p))
    replay = graph.finalize()
    sycl.free(p, queue)
    assert sycl.errc.invalid == code_of(queue.ext_oneapi_graph, replay)


@pytest.mark.row("M-2")
def test_a_graph_runs_inside_another_and_from_many_threads(queue: sycl.queue) -> None:
    p = shared(queue)
    inner = x.command_graph(queue)
    inner.add(lambda h: h.parallel_for(16, add, p, 1))
    small = inner.finalize()
    outer = x.command_graph(queue)
    first = outer.add(lambda h: h.ext_oneapi_graph(small))
    outer.add(lambda h: h.parallel_for(16, double, p), depends_on=[first])
    assert x.node_type.subgraph is first.get_type()
    queue.ext_oneapi_graph(outer.finalize()).wait()
    assert [2] * 16 == p[:].tolist()

    def work() -> None:
        for _ in range(50):
            queue.ext_oneapi_graph(small)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    queue.wait()
    assert [202] * 16 == p[:].tolist()


@pytest.mark.row("M-2")
def test_replays_inside_groups_that_share_a_buffer_never_wait_in_a_circle(
        queue: sycl.queue) -> None:
    """A group has its turn at the graph and its place among the users of the buffer at once."""
    p, b = shared(queue), sycl.buffer(np.zeros(8))
    graph = x.command_graph(queue)
    graph.add(lambda h: h.parallel_for(16, add, p, 1))
    replay = graph.finalize()

    def group(h: sycl.handler) -> None:
        sycl.accessor(b, h)
        h.ext_oneapi_graph(replay)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=lambda: [queue.submit(group) for _ in range(300)])
                   for _ in range(3)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    finally:
        sys.setswitchinterval(before)
    queue.wait()
    assert [900] * 16 == p[:].tolist()


@pytest.mark.row("M-2")
def test_constants_and_printing(queue: sycl.queue, tmp_path: Path) -> None:
    factor = sycl.specialization_id(np.int64, 2)
    p = shared(queue)

    def scale(i, p, kh: sycl.kernel_handler):
        p[i] += kh.get_specialization_constant(factor)
    graph = x.command_graph(queue)

    def group(h: sycl.handler) -> None:
        h.set_specialization_constant(factor, 9)
        h.parallel_for(4, scale, p)
    node = graph.add(group)
    graph.add(depends_on=[node])
    replay = graph.finalize(updatable)
    node.update_range(8)
    replay.update(node)
    queue.ext_oneapi_graph(replay).wait()
    assert [9] * 8 + [0] * 8 == p[:].tolist()
    graph.print_graph(tmp_path / "g.dot", verbose=True)
    text = (tmp_path / "g.dot").read_text()
    assert text.startswith("digraph")
    assert "scale\\nkernel 8" in text
    assert "->" in text


@pytest.mark.row("M-2")
def test_graphs_are_collected(queue: sycl.queue) -> None:
    p = shared(queue)
    graph = x.command_graph(queue)
    with graph.record(queue):
        queue.parallel_for(16, double, p)
    queue.ext_oneapi_graph(graph.finalize()).wait()
    inner = weakref.ref(graph.graph)
    del graph
    gc.collect()
    assert inner() is None


@pytest.mark.row("M-12")
def test_extensions_live_in_their_own_place(queue: sycl.queue) -> None:
    assert not hasattr(sycl, "command_graph")
    assert sycl.SYCL_EXT_ONEAPI_GRAPH
    for name in ("priority_low", "priority_normal", "priority_high"):
        made = getattr(sycl.ext.oneapi.property.queue, name)()
        q = sycl.queue(queue.get_device(), made)
        assert q.has_property(type(made))
        q.submit(lambda h: None).wait()


@pytest.mark.part
def test_nodes_of_copies_and_fills_of_rectangles_say_what_they_are(queue: sycl.queue) -> None:
    p, r = shared(queue), shared(queue)
    graph, kinds = x.command_graph(queue), x.node_type
    nodes = [graph.add(lambda h: h.ext_oneapi_memcpy2d(p, 32, r, 32, 16, 4)),
             graph.add(lambda h: h.ext_oneapi_copy2d(p, 4, r, 4, 2, 4)),
             graph.add(lambda h: h.ext_oneapi_memset2d(p, 32, 1, 16, 4)),
             graph.add(lambda h: h.ext_oneapi_fill2d(p, 4, 1, 2, 4)),
             graph.add(lambda h: h.mem_advise(p))]
    assert [kinds.memcpy, kinds.memcpy, kinds.memset, kinds.memfill, kinds.memadvise] == [
        node.get_type() for node in nodes]
