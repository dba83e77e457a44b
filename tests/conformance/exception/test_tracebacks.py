"""The traceback of an error at submission is the program's own lines, and the call they made."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.row("F-2")
HERE = Path(__file__).name


def wrong(i):
    missing[i] = 1  # noqa: F821


def files(call: Callable[[], object]) -> list[str]:
    with pytest.raises(sycl.exception) as found:
        call()
    return [Path(step.filename).name for step in traceback.extract_tb(found.value.__traceback__)]


def test_only_the_call_itself_is_ours(queue: sycl.queue) -> None:
    for call in (lambda: queue.parallel_for(4, wrong), lambda: queue.single_task(wrong, 1),
                 lambda: queue.parallel_for(4, sycl.reduction(np.zeros(1), sycl.plus), wrong),
                 lambda: queue.submit(3)):
        assert files(call)[-1:] == ["queue.py"]
        assert files(call).count("queue.py") == 1
        assert set(files(call)) == {HERE, "queue.py"}


def test_lines_of_a_command_group_stay(queue: sycl.queue) -> None:
    def group(h):
        h.single_task(lambda: None)
        h.parallel_for(4, wrong)
    found = files(lambda: queue.submit(group))
    assert found[-1] == HERE
    assert found.count("queue.py") == 1
    assert set(found) == {HERE, "queue.py"}


def test_all_is_shown_on_request(queue: sycl.queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNISYCL_TRACEBACK", "full")
    assert "specialize.py" in files(lambda: queue.parallel_for(4, wrong))


def test_what_others_raise_is_not_touched(queue: sycl.queue) -> None:
    def group(h):
        raise KeyError("mine")
    with pytest.raises(KeyError, match="mine") as found:
        queue.submit(group)
    names = [step.name for step in traceback.extract_tb(found.value.__traceback__)]
    assert names[-1] == "group"
    assert "run" in names
