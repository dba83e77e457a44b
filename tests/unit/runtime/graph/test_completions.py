"""Completions that Python ends."""

from __future__ import annotations

import threading

from unisycl.runtime.graph.completions import Gate, Join, ended


def test_a_gate_opens_once_and_for_all_who_wait() -> None:
    gate, through = Gate(), []
    threads = [threading.Thread(target=lambda: through.append(gate.wait(5))) for _ in range(3)]
    for t in threads:
        t.start()
    assert not gate.wait(0.001)
    gate.finish(ValueError("first"))
    gate.finish(KeyError("second"))
    for t in threads:
        t.join()
    assert [True] * 3 == through
    assert isinstance(gate.error(), ValueError)


def test_a_join_ends_with_its_last() -> None:
    a, b = Gate(), Gate()
    join = Join([a, b])
    a.finish()
    assert not join.done()
    assert not join.wait(0.001)
    b.finish()
    assert join.done()
    assert join.wait(0)
    assert join.error() is None


def test_joins_of_joins_ask_each_once() -> None:
    class Asked(Gate):
        __slots__ = ("count",)

        def __init__(self) -> None:
            super().__init__()
            self.count = 0

        def done(self) -> bool:
            self.count += 1
            return super().done()

        def wait(self, timeout: float | None = None) -> bool:
            self.count += 1
            return super().wait(timeout)

        def profile(self) -> tuple[int, int]:
            self.count += 1
            return 3, 7

    for ask in (Join.done, Join.wait, Join.profile):
        leaf = Asked()
        joins: list[Join] = [Join([leaf])]
        for _ in range(40):  # 2 ** 40 paths lead to the leaf
            joins.append(Join([*joins]))
        assert not joins[-1].done()
        assert not joins[-1].wait(0.0)
        leaf.finish()
        if ask is Join.profile:
            assert joins[-1].done()
        assert ask(joins[-1]) in (True, (7, 7))
        assert leaf.count < 50


def test_ended_has_a_time() -> None:
    gate = ended()
    assert gate.done()
    assert gate.profile()[0] == gate.profile()[1] > 0
