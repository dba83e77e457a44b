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
