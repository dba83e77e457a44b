"""Environment variables."""

from __future__ import annotations

import pytest

from unisycl.base import settings
from unisycl.base.errors import UsageError, errc


def test_a_variable_is_read_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNISYCL_DEVICE", "host")
    assert "host" == settings.DEVICE.get()
    monkeypatch.delenv("UNISYCL_DEVICE")
    assert "" == settings.DEVICE.get()


def test_a_name_that_means_nothing_gets_a_suggestion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNISYCL_DEVISE", "cpu")
    assert ("UNISYCL_DEVISE", "UNISYCL_DEVICE") in settings.unknown()


@pytest.mark.parametrize(("name", "text", "value"), [
    ("UNISYCL_DEVICE", " host ", "host"), ("UNISYCL_BACKENDS", " CPU,, host", ["cpu", "host"]),
    ("UNISYCL_THREADS", "3", 3), ("UNISYCL_THREADS", "", 0), ("UNISYCL_TIMEOUT", "2.5", 2.5),
    ("UNISYCL_HOST", "shuffle=7, races", (True, 7)), ("UNISYCL_HOST", "", (False, None)),
    ("UNISYCL_TRACEBACK", "full", True), ("UNISYCL_TRACEBACK", " ", False),
    ("UNISYCL_MEMORY", "", "system"), ("UNISYCL_MEMORY", "coarse", "coarse")])
def test_a_text_means_a_value(
        name: str, text: str, value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, text)
    assert value == settings.VARIABLES[name].value()
    settings.check()


@pytest.mark.parametrize(("name", "text", "expected"), [
    ("UNISYCL_THREADS", "0", "a positive number, at most 4096"),
    ("UNISYCL_DEBUG", "bound", "assert, bounds, divergence"),
    ("UNISYCL_TIMEOUT", "nan", "a number of seconds"), ("UNISYCL_HOST", "race", "shuffle or "),
    ("UNISYCL_TRACEBACK", "ful", "full"), ("UNISYCL_MEMORY", "separat", "system, unified, ")])
def test_a_text_that_means_nothing_is_refused_with_what_is_expected(
        name: str, text: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, text)
    for ask in (settings.VARIABLES[name].value, settings.check):
        with pytest.raises(UsageError, match=f"^{name}={text}: expected {expected}") as found:
            ask()
        assert errc.invalid == found.value.code()


def test_a_setting_that_is_gone_is_refused_with_the_way_out(
        monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("", "0"):
        monkeypatch.setenv("UNISYCL_SEPARATE_MEMORY", text)
        settings.check()
    monkeypatch.setenv("UNISYCL_SEPARATE_MEMORY", "1")
    with pytest.raises(UsageError, match="UNISYCL_SEPARATE_MEMORY is no setting any more; "
                                         "set UNISYCL_MEMORY=separate"):
        settings.check()
    assert ("UNISYCL_SEPARATE_MEMORY", "UNISYCL_MEMORY=separate") in settings.unknown()
    assert "UNISYCL_SEPARATE_MEMORY" not in dict(settings.misspelt())


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
