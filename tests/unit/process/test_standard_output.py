"""Where text goes, and what waits for a flush."""

from __future__ import annotations

import contextlib
import io
import sys

import pytest

from unisycl.base.value_text import Shown
from unisycl.process.standard_output import Lines, write

ENDL, FLUSH, VALUE = Shown("endl", 0), Shown("flush", 0), Shown("value")


def test_text_waits_for_a_flush_by_stream_and_work_item(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Lines()
    lines.put(1, 0, ("a", VALUE), iter([1]))
    lines.put(1, 1, ("b",), iter(()))
    lines.put(2, 0, ("c",), iter(()))
    assert "" == capsys.readouterr().out
    lines.put(1, 0, ("d", ENDL, "e"), iter(()))
    assert "a1d\n" == capsys.readouterr().out
    lines.put(1, 1, (FLUSH,), iter(()))
    assert "b" == capsys.readouterr().out
    for stream, item in ((1, 0), (1, 1), (2, 0), (2, 0)):
        lines.end(stream, item)
    assert "ec" == capsys.readouterr().out


def test_a_style_is_a_work_items_own_and_ends_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Lines()
    lines.put(1, 0, (Shown("hex", 0), VALUE), iter([255]))
    lines.put(1, 1, (VALUE,), iter([255]))
    lines.end(1, 0)
    lines.put(1, 0, (VALUE,), iter([255]))
    lines.end(1, 0)
    lines.end(1, 1)
    assert "ff255255" == capsys.readouterr().out


class Chunks(io.StringIO):
    """Notes each call."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []

    def write(self, text: str) -> int:
        self.calls.append(text)
        return len(text)


def test_a_text_is_one_write_to_whatever_stdout_is_now(monkeypatch: pytest.MonkeyPatch) -> None:
    with contextlib.redirect_stdout(Chunks()) as out:
        write("one\ntwo")
        write("")
    assert ["one\ntwo"] == out.calls
    monkeypatch.setattr(sys, "stdout", None)
    write("nowhere")
