"""Parts of ``dev.py ci`` that are forked from one process, and programs of tests that are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import children, parts
from unisycl.base import start_folder

VERSION = "tests/unit/base/test_version.py"


def test_each_part_runs_its_tests_in_its_environment(tmp_path: Path) -> None:
    found = tmp_path / "found.json"
    asked = {"title": "ci", "options": ["--spent=1"], "limit": 100, "at_once": 2,
             "failed": str(tmp_path / "failed"), "parts": [
        {"name": "one part", "command": ["--device", "cpu", VERSION, "--conformance-json",
                                         str(found)], "environment": {}},
        {"name": "no tests", "command": ["--device", "host", "--device-tests", VERSION],
         "environment": {"UNISYCL_DEBUG": "bounds"}}]}
    file = tmp_path / "parts"
    file.write_text(json.dumps(asked))
    done = children.run([sys.executable, "-m", "tests.parts", str(file)], capture_output=True,
                        text=True, cwd=parts.ROOT)
    assert "ci: one part took" in done.stdout
    assert " passed" in (tmp_path / "one-part").read_text()
    assert ["cpu"] == json.loads(found.read_text())["devices"]
    assert "no tests\n" == (tmp_path / "failed").read_text()
    assert 1 == done.returncode


def test_a_part_without_tests_is_done_where_that_is_noted(tmp_path: Path) -> None:
    asked = {"title": "nightly", "options": [], "limit": 100, "at_once": 1,
             "failed": str(tmp_path / "failed"), "done": {"none": str(tmp_path / "none.done")},
             "parts": [{"name": "none", "environment": {},
                        "command": ["--device", "host", "--device-tests", VERSION,
                                    "--conformance-json", str(tmp_path / "rows.json")]}]}
    file = tmp_path / "parts"
    file.write_text(json.dumps(asked))
    children.run([sys.executable, "-m", "tests.parts", str(file)], cwd=parts.ROOT)
    assert (tmp_path / "none.done").exists()
    assert "" == (tmp_path / "failed").read_text()
    assert "devices" in json.loads((tmp_path / "rows.json").read_text())


def run(tmp_path: Path, **asked: object) -> tuple[str, list[str]]:
    """Run parts; return what is printed and which failed."""
    file, failed = tmp_path / "parts", tmp_path / "failed"
    file.write_text(json.dumps({"title": "nightly", "options": [], "limit": 100, "at_once": 2,
                                "failed": str(failed), **asked}))
    done = children.run([sys.executable, "-m", "tests.parts", str(file)], cwd=parts.ROOT,
                        capture_output=True, text=True)
    return done.stdout, failed.read_text().splitlines()


def test_a_part_of_many_tests_is_several_processes_that_say_one_thing(tmp_path: Path) -> None:
    rows, mark = tmp_path / "rows.json", tmp_path / "whole.done"
    names = [f"tests/unit/base/{name}" for name in ("test_version.py", "test_strides.py")]
    said, failed = run(tmp_path, most=1, done={"whole": str(mark)}, parts=[
        {"name": "whole", "environment": {}, "command": [
            "--device", "cpu", "--conformance-json", str(rows), *names]}])
    shares = [line for line in said.splitlines() if line.startswith("nightly: whole, ")]
    collected = sum(int(line.partition(" passed")[0]) for line in said.splitlines()
                    if " passed" in line)
    assert len(shares) == collected > 1
    assert f"whole, 1 of {collected} took" in said
    assert [] == failed
    assert mark.exists()
    assert ["cpu"] == json.loads(rows.read_text())["devices"]
    assert [rows] == [*tmp_path.glob("rows.json*")]


def test_what_there_is_no_time_for_is_named_and_not_done(tmp_path: Path) -> None:
    mark = tmp_path / "late.done"
    said, failed = run(tmp_path, within=0, done={"late": str(mark)}, parts=[
        {"name": "late", "environment": {}, "command": ["--device", "cpu", VERSION]}])
    assert "nightly: no time was left for 1: late\n" in said
    assert ["late (no time was left)"] == failed
    assert not mark.exists()


def test_a_program_is_what_a_new_interpreter_would_make_of_it(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import sys\nprint(sys.argv, __name__, __file__, file=sys.stderr)\n"
                       "print(input())\nsys.exit(len(sys.argv))\n")
    command = [sys.executable, "-W", "error", str(program), "a"]
    same = [way(command, capture_output=True, text=True, input="typed\n", cwd=tmp_path)
            for way in (children.run, subprocess.run)]
    assert (2, "typed\n") == (same[0].returncode, same[0].stdout)
    assert same[0].stderr == same[1].stderr
    failing = [way([sys.executable, "-c", "def f(): 1 / 0\nf()"], capture_output=True, text=True)
               for way in (children.run, subprocess.run)]
    assert (1, 1) == tuple(one.returncode for one in failing)
    assert failing[0].stderr.splitlines()[::2] == failing[1].stderr.splitlines()[::2]


def test_it_ends_as_it_would_and_within_its_time() -> None:
    def status(text: str) -> int:
        return children.run([sys.executable, "-c", text]).returncode
    assert [-6, -2, 0] == [*map(status, (
        "import os; os.abort()", "raise KeyboardInterrupt",
        "import os, atexit; atexit.register(os._exit, 0); import sys; sys.exit(3)"))]
    with pytest.raises(subprocess.TimeoutExpired):
        children.run([sys.executable, "-c", "while True: pass"], timeout=0.2)
    with pytest.raises(subprocess.CalledProcessError):
        children.run([sys.executable, "-c", "raise SystemExit(2)"], check=True)


def test_relative_settings_mean_where_it_starts(tmp_path: Path) -> None:
    text = "from unisycl.base import start_folder as s\nprint(s.FOLDER)"
    done = children.run([sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True)
    assert str(tmp_path) == done.stdout.strip() != start_folder.FOLDER


def test_what_a_fork_cannot_be_is_a_new_process() -> None:
    text = "import sys; print('unisycl' in sys.modules)"
    said = [children.run([sys.executable, *options, "-c", text], capture_output=True, text=True,
                         env={**os.environ, **more}).stdout
            for options, more in (((), {}), (("-B",), {}), ((), {"PYTHONHASHSEED": "1"}))]
    assert ["True\n", "False\n", "False\n"] == said
