"""Ctrl-C while a command is being submitted: told once, and nothing waits for what never began."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.graph.builder import Graph
from unisycl.runtime.graph.callbacks import UserCommand
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.tasks import Task
from unisycl.runtime.memory.host_access import Holding
from unisycl.runtime.threads.executor import Executor
from unisycl.runtime.threads.per_process import process


def bump(i: Any, p: Any) -> None:
    p[i] += 1


def interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_an_interrupt_inside_the_driver_is_told_once(
        g: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    b = g.buffer()
    with monkeypatch.context() as m:
        m.setattr(g.driver, "launch", interrupt)
        with pytest.raises(KeyboardInterrupt):
            g.task("first").writes(b).submit()
    g.task("second").writes(b).submit()
    g.finish("second")
    g.queue.wait_and_throw()


@pytest.mark.parametrize("in_order", [False, True])
def test_a_command_that_was_never_started_holds_up_nobody(
        in_order: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    g = Graph(in_order=in_order)
    b = g.buffer()
    with monkeypatch.context() as m:
        m.setattr(Channel, "submit", interrupt)
        with pytest.raises(KeyboardInterrupt):
            g.task("first").writes(b).submit()
    g.task("second").writes(b).submit()
    g.finish("second")
    with sycl.host_accessor(b, sycl.read_only) as seen:
        assert seen is not None
    g.queue.wait_and_throw()


def test_a_host_accessor_that_was_interrupted_is_closed(
        g: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    b = g.buffer()
    with monkeypatch.context() as m:
        m.setattr("unisycl.runtime.graph.lifecycle.guard", interrupt)
        with pytest.raises(KeyboardInterrupt):
            sycl.host_accessor(b)
    g.task("w").writes(b).submit()
    assert "w" in g.launched


def test_a_kernel_with_a_place_in_order_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    q = sycl.queue(sycl.property.queue.in_order())
    p = sycl.malloc_shared(64, np.int32, q)
    q.fill(p, 0).wait()
    run, mine = Channel.run_at_once, q.channel

    def interrupted(channel: Channel, *args: Any, **named: Any) -> object:
        if channel is mine:  # threads of pipes have channels of their own
            interrupt()
        return run(channel, *args, **named)
    with monkeypatch.context() as m:
        m.setattr(Channel, "run_at_once", interrupted)
        with pytest.raises(KeyboardInterrupt):
            q.parallel_for(64, bump, p)
    q.parallel_for(64, bump, p).wait()
    q.wait_and_throw()
    assert 1 == int(p[7])
    sycl.free(p, q)


def test_a_host_accessor_interrupted_while_it_waits_is_closed(
        g: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    b = g.buffer()
    with monkeypatch.context() as m:
        m.setattr(Holding, "wait", interrupt)
        with pytest.raises(KeyboardInterrupt) as kept:
            sycl.host_accessor(b)
    g.task("w").writes(b).submit()
    assert "w" in g.launched, kept


def test_a_callback_interrupted_while_it_is_attached_holds_up_nobody(
        g: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []
    e = g.task("first").submit()
    with monkeypatch.context() as m:
        m.setattr(Task, "_add_dependent", interrupt)
        with pytest.raises(KeyboardInterrupt):
            e.ext_unisycl_add_callback(lambda _: told.append(1))
    g.finish("first")
    g.queue.wait_and_throw()
    assert [] == told


def test_dependants_that_were_not_told_of_an_end_are_told_when_somebody_looks(
        g: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    first = UserCommand()
    g.driver.automatic = True
    second = g.task("second").after(sycl.event._of(first.task)).submit()
    with monkeypatch.context() as m:
        m.setattr(Task, "_unblock", interrupt)
        with pytest.raises(KeyboardInterrupt):
            first.end(None)
    assert first.task.done()
    second.ext_unisycl_future().result(timeout=60)


def test_a_host_task_that_was_interrupted_before_it_began_never_runs(
        g: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, ran = [], []

    def late(self: Executor, job: object) -> None:
        kept.append(job)
        raise KeyboardInterrupt
    with monkeypatch.context() as m:
        m.setattr(Executor, "submit", late)
        with pytest.raises(KeyboardInterrupt):
            g.queue.submit(lambda h: h.host_task(lambda: ran.append(1)))
    for job in kept:
        job()
    g.queue.wait_and_throw()
    assert [] == ran


def test_the_lock_of_the_graph_knows_its_owner() -> None:
    seen = []
    with process.lock:
        other = threading.Thread(target=lambda: seen.append(process.lock.held()))
        other.start()
        other.join()
        seen.append(process.lock.held())
    assert [False, True, False] == [*seen, process.lock.held()]
