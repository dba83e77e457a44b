"""Who asks for checks."""

from __future__ import annotations

import pytest

from unisycl.base import checked_mode, requested_checks


def test_the_environment_is_read_each_time_and_equal_words_are_one_object(
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNISYCL_DEBUG", raising=False)
    assert requested_checks.now(checked_mode.NONE) is checked_mode.NONE
    monkeypatch.setenv("UNISYCL_DEBUG", "bounds")
    asked = requested_checks.now(checked_mode.parse("races"))
    assert {"bounds", "races"} == asked
    monkeypatch.setenv("UNISYCL_DEBUG", "races")
    assert asked is requested_checks.now(checked_mode.parse("bounds"))
    assert checked_mode.NONE == requested_checks.of_kernel(checked_mode.NONE, asked)
