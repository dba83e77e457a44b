"""``python -m unisycl graph``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unisycl.__main__ import main

PROGRAM = """
import sys
import numpy as np
import unisycl as sycl

q = sycl.queue(sycl.host_selector_v)
mine = sycl.buffer(np.zeros(int(sys.argv[1])))
for _ in range(2):
    q.submit(lambda h: h.fill(sycl.accessor(mine, h, sycl.write_only), 1))
q.wait()
print("program output")
if sys.argv[2:] == ["fail"]:
    raise RuntimeError("as asked")
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def test_the_drawing_names_the_programs_own_variables(
        program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["graph", str(program), "-o", str(tmp_path / "dag.json"), "8"])
    read = json.loads((tmp_path / "dag.json").read_text(encoding="utf-8"))
    assert ["fill", "fill"] == [c["name"] for c in read["commands"]]
    assert [["mine: write → write"]] == [e["causes"] for e in read["edges"]]
    assert "program output" in capsys.readouterr().err


def test_without_a_file_graphviz_goes_to_standard_output(
        program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["graph", str(program), "8"])
    assert capsys.readouterr().out.startswith("digraph")


def test_what_a_failing_program_submitted_is_drawn(
        program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 1 == main(["graph", str(program), "-o", str(tmp_path / "dag.svg"), "8", "fail"])
    assert "as asked" in capsys.readouterr().err
    assert (tmp_path / "dag.svg").read_text(encoding="utf-8").startswith("<svg")


def test_what_cannot_be_done_is_refused(
        program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main(["graph", str(program), "-o", str(tmp_path / "dag.png"), "8"])
    assert "dag.png" in capsys.readouterr().err
    assert 2 == main(["graph", str(tmp_path / "none.py")])
    (tmp_path / "idle.py").write_text("pass")
    assert 2 == main(["graph", str(tmp_path / "idle.py")])
    assert "submitted nothing" in capsys.readouterr().err
