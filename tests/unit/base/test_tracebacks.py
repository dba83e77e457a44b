"""``shown``: which frames an error keeps."""

from __future__ import annotations

import traceback

import pytest

from unisycl.base import geometry
from unisycl.base.errors import InternalError, UsageError, errc, exception
from unisycl.base.tracebacks import shown


def _caught(call: object) -> exception:
    with pytest.raises(exception) as found:
        call()  # type: ignore[operator]
    return found.value


def _frames(error: BaseException) -> list[str]:
    return [step.name for step in traceback.extract_tb(error.__traceback__)]


def test_frames_of_the_package_go_and_others_stay_in_order():
    def outer():
        geometry.nd_range(5, 2)
    error = _caught(outer)
    assert _frames(error)[-1] == "_check"
    assert _frames(shown(error))[-2:] == ["_caught", "outer"]


def test_causes_are_shown_so_too():
    def outer():
        try:
            geometry.nd_range(5, 2)
        except exception as cause:
            raise UsageError(errc.invalid, "outer") from cause
    error = shown(_caught(outer))
    assert error.__cause__ is not None
    assert _frames(error.__cause__)[-1] == "outer"


def test_a_defect_of_ours_is_shown_whole(monkeypatch):
    def broken(*_: object) -> None:
        raise InternalError(errc.runtime, "broken")
    monkeypatch.setattr(geometry.nd_range, "_check", broken)
    error = _caught(lambda: geometry.nd_range(4, 2))
    assert _frames(shown(error)) == _frames(error)
    assert "__init__" in _frames(error)
