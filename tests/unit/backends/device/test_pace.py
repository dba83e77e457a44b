"""Which commands of an OpenCL processor are waited for inside the driver."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.backends.device.pace import Habit, Pace
from unisycl.runtime.launch import compiled_kernels

MS = 1_000_000


class Command:
    """What of a completion the pace of a device needs."""

    habit: Habit | None = None
    born = 0
    count = 1
    ahead = 0

    def __init__(self) -> None:
        self.ended = False

    def done(self) -> bool:
        return self.ended


def copy(i, out):
    out[i] = i


def search(i, out):
    while out[i] < 5:
        out[i] += 1


def count(i, out):
    for _ in range(out[i]):
        out[i] += 1


def unrolled(i, out):
    for k in range(1000):
        out[i] += k


def habit_of(function: Any) -> Habit:
    with compiled_kernels.kernels() as seen:
        sycl.queue(sycl.cpu_selector_v).parallel_for(4, function, np.zeros(4, np.int32)).wait()
    return Habit(seen[-1].kernel)


def begun(pace: Pace, habit: Habit | None, *deps: Command) -> Command:
    made: Any = Command()
    pace.begun(made, habit, deps)
    return made


@pytest.fixture
def habit() -> Habit:
    made = habit_of(copy)
    made.note(MS)
    return made


def test_only_what_was_short_the_last_time_is_short(habit):
    pace = Pace()
    assert pace.short(begun(pace, habit).ahead)
    habit.note(50 * MS)
    assert not pace.short(begun(pace, habit).ahead)


def test_what_was_never_seen_is_not_short():
    pace = Pace()
    assert not pace.short(begun(pace, habit_of(copy)).ahead)
    assert not pace.short(begun(pace, None).ahead)


@pytest.mark.parametrize(("function", "expected"), [(search, 0), (count, 0), (unrolled, MS)])
def test_a_loop_without_a_constant_end_is_never_short(function, expected):
    found = habit_of(function)
    found.note(MS)
    assert expected == found.ns


def test_all_that_it_waits_for_counts(habit):
    pace = Pace()
    last = begun(pace, habit)
    for _ in range(19):
        assert pace.short(last.ahead)
        last = begun(pace, habit, last)
    assert not pace.short(last.ahead)
    assert not pace.short(begun(pace, habit, begun(pace, None)).ahead)


def test_nothing_is_short_beside_what_may_take_long(habit):
    pace = Pace()
    unknown, known = begun(pace, None), begun(pace, habit)
    assert not pace.short(known.ahead)
    unknown.ended = True
    assert pace.short(known.ahead)


def test_nothing_is_short_where_the_program_submits_commands_of_its_own(habit):
    pace = Pace()
    pace.off = True
    assert not pace.short(begun(pace, habit).ahead)


def test_commands_that_ended_unseen_are_forgotten():
    pace = Pace()
    for _ in range(1000):
        begun(pace, None).ended = True
    assert len(pace._slow) <= 65
