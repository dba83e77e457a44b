"""Events apart from any device."""

from __future__ import annotations

import pytest

import unisycl as sycl
from tests.unit.runtime.null import null_queue
from unisycl.api.queue.event import checked
from unisycl.backends.null.driver import NullDriver


def test_status_follows_the_command() -> None:
    driver = NullDriver()
    event = null_queue(driver).single_task(lambda: None)
    assert "<event of kernel '<lambda>': running>" == repr(event)
    driver.finish_all()
    assert "<event of kernel '<lambda>': complete>" == repr(event)


def test_what_is_no_event_is_refused() -> None:
    assert [] == checked([])
    for bad in (3, [3], None):
        with pytest.raises(sycl.exception, match="expected an event"):
            checked(bad)


def test_an_error_is_raised_once() -> None:
    driver = NullDriver()
    event = null_queue(driver).single_task(lambda: None)
    driver.records[0].completion.finish(ValueError("boom"))
    with pytest.raises(sycl.exception, match="boom"):
        event.wait()
    event.wait()
    assert repr(event).endswith("complete, failed>")
