"""The null driver."""

from __future__ import annotations

from unisycl.backends.null.driver import NullDriver, make_driver


def test_commands_end_when_the_test_says_so() -> None:
    driver = NullDriver()
    first = driver.fill(None, 1, ())
    second = driver.copy(None, None, (first,))
    assert not first.done()
    assert [("fill", ()), ("copy", (first,))] == [(r.kind, r.deps) for r in driver.records]
    error = ValueError()
    driver.records[0].completion.finish(error)
    assert first.error() is error
    driver.finish_all()
    assert second.wait(0)
    assert second.profile()[0] <= second.profile()[1]


def test_or_at_once() -> None:
    assert make_driver().launch(None, ()).done()
