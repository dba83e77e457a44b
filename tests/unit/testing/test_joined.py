"""The page of conformance from runs of one device each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unisycl.testing import joined
from unisycl.testing.report import Report


def told(device: str, *outcomes: tuple[str, str | None, str]) -> str:
    report = Report([device], {device: f"about {device}"})
    for outcome in outcomes:
        report.record(*outcome)
    return report.to_json()


def test_runs_of_one_device_each_stand_beside_each_other(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"one": told("one", ("X-1", "one", "passed"), ("X-7", None, "passed")),
             "two": told("two", ("X-1", "two", "refused"), ("X-2", "two", "skipped")),
             "more": json.dumps({"name": "far", "about": "elsewhere", "rows": {"X-1": "passed"}})}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    page = tmp_path / "page.md"
    words = [str(page), str(tmp_path / "one"), str(tmp_path / "two"), "--add",
             str(tmp_path / "more")]
    monkeypatch.setattr("sys.argv", ["joined", *words])
    assert joined.main() == 0
    rows = {line.split("|")[1]: line.split("|")[3:-1]
            for line in page.read_text().splitlines() if line.startswith("|X-")}
    assert rows["X-1"] == ["untested", "passed", "refused", "passed"]
    assert rows["X-2"] == ["untested"] * 4
    assert rows["X-7"] == ["passed", "untested", "untested", "untested"]
    assert "- `two`: about two\n" in page.read_text()


def test_a_row_that_failed_is_named(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
        ) -> None:
    (tmp_path / "one").write_text(told("one", ("X-1", "one", "failed")))
    monkeypatch.setattr("sys.argv", ["joined", str(tmp_path / "page.md"), str(tmp_path / "one")])
    assert joined.main() == 1
    assert capsys.readouterr().out == "X-1 failed on one\n"
