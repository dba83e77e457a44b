"""Launches go to both forms of a kernel's code by turns, and the faster one stays."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

import unisycl as sycl
from unisycl.backends.cpu import executable
from unisycl.backends.cpu.pool import trials
from unisycl.backends.cpu.pool.pace import Pace
from unisycl.backends.cpu.pool.trials import ENOUGH_NS, Trial


@dataclass
class Plan:
    pace: Pace | None = field(default_factory=Pace)


def decisions(took: dict[str, int], launches: int = 40) -> tuple[list[str], list[bool]]:
    """Return which form each launch took, the rival's name being "other", and what was decided."""
    plans = {"mine": Plan(), "other": Plan()}
    told: list[bool] = []
    trial: Trial[str] = Trial(lambda: "other", told.append)
    forms = []
    for _ in range(launches):
        form = trial.pick("mine", plans["mine"], 1, lambda form: plans[form].pace)
        pace = plans[form].pace
        assert pace is not None
        pace.note(took[form])
        forms.append(form)
    return forms, told


def test_the_faster_form_stays() -> None:
    forms, told = decisions({"mine": ENOUGH_NS // 9, "other": ENOUGH_NS // 20})
    assert told == [True]
    assert forms[:9] == ["mine"] * 9
    assert set(forms[-20:]) == {"other"}
    forms, told = decisions({"mine": ENOUGH_NS // 9, "other": ENOUGH_NS // 10})
    assert told == [False]
    assert set(forms[-20:]) == {"mine"}
    assert forms.count("other") <= 5


def test_a_form_that_is_slower_by_far_runs_once() -> None:
    forms, told = decisions({"mine": ENOUGH_NS, "other": 9 * ENOUGH_NS})
    assert told == [False]
    assert forms.count("other") == 1


def test_short_launches_and_other_sizes_try_nothing() -> None:
    forms, told = decisions({"mine": trials.LEAST_NS - 1, "other": 1}, 3000)
    assert set(forms) == {"mine"}
    assert not told
    trial: Trial[str] = Trial(lambda: "other", told.append)
    pace = Pace()
    for took in (9 * ENOUGH_NS, ENOUGH_NS, ENOUGH_NS):
        pace.note(took)
    assert trial.pick("mine", Plan(pace), 1, lambda _: Pace()) == "mine"
    assert trial.rival is None
    pace.note(ENOUGH_NS // 4 + 1)
    picked = [trial.pick("mine", Plan(pace), where, lambda _: Pace()) for where in (1, 2, 2, 1)]
    assert picked == ["mine", "mine", "mine", "other"]


def test_both_forms_of_a_kernel_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = sycl.queue("cpu")
    monkeypatch.setattr(trials, "ENOUGH_NS", 1)
    monkeypatch.setattr(trials, "LEAST_NS", 1)
    monkeypatch.setattr(trials, "_FAR", 1e9)
    made = []
    compile_kernel = executable.compile_kernel

    def noted(*what):  # type: ignore[no-untyped-def]
        made.append(compile_kernel(*what))
        return made[-1]
    monkeypatch.setattr(executable, "compile_kernel", noted)
    steps, ends = np.zeros(77, np.int32), np.zeros((77, 5), np.float32)

    @sycl.kernel
    def collatz(i, steps, ends):  # type: ignore[no-untyped-def]
        n, count = int(i[0]) + 1, 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        steps[i] = count
        for k in range(count % 5):
            ends[i, k] = (np.float32(i[0]) + k) / 3
    forms = set()
    for _ in range(12):
        steps[:], ends[:] = 0, 0
        queue.parallel_for(77, collatz, steps, ends).wait()
        forms.add((steps.tobytes(), ends.tobytes()))
    assert len(forms) == 1
    assert steps[[0, 1, 2, 26]].tolist() == [0, 1, 7, 111]
    assert [x.lanes for x in made][-1] == 1
