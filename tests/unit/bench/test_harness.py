"""The benchmark harness: what it checks and in which order; nothing is timed here."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from bench.harness import (
    OURS,
    QUICK,
    Benchmark,
    Case,
    Implementation,
    Missing,
    Work,
    prepare,
    processor_times,
    sized,
    time_commands,
    time_round,
)


def make(case: Case, **fields: Any) -> Benchmark:
    return Benchmark("a test", {OURS: Implementation(lambda: case)}, **fields)


def test_an_implementation_is_warmed_up_and_checked_before_it_is_timed() -> None:
    seen: list[str] = []
    case = Case(lambda: seen.append("run"), lambda: seen.append("result"))
    prepare(make(case, check=lambda result: seen.append("check")), OURS)
    assert seen == ["run", "result", "check"]


def test_a_wrong_result_is_never_timed() -> None:
    def check(result: Any) -> None:
        assert result == 2

    with pytest.raises(AssertionError):
        prepare(make(Case(lambda: None, lambda: 1), check=check), OURS)


def test_a_peer_that_is_not_installed_is_missing() -> None:
    absent = Implementation(lambda: Case(lambda: None), ("no_such_module",))
    with pytest.raises(Missing, match="not installed: no_such_module"):
        prepare(Benchmark("a test", {"peer": absent}), "peer")


def test_a_case_may_measure_itself() -> None:
    assert time_round(Case(lambda: 1.5), single=True) == [1.5]


def test_a_round_lasts_by_the_clock_whatever_a_case_says_it_took() -> None:
    def run() -> float:
        time.sleep(0.01)
        return 1e-9

    assert len(time_round(Case(run), single=False, least=0.02)) <= 3


def test_short_runs_share_a_reading_of_the_processors_clock_and_long_ones_have_their_own() -> None:
    walls, spent = processor_times(lambda: None, 0.02)
    assert len(walls) > 100 * len(spent) > 0
    walls, spent = processor_times(lambda: time.sleep(0.02), 0.03)
    assert len(walls) == len(spent) == 2
    assert max(spent) < min(walls)


def test_rounds_by_the_clock_of_a_device_are_those_of_cases_that_have_one() -> None:
    assert time_commands(Case(lambda: None)) == []
    assert set(time_commands(Case(lambda: None, timed=lambda: 2.5), most=3)) == {2.5}


def test_work_hands_its_operands_over_in_order_and_gives_the_results() -> None:
    a, b = np.zeros(2), np.ones(2)
    case = Work((a, b), 0).call(lambda x, y: np.add(x, y, out=x))
    assert case.run() is None
    assert case.result is not None
    assert case.result().tolist() == [1, 1]
    assert [r.tolist() for r in Work((a, b), (1, 0)).result()] == [[1, 1], [1, 1]]


def test_quick_runs_take_the_small_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(QUICK, raising=False)
    assert sized(1000, 10) == 1000
    monkeypatch.setenv(QUICK, "1")
    assert sized(1000, 10) == 10
