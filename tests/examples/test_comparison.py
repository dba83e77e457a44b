"""The programs that compute one thing in several ways: their frame, and bad input."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import unisycl as sycl
from unisycl.examples import comparison

SMALL = {
    "reductions": ["--n", "100"],
    "scans": ["--n", "100"],
    "transpose": ["--rows", "5", "--columns", "7"],
    "matmul": ["--m", "5", "--n", "6", "--k", "7"],
}


@pytest.mark.parametrize("name", SMALL)
def test_a_program_says_what_it_checked(
        device: sycl.device, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    program = importlib.import_module(f"unisycl.examples.{name}")
    backend = device.get_backend().name
    assert program.main([*SMALL[name], "--device", backend]) == 0
    text = capsys.readouterr().out
    assert f"[{backend}]" in text
    assert text.endswith("all equal to NumPy\n")


@pytest.mark.parametrize("arguments", [
    "reductions --n 0", "reductions --local 3", "scans --n -1", "scans --local 0",
    "transpose --rows 0", "matmul --k 0", "matmul --device toaster"])
def test_bad_input_is_one_line(arguments: str, capsys: pytest.CaptureFixture[str]) -> None:
    name, *rest = arguments.split()
    with pytest.raises(SystemExit) as stop:
        importlib.import_module(f"unisycl.examples.{name}").main(rest)
    assert stop.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_wrong_result_is_named_and_ends_the_program_with_1(
        capsys: pytest.CaptureFixture[str]) -> None:
    compare = comparison.Comparison("cpu")
    compare.run("good", lambda: np.arange(3), np.arange(3))
    compare.run("near", lambda: np.arange(3) + 0.5, np.arange(3), 0.5)
    assert compare.finish() == 0
    compare.run("bad", lambda: np.arange(3) + 1, np.arange(3))
    compare.run("nan", lambda: np.full(3, np.nan), np.zeros(3), 1.0)
    compare.run("short", lambda: np.arange(2), np.arange(3), 9.0)
    assert compare.finish() == 1
    assert capsys.readouterr().out.endswith("wrong: bad, nan, short\n")


def test_unsigned_differences_do_not_wrap() -> None:
    ones, zeros = np.ones(2, np.uint8), np.zeros(2, np.uint8)
    assert comparison.distance(zeros, ones) == comparison.distance(ones, zeros) == 1
