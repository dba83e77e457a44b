"""The list of conformance rows, and the markers that name them."""

from __future__ import annotations

import ast
import re
from collections import Counter

from tests.arch.sources import Source, all_sources
from unisycl.testing import load_rows, load_sections

COUNTS = {"X": 15, "A": 37, "B": 52, "C": 34, "D": 63, "E": 40, "F": 25, "G": 25, "H": 22, "I": 18,
          "J": 12, "K": 16, "L": 24, "M": 12,
          "P": 16, "Q": 10, "R": 10}


def test_the_list_of_rows_is_whole() -> None:
    assert COUNTS == Counter(row.split("-")[0] for row in load_rows())
    for letter, count in COUNTS.items():
        assert all(f"{letter}-{n}" in load_rows() for n in range(1, count + 1))
    assert list(COUNTS) == list(load_sections())


def test_titles_are_short_and_unique() -> None:
    titles = load_rows().values()
    assert [t for t in titles if not 0 < len(t) <= 52] == []
    assert [t for t, n in Counter(titles).items() if n > 1] == []


def rows_named(source: Source) -> list[str]:
    """Return the arguments of every ``mark.row(...)`` and ``mark.part(...)`` in a file."""
    calls = [n for n in ast.walk(source.tree) if isinstance(n, ast.Call)
             and isinstance(n.func, ast.Attribute) and n.func.attr in ("row", "part")]
    return [a.value for c in calls for a in c.args
            if isinstance(a, ast.Constant) and isinstance(a.value, str)]


def test_every_row_named_in_a_test_exists() -> None:
    wrong = [f"{s.name}: {row}" for s in all_sources() if s.name.startswith("tests/")
             for row in rows_named(s)
             if re.fullmatch(r"[A-Z]+-\d+", row) and row not in load_rows()]
    assert wrong == []
