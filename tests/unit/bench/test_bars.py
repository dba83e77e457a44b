"""What counts as reached: ratios to the best peer, and what did not run."""

from __future__ import annotations

import pytest

from bench.bars import Bar, Results, Row, geometric_mean, summary, worst
from bench.harness import OURS


def rows(**ratios: float) -> dict[str, Row]:
    out = {n: Row(n, 1, 1, 1, [r], counted=n != "blas") for n, r in ratios.items()}
    return {OURS: Row(OURS, 2e-6, 1e-6, 3e-6), **out}


RESULTS = Results({"a": rows(x=2, y=4, blas=0.1), "b": rows(x=0.5), "c": rows()}, ["a", "b", "c"])


def test_the_best_peer_of_a_kernel_is_the_fastest_that_counts() -> None:
    assert RESULTS.best() == {"a": (2, "x"), "b": (0.5, "x")}
    assert geometric_mean(RESULTS) == pytest.approx(1)
    assert worst(RESULTS) == 0.5


def test_a_ratio_may_be_asked_for_some_peers_only() -> None:
    assert RESULTS.against("a", "y", "z") == 4
    assert RESULTS.against("a", "blas") == 0.1
    assert RESULTS.against("b", "y") is None


def test_what_did_not_run_is_not_reached() -> None:
    empty = Results({})
    assert geometric_mean(empty) is None
    assert "not measured" in Bar("text", worst, 1, 2).line(empty)


def test_a_bar_says_what_it_is_and_whether_it_is_reached() -> None:
    def figure(results: Results) -> float:
        return 1.5

    assert Bar("text", figure, 1, 2).line(RESULTS).endswith("bar >= 1 x: reached")
    assert Bar("text", figure, 1, 1.5).line(RESULTS).endswith("reached, and the moonshot of 1.5")
    assert Bar("text", figure, 2, 3).line(RESULTS).endswith("MISSED")
    assert Bar("text", figure, 1, 0.5, "us", most=True).line(RESULTS).endswith("<= 1 us: MISSED")


def test_the_summary_lists_the_worst_kernel_first() -> None:
    lines = summary(RESULTS)
    assert [line.split()[0] for line in lines[1:3]] == ["b", "a"]
