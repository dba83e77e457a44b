"""The command line of the benchmarks."""

from __future__ import annotations

import pytest

from bench.catalogue import NAMES
from bench.run import main, parse


def test_an_unknown_benchmark_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["mandelbort"])
    assert stop.value.code == 2
    assert "no benchmark is named mandelbort" in capsys.readouterr().err


def test_the_list_names_each_benchmark_and_who_runs_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list", "nbody"]) == 0
    line = capsys.readouterr().out
    assert line.startswith("nbody ")
    assert "unisycl" in line
    assert "intel-opencl" in line


def test_a_quick_run_has_one_round_unless_told() -> None:
    assert parse(["--quick"]).rounds == 1
    assert parse(["--quick", "--rounds", "3"]).rounds == 3
    assert parse([]).rounds == 7


def test_everything_runs_if_nothing_is_named() -> None:
    assert tuple(parse([]).names) == NAMES
