"""Ctrl-C while a command is being submitted: told once, and nothing waits for what never began."""

from __future__ import annotations

import threading

import pytest

import unisycl as sycl
from tests.graph.builder import Graph
from unisycl.runtime.channel import Channel
from unisycl.runtime.executor import Executor
from unisycl.runtime.tasks import process


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
        m.setattr("unisycl.runtime.lifecycle.guard", interrupt)
        with pytest.raises(KeyboardInterrupt):
            sycl.host_accessor(b)
    g.task("w").writes(b).submit()
    assert "w" in g.launched


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
