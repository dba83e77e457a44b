"""What the corpus has in ISPC fits the launches that it stands for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench import ispc as command
from bench.corpus import catalogue, ispc, peers
from bench.corpus.frame import Local, Nd


def parameters(family: str) -> dict[str, int]:
    """Return how many parameters each exported function takes."""
    text = Path(family).with_suffix(".ispc").read_text(encoding="utf-8")
    return {name: given.count(",") + 1
            for name, given in re.findall(r"^export void (\w+)\(([^)]*)\)", text, re.MULTILINE)}


def test_functions_in_ispc_take_what_their_steps_have() -> None:
    used = set()
    for name, form in catalogue.rows([]):
        entry, family = catalogue.entries()[name]
        if not command.written(name, form):
            continue
        taken = parameters(family.__file__)
        for step in ispc.steps_of(entry, family, entry.make(entry.small), form):
            extent = step.space.extent if isinstance(step.space, Nd) else step.space
            given = len(extent) + sum(not isinstance(a, Local) for a in step.args)
            assert taken[ispc.name_of(step)] == given, (name, form)
            used.add((family.__file__, ispc.name_of(step)))
    there = {(f.__file__, name) for f in catalogue.families().values()
             for name in ispc.exported(f.__file__)}
    assert used == there


def test_guarded_twins_are_compared_with_guarded_ones_only() -> None:
    assert command.written("classes.heat", "guarded")
    assert not command.written("examples.stencil", "guarded")


def test_without_ispc_its_peers_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ispc.WHERE, "/nowhere/ispc")
    assert "--ispc" in peers.lacks("ispc_wide")
    assert peers.lacks("numba") == "" or "extra" in peers.lacks("numba")
