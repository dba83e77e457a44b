"""Words that ask for checks."""

from __future__ import annotations

import pytest

from unisycl.base import checking
from unisycl.base.errors import UsageError


def test_words_stand_for_checks() -> None:
    usual = {"assert", "bounds", "divergence", "uninitialised"}
    for asked, checks in (
            ("", set()), ("0", set()), (False, set()), ("1", usual), (True, usual),
            ("bounds, assert", {"assert", "bounds"}), ("1,races", usual | {"races"}),
            ("numbers", {"division", "narrowing", "nan", "overflow"}),
            ("all", set(checking.WORDS)), ("uninitialized", {"uninitialised", "bounds"})):
        assert checks == checking.parse(asked), asked


def test_other_words_are_told_which_there_are() -> None:
    for asked in ("everything", "2", 3):
        with pytest.raises(ValueError, match=r"expected (True|assert, bounds, divergence)"):
            checking.parse(asked)
    with pytest.raises(UsageError, match="debug='bound': expected assert"):
        checking.given("debug", "bound")


def test_the_environment_is_read_each_time_and_equal_words_are_one_object(
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNISYCL_DEBUG", raising=False)
    assert checking.now(checking.NONE) is checking.NONE
    monkeypatch.setenv("UNISYCL_DEBUG", "bounds")
    asked = checking.now(checking.parse("races"))
    assert {"bounds", "races"} == asked
    monkeypatch.setenv("UNISYCL_DEBUG", "races")
    assert asked is checking.now(checking.parse("bounds"))
    assert checking.NONE == checking.of_kernel(checking.NONE, asked)
