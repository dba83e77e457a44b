"""Threads that wait inside a driver: alone where they must be, and none at the very end."""

from __future__ import annotations

import threading

import pytest

from unisycl.backends.opencl.launch import waiting
from unisycl.backends.opencl.launch.waiting import Waiter


class Event:
    """An event that ends when it is told to, and notes who waits for it."""

    def __init__(self) -> None:
        self.entered, self.over = threading.Event(), threading.Event()

    def wait(self) -> None:
        self.entered.set()
        assert self.over.wait(30)


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "_ending", threading.Event())


@pytest.mark.parametrize("alone", [False, True])
def test_another_thread_waits_inside_only_where_it_may(*, alone: bool) -> None:
    waiter, first, second = Waiter(alone=alone), Event(), Event()
    gate = waiter.watch(first)
    assert gate is not None
    assert first.entered.wait(30)
    other = waiter.watch(second)
    assert (other is None) is alone
    if alone:
        waiter.wait_here(second)  # comes back at once
        assert not second.entered.is_set()
    else:
        assert second.entered.wait(30)
    for event in (first, second):
        event.over.set()
    assert gate.acquire(timeout=30)
    if alone:
        waiter.wait_here(second)
        assert second.entered.is_set()


def test_at_the_end_nobody_is_inside_nor_goes_there() -> None:
    waiter, event, left = Waiter(), Event(), threading.Event()
    gate = waiter.watch(event)
    assert gate is not None
    assert event.entered.wait(30)

    def leave() -> None:
        waiting.Ending().leave()
        left.set()
    threading.Thread(target=leave, daemon=True).start()
    assert not left.wait(0.05)
    event.over.set()
    assert left.wait(30)
    late = Event()
    waiter.wait_here(late)
    gate = waiter.watch(late)
    assert gate is None or gate.acquire(timeout=30)
    assert not late.entered.is_set()
