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


def test_ended_has_a_time() -> None:
    gate = ended()
    assert gate.done()
    assert gate.profile()[0] == gate.profile()[1] > 0
