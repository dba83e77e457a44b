"""Mutants are what they say, and change nothing but one function."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutation import mutants
from tests.mutation.lines import Map

TEXT = '''
"""A text."""
class Box:
    def least(self, a: int | None, b=1) -> int:
        """Another text."""
        assert a != 3
        if a < b and not self.empty:
            return a + 2
        self.seen = True
        return b
'''


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[mutants.Mutant]:
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    (tmp_path / "box.py").write_text(TEXT, encoding="utf-8")
    return list(mutants.mutants_of(tmp_path / "box.py"))


def test_each_place_is_changed_in_each_way(made: list[mutants.Mutant]) -> None:
    condition = "if a < b and (not self.empty):"
    wanted = {
        (condition, "if a < b or not self.empty:"), (condition, "if not self.empty:"),
        (condition, "if a < b:"), (condition, "if True:"), (condition, "if False:"),
        (condition, "if a <= b and (not self.empty):"), (condition, "if a < b and self.empty:"),
        ("return a + 2", "return None"), ("return a + 2", "return a - 2"),
        ("return a + 2", "return a + 3"), ("self.seen = True", "pass"),
        ("self.seen = True", "self.seen = False"), ("return b", "return None")}
    assert wanted == {(m.before, m.after) for m in made}
    assert len(wanted) == len(made)
    assert {("Box.least", 4)} == {m.function for m in made}


def test_the_code_of_a_mutant_has_its_change_alone(made: list[mutants.Mutant]) -> None:
    found = {}
    for mutant in made:
        space: dict[str, object] = {}
        exec(TEXT, space)  # noqa: S102 - the text above
        code = mutants.mutated(mutant)
        assert code is not None
        box = space["Box"]
        box.least.__code__ = code  # type: ignore[attr-defined]
        one = box()  # type: ignore[operator]
        one.empty, one.seen = False, None
        found[mutant.after] = [one.least(0), one.least(1), one.least(2)], one.seen
    assert found["return a + 3"] == ([3, 1, 1], True)
    assert found["if a <= b and (not self.empty):"] == ([2, 3, 1], True)
    assert found["pass"] == ([2, 1, 1], None)
    assert found["self.seen = False"] == ([2, 1, 1], False)


def test_tests_of_the_module_and_one_case_of_each_come_first(made: list[mutants.Mutant]) -> None:
    known = Map()
    line = {"box.py": [7, 8]}
    for name, seconds in (("tests/a.py::test_x[1]", 0.1), ("tests/a.py::test_x[2]", 0.1),
                          ("tests/b.py::test_y", 0.2), ("tests/unit//test_box.py::test_z", 3.0)):
        known.add(name, seconds, line)
    known.add("tests/c.py::test_other", 0.0, {"box.py": [10]})
    chosen = [m for m in made if m.before == "return a + 2"][0]
    assert ([3, 0, 2, 1], 4) == known.chosen(chosen, 10)
    assert ([3], 4) == known.chosen(chosen, 3.05)
    last = next(m for m in made if m.before == "return b")
    assert ([4], 1) == known.chosen(last, 10)
