"""oneTBB's flow graph: nodes, edges, and the order they keep with queues."""

from __future__ import annotations

import sys
import threading
import time

import numpy as np
import pytest

import unisycl as sycl
from unisycl.oneapi import tbb
from unisycl.oneapi.tbb import flow

pytestmark = pytest.mark.row("L-17")


@pytest.fixture
def g():
    return flow.graph()


def sink(g, got, concurrency=flow.serial):
    return flow.function_node(g, concurrency, got.append)


def test_functions_one_behind_the_other(g):
    for policy in (flow.queueing, flow.rejecting, flow.lightweight):
        for concurrency in (flow.serial, 2, flow.unlimited):
            got: list[int] = []
            source = flow.input_node(g, tbb.items_of(range(50)))
            work = flow.function_node(g, concurrency, lambda x: x * x, policy)
            end = sink(g, got)
            flow.make_edge(source, work)
            flow.make_edge(work, end)
            source.activate()
            g.wait_for_all()
            if policy == flow.rejecting and concurrency != flow.serial:
                assert sorted(got) == [k * k for k in range(50)]
            else:
                assert sorted(got) == [k * k for k in range(50)], (policy, concurrency)
            if concurrency == flow.serial:
                assert got == sorted(got)


def test_no_more_calls_run_than_a_node_allows(g):
    now, most, lock = [0], [0], threading.Lock()

    def body(x):
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.001)
        with lock:
            now[0] -= 1
    with tbb.global_control(8):
        wide = flow.graph()
        node = flow.function_node(wide, 3, body)
        for k in range(40):
            assert node.try_put(k)
        wide.wait_for_all()
    assert 1 <= most[0] <= 3
    gate = threading.Event()
    full = flow.function_node(g, flow.serial, lambda x: gate.wait(), flow.rejecting)
    assert full.try_put(1)
    assert not full.try_put(2)
    gate.set()
    g.wait_for_all()
    assert full.try_put(3)
    g.wait_for_all()


def test_what_depends_on_several_runs_once_all_are_done(g):
    order: list[str] = []
    start = flow.broadcast_node(g)
    a, b, c, d = (flow.continue_node(g, lambda _, name=name: order.append(name))
                  for name in "abcd")
    for x, y in ((start, a), (a, b), (a, c), (b, d), (c, d)):
        flow.make_edge(x, y)
    for _ in range(3):
        start.try_put(flow.continue_msg())
        g.wait_for_all()
    assert len(order) == 12
    for k in range(0, 12, 4):
        assert order[k] == "a"
        assert sorted(order[k + 1:k + 3]) == ["b", "c"]
        assert order[k + 3] == "d"


def test_joins_by_order_by_key_and_by_reservation(g):
    for policy, keys in ((flow.queueing, ()), (flow.key_matching, (abs, abs)),
                         (flow.reserving, ())):
        got: list[tuple[int, int]] = []
        join = flow.join_node(g, 2, policy, keys)
        flow.make_edge(join, sink(g, got))
        left, right = flow.queue_node(g), flow.queue_node(g)
        flow.make_edge(left, flow.input_port(0, join))
        flow.make_edge(right, flow.input_port(1, join))
        for k in range(1, 9):
            left.try_put(k)
        g.wait_for_all()
        assert not got
        for k in (range(8, 0, -1) if keys else range(1, 9)):
            right.try_put(-k)
        g.wait_for_all()
        assert sorted(got) == [(k, -k) for k in range(1, 9)], policy


def test_a_reserving_join_leaves_messages_with_who_has_them(g):
    got: list[tuple[int, int]] = []
    data, token = flow.queue_node(g), flow.queue_node(g)
    join = flow.join_node(g, 2, flow.reserving)
    flow.make_edge(data, flow.input_port(0, join))
    flow.make_edge(token, flow.input_port(1, join))
    flow.make_edge(join, sink(g, got))
    for k in range(3):
        data.try_put(k)
    g.wait_for_all()
    assert data.try_get() == 0
    token.try_put(7)
    g.wait_for_all()
    assert got == [(1, 7)]
    assert data.try_get() == 2


def test_tuples_are_taken_apart_and_ports_told_apart(g):
    split, index = flow.split_node(g, 2), flow.indexer_node(g, 2)
    got: list[flow.tagged_msg] = []
    flow.make_edge(flow.output_port(0, split), flow.input_port(1, index))
    flow.make_edge(flow.output_port(1, split), flow.input_port(0, index))
    flow.make_edge(index, sink(g, got))
    split.try_put(("a", "b"))
    g.wait_for_all()
    assert sorted(got) == [(0, "b"), (1, "a")]
    odd, even = [], []

    def body(x, ports):
        ports[x % 2].try_put(x)
    parts = flow.multifunction_node(g, flow.serial, body, 2)
    flow.make_edge(flow.output_port(0, parts), sink(g, even))
    flow.make_edge(flow.output_port(1, parts), sink(g, odd))
    for k in range(10):
        parts.try_put(k)
    g.wait_for_all()
    assert (even, odd) == ([0, 2, 4, 6, 8], [1, 3, 5, 7, 9])


def test_what_keeps_messages_gives_them_in_its_order(g):
    for make, want in ((flow.queue_node, [3, 1, 2]), (flow.priority_queue_node, [3, 2, 1]),
                       (lambda g: flow.sequencer_node(g, lambda x: x - 1), [1, 2, 3])):
        got: list[int] = []
        node = make(g)
        for k in (3, 1, 2):
            assert node.try_put(k)
        g.wait_for_all()
        flow.make_edge(node, sink(g, got))
        g.wait_for_all()
        assert got == want
    last, once = flow.overwrite_node(g), flow.write_once_node(g)
    for k in (4, 5):
        last.try_put(k)
        once.try_put(k)
    g.wait_for_all()
    assert (last.try_get(), once.try_get(), flow.buffer_node(g).try_get("none")) == (5, 4, "none")
    got = []
    flow.make_edge(last, sink(g, got))
    g.wait_for_all()
    assert got == [5]


def test_a_limiter_lets_so_many_through(g):
    now, most, seen, lock = [0], [0], [], threading.Lock()

    def body(x):
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.0005)
        with lock:
            now[0] -= 1
            seen.append(x)
        return flow.continue_msg()
    kept, limit = flow.queue_node(g), flow.limiter_node(g, 2)
    work = flow.function_node(g, flow.unlimited, body)
    flow.make_edge(kept, limit)
    flow.make_edge(limit, work)
    flow.make_edge(work, limit.decrementer)
    for k in range(30):
        kept.try_put(k)
    g.wait_for_all()
    assert sorted(seen) == list(range(30))
    assert most[0] <= 2


def test_a_limiter_loses_nothing_that_no_successor_takes(g):
    seen = []
    kept, limiter = flow.queue_node(g), flow.limiter_node(g, 3)
    one = flow.function_node(g, flow.serial, lambda k: seen.append(k) or flow.continue_msg(),
                             flow.rejecting)
    flow.make_edge(kept, limiter)
    for k in range(3):
        kept.try_put(k)
    g.wait_for_all()
    flow.make_edge(limiter, one)  # who comes later is given what is kept
    flow.make_edge(one, limiter.decrementer)
    for k in range(3, 12):
        kept.try_put(k)
    g.wait_for_all()
    assert seen == list(range(12))


def test_sources_go_on_whenever_they_are_asked(g):
    switches = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for _ in range(20):  # a request that came between the last look and the end was lost
            seen = []
            numbers = flow.input_node(g, tbb.items_of(range(30)))
            limiter = flow.limiter_node(g, 1)
            node = flow.function_node(
                g, flow.unlimited, lambda k, seen=seen: seen.append(k) or flow.continue_msg())
            flow.make_edge(numbers, limiter)
            flow.make_edge(limiter, node)
            flow.make_edge(node, limiter.decrementer)
            numbers.activate()
            g.wait_for_all()
            assert seen == list(range(30))
    finally:
        sys.setswitchinterval(switches)


def test_edges_go_and_graphs_begin_anew(g):
    got: list[int] = []
    a, b = flow.broadcast_node(g), sink(g, got)
    flow.make_edge(a, b)
    a.try_put(1)
    g.wait_for_all()
    flow.remove_edge(a, b)
    a.try_put(2)
    g.wait_for_all()
    assert got == [1]
    bad = flow.function_node(g, flow.serial, lambda x: 1 // x)
    flow.make_edge(bad, b)
    bad.try_put(0)
    with pytest.raises(ZeroDivisionError):
        g.wait_for_all()
    assert g.exception_thrown()
    assert g.is_cancelled()
    g.reset()
    bad.try_put(1)
    g.wait_for_all()
    assert got == [1, 1]


def test_an_async_node_keeps_the_order_of_kernels(queue):
    g, got = flow.graph(), []
    memory = sycl.malloc_shared(100, np.int64, queue)
    queue.fill(memory, 0).wait()

    def start(k, gateway):
        def kernel(i, memory, k):
            memory[i] = memory[i] * 3 + i + k
        return queue.parallel_for(100, kernel, memory, k)
    kernel = flow.async_node(g, flow.serial, start)

    def host(k):
        got.append((k, np.array(memory).tolist()))
        return flow.continue_msg()
    check, limit = flow.function_node(g, flow.serial, host), flow.limiter_node(g, 1)
    source = flow.input_node(g, tbb.items_of(range(1, 6)))
    for x, y in ((source, limit), (limit, kernel), (kernel, check), (check, limit.decrementer)):
        flow.make_edge(x, y)
    source.activate()
    g.wait_for_all()
    want = np.zeros(100, np.int64)
    for k in range(1, 6):
        want = want * 3 + np.arange(100) + k
        assert got[k - 1] == (k, want.tolist())
    sycl.free(memory, queue)


def test_a_kernel_that_fails_fails_the_graph_and_leaves_it_usable(device):
    errors = sycl.queue(device)
    g, got = flow.graph(), []

    def start(k, gateway):
        def task():
            if k:
                raise ValueError("of a host task")
        return errors.submit(lambda h: h.host_task(task))
    node = flow.async_node(g, flow.serial, start)
    flow.make_edge(node, sink(g, got))
    node.try_put(1)
    with pytest.raises(sycl.exception, match="of a host task"):
        g.wait_for_all()
    g.reset()
    node.try_put(0)
    g.wait_for_all()
    assert got == [0]


def test_results_come_from_elsewhere_by_a_gateway(g):
    got: list[int] = []

    def start(x, gateway):
        gateway.reserve_wait()

        def work():
            time.sleep(0.002)
            gateway.try_put(x + 1)
            gateway.release_wait()
        threading.Thread(target=work).start()
    node = flow.async_node(g, flow.unlimited, start)
    flow.make_edge(node, sink(g, got))
    for k in range(5):
        node.try_put(k)
    g.wait_for_all()
    assert sorted(got) == [1, 2, 3, 4, 5]


def test_queues_wait_for_graphs(queue):
    g, memory = flow.graph(), sycl.malloc_shared(8, np.int32, queue)

    def fill(k):
        time.sleep(0.01)
        memory[0:8] = np.arange(8) * k
    flow.function_node(g, flow.serial, fill).try_put(3)

    def kernel(i, memory):
        memory[i] += 1
    queue.parallel_for(8, kernel, memory, depends_on=[g.event(queue)]).wait_and_throw()
    assert np.array(memory).tolist() == [3 * k + 1 for k in range(8)]
    sycl.free(memory, queue)


def test_wrong_graphs_are_told(g):
    node, other = flow.broadcast_node(g), flow.broadcast_node(flow.graph())
    for wrong, text in (
            (lambda: flow.make_edge(node, other), "the nodes are of two graphs"),
            (lambda: flow.make_edge(3, node), "int sends no messages"),
            (lambda: flow.make_edge(flow.split_node(g, 2), node), "output_port"),
            (lambda: flow.make_edge(node, flow.join_node(g, 2)), "input_port"),
            (lambda: flow.remove_edge(node, node), "there is no such edge"),
            (lambda: flow.output_port(2, flow.split_node(g, 2)), "ports 0 to 1, got 2"),
            (lambda: flow.input_port(0, node), "one port only"),
            (lambda: flow.function_node(g, "serial", print), "concurrency is serial"),
            (lambda: flow.function_node(g, 1, None), "the body must be a function"),
            (lambda: flow.function_node(g, 1, print, "some"), "the policy is queueing"),
            (lambda: flow.function_node(print, 1, print), "the graph comes first"),
            (lambda: flow.join_node(g, 2, flow.key_matching), "a key function for each port"),
            (lambda: flow.limiter_node(g, 0), "threshold must be at least 1")):
        with pytest.raises(sycl.UsageError, match=text):
            wrong()
