"""Command graphs as graphs of CUDA's: one call a replay, edges, other arguments in place."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.cuda_fake.install import installed
from tests.cuda_fake.library import FakeCuda

graph_class = sycl.ext.oneapi.experimental.command_graph


def add(i: Any, p: Any, n: Any) -> None:
    p[i] = p[i] + n


def double(i: Any, p: Any) -> None:
    p[i] = p[i] * 2


def sum_up(i: Any, out: Any, a: Any, b: Any) -> None:
    out[i] = a[i] + b[i]


def seen(queue: sycl.queue, p: Any) -> list[int]:
    out = np.zeros(8, np.int64)
    queue.memcpy(out, p, out.nbytes).wait_and_throw()
    return sorted(set(out.tolist()))


def zeros(queue: sycl.queue) -> Any:
    p = sycl.malloc_device(8, np.int64, queue)
    queue.memset(p, 0).wait()
    return p


@pytest.mark.parametrize("seed", range(4))
def test_kernels_are_launched_together_and_in_their_order(seed: int) -> None:
    fake = FakeCuda(seed=seed)
    with installed(fake):
        queue = sycl.queue("cuda", sycl.property.queue.in_order())
        p = zeros(queue)
        graph = graph_class(queue)
        graph.begin_recording(queue)
        for _ in range(3):
            queue.parallel_for(8, add, p, 1)
            queue.parallel_for(8, double, p)
        graph.end_recording()
        ready = graph.finalize()
        want = 0
        for _ in range(5):
            queue.ext_oneapi_graph(ready)
            for _ in range(3):
                want = (want + 1) * 2
        queue.wait_and_throw()
        assert seen(queue, p) == [want]
        assert fake.calls["cuGraphLaunch"] == 5
        assert fake.calls["cuGraphInstantiateWithFlags"] == 1
        del graph, ready
        gc.collect()
        assert fake.live_graphs() == 0
    assert fake.misuse == []


@pytest.mark.parametrize("seed", range(4))
def test_a_kernel_runs_after_those_it_names_and_no_others(seed: int) -> None:
    fake = FakeCuda(seed=seed)
    with installed(fake):
        queue = sycl.queue("cuda")
        a, b, out = zeros(queue), zeros(queue), zeros(queue)
        graph = graph_class(queue)
        graph.begin_recording(queue)
        first = queue.parallel_for(8, add, a, 1)
        second = queue.parallel_for(8, add, b, 10)
        queue.parallel_for(8, sum_up, out, a, b, depends_on=[first, second])
        graph.end_recording()
        ready = graph.finalize()
        for k in range(1, 4):
            queue.ext_oneapi_graph(ready).wait_and_throw()
            assert seen(queue, out) == [11 * k]
        edges = [needs for _, needs in next(iter(fake._ready.values())).values()]
        assert [len(x) for x in edges] == [0, 0, 2]


def test_other_arguments_are_put_in_place(fake: FakeCuda) -> None:
    queue = sycl.queue("cuda", sycl.property.queue.in_order())
    a, b = zeros(queue), zeros(queue)
    graph = graph_class(queue)
    which = sycl.ext.oneapi.experimental.dynamic_parameter(graph, a)
    nodes = [graph.add(lambda h: h.parallel_for(8, add, which, 1))]
    nodes.append(graph.add(lambda h: h.parallel_for(8, double, which),
                           sycl.ext.oneapi.experimental.property.node.depends_on(nodes[0])))
    ready = graph.finalize(sycl.ext.oneapi.experimental.property.graph.updatable())
    queue.ext_oneapi_graph(ready).wait_and_throw()
    which.update(b)
    ready.update(nodes)
    for _ in range(2):
        queue.ext_oneapi_graph(ready).wait_and_throw()
    assert (seen(queue, a), seen(queue, b)) == ([2], [6])
    assert fake.calls["cuGraphInstantiateWithFlags"] == 1
    assert fake.calls["cuGraphExecKernelNodeSetParams_v2"] == 2


def test_a_buffer_of_a_graph_is_brought_and_taken_home(fake: FakeCuda) -> None:
    queue = sycl.queue("cuda")
    data = np.arange(8, dtype=np.int64)
    buffer = sycl.buffer(data)
    buffer.set_write_back(False)
    lasting = sycl.ext.oneapi.experimental.property.graph.assume_buffer_outlives_graph()
    graph = graph_class(queue, lasting)

    def group(h: sycl.handler) -> None:
        acc = sycl.accessor(buffer, h)
        h.parallel_for(8, lambda i: add(i, acc, 1))
    for _ in range(4):
        graph.add(group)
    ready = graph.finalize()
    for _ in range(3):
        queue.ext_oneapi_graph(ready)
    with sycl.host_accessor(buffer, sycl.read_only) as host:
        assert (np.asarray(host) == data + 12).all()
    assert fake.calls["cuGraphLaunch"] == 3


def test_a_graph_that_fails_to_launch_is_an_error_of_its_submission(fake: FakeCuda) -> None:
    queue = sycl.queue("cuda", sycl.property.queue.in_order())
    p = zeros(queue)
    graph = graph_class(queue)
    graph.begin_recording(queue)
    for _ in range(3):
        queue.parallel_for(8, add, p, 1)
    graph.end_recording()
    ready = graph.finalize()
    fake.fail("cuGraphLaunch", 701)
    queue.ext_oneapi_graph(ready)
    with pytest.raises(sycl.exception, match="graph of 3 commands"):
        queue.wait_and_throw()
    queue.ext_oneapi_graph(ready).wait_and_throw()
    assert seen(queue, p) == [3]


@pytest.mark.parametrize("seed", range(4))
def test_copies_and_fills_are_nodes_of_the_same_graph(seed: int) -> None:
    fake = FakeCuda(seed=seed)
    with installed(fake):
        queue = sycl.queue("cuda", sycl.property.queue.in_order())
        p, q = (sycl.malloc_device(8, np.int64, queue) for _ in range(2))
        small = sycl.malloc_device(64, np.int16, queue)
        graph = graph_class(queue)
        graph.begin_recording(queue)
        queue.memset(p, 0)
        queue.parallel_for(8, add, p, 5)
        queue.memcpy(q, p, 64)
        queue.parallel_for(8, double, p)
        queue.parallel_for(8, sum_up, p, p, q)
        queue.fill(small, np.int16(-3))
        queue.ext_oneapi_memcpy2d(small, 16, small.pointer_to(32), 16, 8, 2)
        graph.end_recording()
        ready = graph.finalize()
        given = fake.calls["cuMemcpyAsync"] + fake.calls["cuMemsetD8Async"]
        for _ in range(4):
            queue.ext_oneapi_graph(ready)
        queue.wait_and_throw()
        assert fake.calls["cuGraphLaunch"] == 4
        assert given == fake.calls["cuMemcpyAsync"] + fake.calls["cuMemsetD8Async"]
        assert (fake.calls["cuGraphAddMemcpyNode"], fake.calls["cuGraphAddMemsetNode"]) == (2, 2)
        assert (seen(queue, p), seen(queue, q)) == ([15], [5])
        out = np.zeros(64, np.int16)
        queue.memcpy(out, small, out.nbytes).wait_and_throw()
        assert out.tolist() == [-3] * 64
    assert fake.misuse == []


def test_buffers_are_copied_and_filled_in_a_graph(fake: FakeCuda, queue: sycl.queue) -> None:
    given = [np.arange(64, dtype=np.int32), np.zeros(64, np.int32)]
    buffers = [sycl.buffer(x.copy()) for x in given]
    for b in buffers:
        b.set_write_back(False)
    graph = graph_class(
        queue, sycl.ext.oneapi.experimental.property.graph.assume_buffer_outlives_graph())

    def copied(h: sycl.handler) -> None:
        h.copy(sycl.accessor(buffers[0], h, sycl.read_only),
               sycl.accessor(buffers[1], h, sycl.write_only))

    def filled(h: sycl.handler) -> None:
        h.fill(sycl.accessor(buffers[0], h, sycl.range(32), sycl.id(8), sycl.write_only), 7)

    def added(h: sycl.handler) -> None:
        h.parallel_for(64, add, sycl.accessor(buffers[0], h), np.int32(1))

    graph.begin_recording(queue)
    for group in (copied, filled, added):
        queue.submit(group)
    graph.end_recording()
    ready = graph.finalize()
    for _ in range(3):
        queue.ext_oneapi_graph(ready).wait()
    want = given[0].copy()
    for _ in range(3):
        before = want.copy()
        want[8:40] = 7
        want += 1
    assert fake.calls["cuGraphLaunch"] == 3
    with buffers[0].get_host_access(sycl.read_only) as a, (
            buffers[1].get_host_access(sycl.read_only)) as b:
        assert (list(a), list(b)) == (want.tolist(), before.tolist())


def test_operands_of_copies_and_fills_are_changed_in_place(fake: FakeCuda, queue: sycl.queue,
                                                           ) -> None:
    p, q, r = (zeros(queue) for _ in range(3))
    graph = graph_class(queue)
    source: Any = sycl.ext.oneapi.experimental.dynamic_parameter(graph, p)

    def fill(h: sycl.handler) -> None:
        h.memset(p, 0)

    first = graph.add(fill)

    def copy(h: sycl.handler) -> None:
        h.memcpy(r, source, 64)

    node = graph.add(copy, depends_on=[first])
    ready = graph.finalize(sycl.ext.oneapi.experimental.property.graph.updatable())
    queue.memset(q, 1)
    queue.ext_oneapi_graph(ready).wait()
    assert seen(queue, r) == [0]
    source.update(q)
    ready.update(node)
    queue.ext_oneapi_graph(ready).wait()
    assert seen(queue, r) == [0x0101010101010101]
    assert fake.calls["cuGraphInstantiateWithFlags"] == 1
    assert fake.calls["cuGraphExecMemcpyNodeSetParams"] == 1


def count_down(left: Any, turns: Any) -> None:
    left[0] -= 1
    turns[0] += 1


def test_the_card_decides_about_loops_in_loops_and_conditions(
        fake: FakeCuda, queue: sycl.queue) -> None:
    left, outer, turns, flag = (sycl.malloc_shared(1, np.int16, queue) for _ in range(4))

    def graph_of(*nodes: Any) -> Any:
        made, last = graph_class(queue), list[Any]()
        for node in nodes:
            last = [made.add(node, depends_on=last)]
        return made.finalize()

    inner = graph_of(lambda h: h.single_task(count_down, left, turns))
    ones, twos = (graph_of(lambda h, v=v: h.fill(flag, v)) for v in (1, 2))
    turn = graph_of(lambda h: h.fill(left, 3), lambda h: h.ext_unisycl_while(left, inner, 3),
                    lambda h: h.single_task(count_down, outer, turns))
    whole = graph_of(lambda h: h.ext_unisycl_while(outer, turn),
                     lambda h: h.ext_unisycl_if(turns, ones, twos))
    for rounds in (2, 0, 5):
        outer[0], turns[0] = rounds, 0
        queue.ext_oneapi_graph(whole).wait_and_throw()
        assert (turns[0], flag[0]) == (4 * rounds, 1 if rounds else 2)
    assert 3 == fake.calls["cuGraphLaunch"]
    turns[0], left[0] = 0, 4
    with pytest.raises(sycl.exception, match="within 3 turns"):
        queue.submit(lambda h: h.ext_unisycl_while(left, inner, 3)).wait_and_throw()
    assert turns[0] == 3
    queue.submit(lambda h: h.ext_unisycl_while(left, inner, 3)).wait_and_throw()
    assert turns[0] == 4


def test_conditions_are_read_by_the_host_where_the_driver_is_older(
        fake: FakeCuda, queue: sycl.queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue.get_device().state.driver, "controls", False)
    left, turns = (sycl.malloc_shared(1, np.int16, queue) for _ in range(2))
    body = graph_class(queue)
    body.add(lambda h: h.single_task(count_down, left, turns))
    inner: Any = body.finalize()
    left[0], turns[0] = 4, 0
    queue.submit(lambda h: h.ext_unisycl_while(left, inner)).wait_and_throw()
    assert turns[0] == 4
    assert not fake.calls["cuGraphAddNode_v2"]
