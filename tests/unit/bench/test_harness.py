"""The benchmark harness: what it checks, counts and prints; nothing is timed here."""

from __future__ import annotations

from typing import Any

import pytest

from bench.harness import OURS, Benchmark, Case, Implementation, Missing, prepare, time_round
from bench.run import NAMES, Row, Worker, _verdict, describe, main, rows_of
from bench.worker import load


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


def test_ratios_are_taken_round_by_round() -> None:
    class Process:
        pass

    workers = {name: Worker(Process(), seconds)  # type: ignore[arg-type]
               for name, seconds in ((OURS, [[1.0], [2.0]]), ("peer", [[2.0], [8.0]]))}
    ours, peer = rows_of(workers)
    assert (ours.ratios, peer.ratios) == ([], [2.0, 4.0])
    text = "\n".join(describe("x", make(Case(lambda: None), bars={"peer": 2.5}), workers))
    assert "3.00 x (2.00 to 4.00), bar >= 2.5: reached" in text


def test_a_bar_that_is_missed_is_printed_as_missed() -> None:
    benchmark = make(Case(lambda: None), bars={OURS: 0.1})
    assert _verdict(benchmark, Row(OURS, 0.2, 0.2, 0.2, [])) == "bar <= 100 ms: MISSED"


@pytest.mark.parametrize("name", NAMES)
def test_every_benchmark_has_our_implementation_and_known_bars(name: str) -> None:
    benchmark = load(name)
    assert OURS in benchmark.implementations
    assert set(benchmark.bars) <= set(benchmark.implementations)


def test_an_unknown_benchmark_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["mandelbort"])
    assert stop.value.code == 2
    assert "no benchmark is named mandelbort" in capsys.readouterr().err
