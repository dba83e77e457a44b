"""The programs that compute one thing in several ways: their frame, and bad input."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import unisycl as sycl
from unisycl.examples import blurs, comparison, heat, subdivision

SMALL = {
    "reductions": ["--n", "100"],
    "scans": ["--n", "100"],
    "transpose": ["--rows", "5", "--columns", "7"],
    "matmul": ["--m", "5", "--n", "6", "--k", "7"],
    "heat": ["--size", "9", "--steps", "2"],
    "dataflow": ["--n", "100"],
    "quicksort": ["--n", "200", "--leaf", "8"],
    "subdivision": ["--size", "32", "--most", "20"],
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
    "transpose --rows 0", "matmul --k 0", "heat --steps -1", "heat --size 0", "dataflow --n 0",
    "quicksort --n 0", "quicksort --leaf 0", "subdivision --size 12", "subdivision --most 0",
    "blurs --radius -1", "blurs no/such/picture.png", "timing --rounds 0", "timing --size 0",
    "timing --device toaster", "matmul --device toaster"])
def test_bad_input_is_one_line(arguments: str, capsys: pytest.CaptureFixture[str]) -> None:
    name, *rest = arguments.split()
    with pytest.raises(SystemExit) as stop:
        importlib.import_module(f"unisycl.examples.{name}").main(rest)
    assert stop.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.row("J-9")
def test_a_blurred_photograph_is_written(
        device: sycl.device, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "in.png", tmp_path / "out.png"
    rgb = np.random.default_rng(1).integers(0, 256, (4, 5, 3), np.uint8)
    Image.fromarray(rgb).save(source)
    backend = device.get_backend().name
    assert blurs.main([str(source), "-o", str(target), "--radius", "1", "--device", backend]) == 0
    assert capsys.readouterr().out.endswith("all equal to NumPy\n")
    expected = blurs.reference(blurs.with_four_channels(rgb), blurs.bell(1))[..., :3]
    with Image.open(target) as written:
        assert np.abs(np.asarray(written) - 255 * expected).max() <= 0.51


def test_plates_are_written_before_and_after(tmp_path: Path) -> None:
    target = tmp_path / "heat.png"
    assert heat.main(["--size", "20", "--steps", "3", "-o", str(target)]) == 0
    with Image.open(target) as written:
        assert written.size == (40, 20)


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


def test_a_subdivided_picture_is_written(tmp_path: Path) -> None:
    target = tmp_path / "set.png"
    assert subdivision.main(["--size", "128", "--most", "50", "-o", str(target),
                             "--device", "cpu"]) == 0
    with Image.open(target) as written:
        found = np.asarray(written)
    expected = subdivision.reference(128, 50)
    assert found.shape == (128, 128, 3)
    assert ((found.sum(axis=2) <= 7) >= (expected == 50)).all()
