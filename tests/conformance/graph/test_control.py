"""Loops and conditions in graphs, decided by memory that kernels write."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

syclex = sycl.ext.oneapi.experimental


def newton(x, value, go, turns):  # type: ignore[no-untyped-def]
    better = 0.5 * (x[0] + value[0] / x[0])
    go[0] = abs(better - x[0]) > 1e-6 * better
    x[0] = better
    turns[0] += 1


@pytest.mark.row("P-15")
@pytest.mark.parametrize("kind", ["shared", "device"])
def test_a_loop_until_convergence_runs_without_the_host(queue: sycl.queue, kind: str) -> None:
    x, value = (sycl.malloc_shared(1, np.float32, queue) for _ in range(2))
    turns = sycl.malloc_shared(1, np.int32, queue)
    go = getattr(sycl, f"malloc_{kind}")(1, np.int32, queue)
    body = syclex.command_graph(queue)
    body.add(lambda h: h.single_task(newton, x, value, go, turns))
    turn = body.finalize()
    whole = syclex.command_graph(queue)
    start = whole.add(lambda h: h.fill(go, 1))
    loop = whole.add(lambda h: h.ext_unisycl_while(go, turn), depends_on=[start])
    assert loop.get_type() == syclex.node_type.ext_unisycl_loop
    replay = whole.finalize()
    for number in (2.0, 1e6):
        x[0], value[0], turns[0] = 1, number, 0
        queue.ext_oneapi_graph(replay).wait()
        assert x[0] == pytest.approx(number ** 0.5, rel=1e-5)
        assert (3 if number == 2.0 else 10) <= turns[0] <= 20


@pytest.mark.row("P-15")
def test_a_condition_chooses_one_of_two_graphs(queue: sycl.queue) -> None:
    flag, out = (sycl.malloc_shared(1, np.int8, queue) for _ in range(2))
    made = []
    for value in (1, 2):
        graph = syclex.command_graph(queue)
        with graph.record(queue):
            queue.fill(out, value)
        made.append(graph.finalize())
    both = syclex.command_graph(queue)
    node = both.add(lambda h: h.ext_unisycl_if(flag, made[0], made[1]))
    assert node.get_type() == syclex.node_type.ext_unisycl_condition
    replay = both.finalize()
    for value, expected in ((5, 1), (0, 2)):
        flag[0] = value
        queue.ext_oneapi_graph(replay).wait()
        assert out[0] == expected
    out[0] = flag[0] = 0
    queue.submit(lambda h: h.ext_unisycl_if(flag, made[0])).wait()  # eagerly, too
    assert out[0] == 0


@pytest.mark.row("P-15")
def test_loops_hold_loops_host_tasks_and_buffers(queue: sycl.queue) -> None:
    outer, inner = (sycl.malloc_shared(1, np.int32, queue) for _ in range(2))
    seen: list[int] = []
    with sycl.buffer(np.zeros(4, np.int32)) as data:
        count = syclex.command_graph(queue)

        def step(h: sycl.handler) -> None:
            acc = sycl.accessor(data, h)

            def kernel(i):  # type: ignore[no-untyped-def]
                acc[i] += 1
                if i == 0:
                    inner[0] -= 1
            h.parallel_for(4, kernel)
        count.add(step)
        counted = count.finalize()
        rounds = syclex.command_graph(queue)
        loop = rounds.add(lambda h: h.ext_unisycl_while(inner, counted, 10))

        def tell() -> None:
            seen.append(int(outer[0]))
            outer[0] -= 1
            inner[0] = 2
        rounds.add(lambda h: h.host_task(tell), depends_on=[loop])
        turn = rounds.finalize()
        inner[0], outer[0] = 3, 2
        with sycl.testing.refused(queue.get_device(), sycl.aspect.usm_shared_allocations):
            queue.submit(lambda h: h.ext_unisycl_while(outer, turn, 5)).wait()
        with sycl.host_accessor(data, sycl.read_only) as host:
            assert list(host) == [5] * 4
    assert seen == [2, 1]


@pytest.mark.row("P-15")
def test_loops_that_fail_say_so(device: sycl.device) -> None:
    q = sycl.queue(device)
    go = sycl.malloc_shared(1, np.int32, q)
    go[0] = 1
    graph = syclex.command_graph(q)
    graph.add(lambda h: h.fill(go, 1))
    endless = graph.finalize()
    with pytest.raises(sycl.exception, match="within 7 turns"):
        q.submit(lambda h: h.ext_unisycl_while(go, endless, 7)).wait()

    def broken() -> None:
        raise ValueError("broken")
    other = syclex.command_graph(q)
    other.add(lambda h: h.host_task(broken))
    failing = other.finalize()
    with pytest.raises(sycl.exception, match="broken"):
        q.submit(lambda h: h.ext_unisycl_while(go, failing)).wait()
    for wrong, say in ((lambda h: h.ext_unisycl_while(np.ones(1), endless), "USM memory"),
                       (lambda h: h.ext_unisycl_while(go, graph), "finalize"),
                       (lambda h: h.ext_unisycl_while(go, endless, -1), "number of turns"),
                       (lambda h: h.ext_unisycl_if(sycl.malloc_shared(0, np.int32, q), endless),
                        "no element")):
        with pytest.raises(sycl.exception, match=say) as caught:
            q.submit(wrong)
        assert caught.value.code() == sycl.errc.invalid
    sycl.free(go, q)
    with pytest.raises(sycl.exception, match="freed"):
        q.ext_oneapi_graph(endless)
