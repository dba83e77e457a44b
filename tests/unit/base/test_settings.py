"""Environment variables."""

from __future__ import annotations

import pytest

from unisycl.base import settings


def test_a_variable_is_read_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNISYCL_DEVICE", "host")
    assert "host" == settings.DEVICE.get()
    monkeypatch.delenv("UNISYCL_DEVICE")
    assert "" == settings.DEVICE.get()


def test_a_name_that_means_nothing_gets_a_suggestion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNISYCL_DEVISE", "cpu")
    assert ("UNISYCL_DEVISE", "UNISYCL_DEVICE") in settings.unknown()


def test_every_variable_says_what_it_is_for() -> None:
    assert all(v.doc and v.name.startswith("UNISYCL_") for v in settings.VARIABLES.values())


@pytest.mark.parametrize(("text", "path"), [
    ("", None), ("  ", None), ("/a/b", "/a/b"), ("x/y", "/begun/x/y"), ("./x", "/begun/x"),
    ("~", "/me"), ("~/x", "/me/x"), (" /a ", "/a")])
def test_a_path_is_told_whole(
        text: str, path: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.start_folder, "FOLDER", "/begun")
    monkeypatch.setenv("HOME", "/me")
    monkeypatch.setenv("UNISYCL_TRACE", text)
    monkeypatch.chdir("/")
    found = settings.TRACE.path()
    assert path == (None if found is None else str(found))


def test_a_relative_path_from_a_folder_that_is_gone_is_refused(
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.start_folder, "FOLDER", "")
    monkeypatch.setenv("UNISYCL_TRACE", "out.json")
    with pytest.raises(ValueError, match="the folder it starts from is gone; give a whole path"):
        settings.TRACE.path()
