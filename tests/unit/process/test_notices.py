"""Warnings that decide about nothing."""

from __future__ import annotations

import sys
import threading
import warnings

import pytest

from unisycl.process import notices


def test_a_notice_is_a_warning_at_the_line_of_the_program() -> None:
    with pytest.warns(RuntimeWarning, match="unisycl: the disk is full") as seen:
        notices.tell("the disk is full")
    assert [__file__] == [w.filename for w in seen]


@pytest.mark.parametrize("closed", [False, True])
def test_where_warnings_are_errors_it_is_printed(
        closed: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    if closed:
        monkeypatch.setattr(sys, "stderr", None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        notices.tell("the disk is full")
    if not closed:
        assert "unisycl: the disk is full\n" == capsys.readouterr().err


def test_in_a_thread_and_at_the_end_of_all_frames_it_does_not_raise() -> None:
    failed: list[Warning] = []

    def say() -> None:
        try:
            notices.tell("the disk is full")
        except Warning as error:
            failed.append(error)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        thread = threading.Thread(target=say)
        thread.start()
        thread.join()
    assert (1, []) == (len(seen), failed)


def test_what_is_asked_at_a_line_is_raised_there() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="unisycl: not what you think"):
            notices.warn("not what you think")


def test_held_warnings_come_after_an_error_too() -> None:
    def fail() -> None:
        with notices.held():
            warnings.warn("before", UserWarning, stacklevel=1)
            raise KeyError

    with pytest.raises(KeyError), pytest.warns(UserWarning, match="before"):
        fail()
