"""Words that ask for checks."""

from __future__ import annotations

import pytest

from unisycl.base import checked_mode
from unisycl.base.errors import UsageError


def test_words_stand_for_checks() -> None:
    usual = {"assert", "bounds", "divergence", "uninitialised"}
    for asked, checks in (
            ("", set()), ("0", set()), (False, set()), ("1", usual), (True, usual),
            ("bounds, assert", {"assert", "bounds"}), ("1,races", usual | {"races"}),
            ("numbers", {"division", "narrowing", "nan", "overflow"}),
            ("all", set(checked_mode.WORDS)), ("uninitialized", {"uninitialised", "bounds"})):
        assert checks == checked_mode.parse(asked), asked


def test_other_words_are_told_which_there_are() -> None:
    for asked in ("everything", "2", 3):
        with pytest.raises(ValueError, match=r"expected (True|assert, bounds, divergence)"):
            checked_mode.parse(asked)
    with pytest.raises(UsageError, match="debug='bound': expected assert"):
        checked_mode.given("debug", "bound")
