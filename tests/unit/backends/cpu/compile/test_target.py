"""Threads and processors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from unisycl.backends.cpu.compile import target
from unisycl.base.errors import UsageError


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    target.threads.cache_clear()
    yield
    target.threads.cache_clear()


@pytest.mark.parametrize(("asked", "count"), [("1", 1), (" 2 ", 2), ("4096", 4096)])
def test_so_many_threads_as_asked(
        asked: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNISYCL_THREADS", asked)
    assert count == target.threads()


@pytest.mark.parametrize("asked", ["0", "-1", "two", "1.5", "1e3", "²", "9" * 20, "4097"])
def test_other_numbers_are_refused(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target.os, "cpu_count", lambda: 8)
    monkeypatch.setenv("UNISYCL_THREADS", asked)
    with pytest.raises(UsageError, match=f"UNISYCL_THREADS={asked}: expected a positive number, "
                       "at most 4096"):
        target.threads()


@pytest.mark.parametrize("asked", ["", " "])
def test_left_out_it_is_the_processors_of_this_process(
        asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNISYCL_THREADS", asked)
    monkeypatch.setattr(target.os, "sched_getaffinity", lambda _: {3, 5, 7}, raising=False)
    assert 3 == target.threads()
