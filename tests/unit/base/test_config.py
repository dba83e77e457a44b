"""Environment variables."""

from __future__ import annotations

import pytest

from unisycl.base import config


def test_a_variable_is_read_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNISYCL_DEVICE", "host")
    assert "host" == config.DEVICE.get()
    monkeypatch.delenv("UNISYCL_DEVICE")
    assert "" == config.DEVICE.get()


def test_a_name_that_means_nothing_gets_a_suggestion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNISYCL_DEVISE", "cpu")
    assert ("UNISYCL_DEVISE", "UNISYCL_DEVICE") in config.unknown()


def test_every_variable_says_what_it_is_for() -> None:
    assert all(v.doc and v.name.startswith("UNISYCL_") for v in config.VARIABLES.values())
