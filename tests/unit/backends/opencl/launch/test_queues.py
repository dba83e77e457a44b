"""Which queue of OpenCL a kernel goes to."""

from __future__ import annotations

from typing import Any

import pytest

from unisycl.backends.opencl.launch.queues import Lane, Lanes


class Command:
    """What of a completion the queues of a device need."""

    lane: Lane | None = None
    over = False

    def __init__(self, event: str) -> None:
        self.event = event
        self.ended = False

    def done(self) -> bool:
        return self.ended


def begin(lanes: Lanes, event: str, *deps: Command) -> tuple[Any, Any, Any]:
    """Enqueue a command as the driver does; return it, its queue and its wait list."""
    made: Any = Command(event)
    lane, waits = lanes.choose(deps)
    if lane.owner is not None:
        made.lane, lane.last = lane, made
    return made, lane.queue, waits


@pytest.fixture
def lanes() -> Lanes:
    names = iter("abcdefgh")
    return Lanes("main", lambda: next(names), 2)


def test_a_chain_runs_in_one_queue_without_wait_lists(lanes):
    last, queue, _ = begin(lanes, "0")
    assert "a" == queue
    for k in range(1, 5):
        last, queue, waits = begin(lanes, str(k), last)
        assert ("a", None) == (queue, waits)


def test_what_depends_on_nothing_stands_behind_nothing(lanes):
    first, *_ = begin(lanes, "0")
    for k in range(1, 9):
        made, queue, waits = begin(lanes, str(k))
        assert ("main", None) == (queue, waits)
    first.ended = True
    queues = {begin(lanes, "9")[1] for _ in range(3)}
    assert {"a", "main"} == queues


def test_the_second_of_two_that_follow_one_command_waits_for_its_event(lanes):
    first, *_ = begin(lanes, "0")
    assert ("a", None) == begin(lanes, "1", first)[1:]
    assert ("b", ["0"]) == begin(lanes, "2", first)[1:]
    assert ("main", ["0"]) == begin(lanes, "3", first)[1:]


def test_what_joins_chains_waits_for_the_others(lanes):
    left, *_ = begin(lanes, "0")
    copy = Command("copy")
    right, queue, waits = begin(lanes, "1", copy)
    assert ("b", ["copy"]) == (queue, waits)
    assert ("a", ["1"]) == begin(lanes, "2", left, right)[1:]
    assert ("b", ["0", "copy"]) == begin(lanes, "3", left, right, copy)[1:]


def test_queues_that_were_replaced_take_nothing(lanes):
    old, *_ = begin(lanes, "0")
    new = Lanes("timed", lambda: "t", 2)
    assert ("t", ["0"]) == begin(new, "1", old)[1:]


def test_without_queues_of_its_own_everything_goes_to_the_main_one(lanes):
    first, *_ = begin(lanes, "0")
    assert ["0"] == lanes.close()
    assert ("main", ["0"]) == begin(lanes, "1", first)[1:]
    first.ended = True
    assert "main" == begin(lanes, "2")[1]
    assert [] == lanes.close()
