"""docs/builtins.md says what the table of builtins says, and what was measured of it."""

from __future__ import annotations

import pytest

from tests.property import accuracy, accuracy_page
from unisycl.ir.builtins import BUILTINS

PAGE = accuracy_page.PAGE.read_text(encoding="utf-8")


@pytest.mark.row("D-19", "D-20", "D-22")
def test_the_page_lists_the_functions_and_bounds_of_the_table() -> None:
    made = accuracy_page.text({}, 0, 0)
    assert accuracy_page.described(made) == accuracy_page.described(PAGE)
    listed = [row for row in BUILTINS.values() if accuracy_page.listed(row)]
    assert len(accuracy_page.described(PAGE)) == len(listed) > 120


@pytest.mark.row("D-20", "D-22")
def test_every_measured_function_is_within_its_bound_on_the_page() -> None:
    found = accuracy_page.measured(PAGE)
    for row in accuracy.measured():
        for type in accuracy.types_of(row):
            bound = max(row.bound.ulp({"float16": 16, "float32": 32, "float64": 64}[type]), 0.5)
            assert found[row.name, type] <= bound, (row.name, type)


def test_the_page_is_made_from_what_it_says() -> None:
    """``--docs`` for some functions keeps what was measured of the others."""
    counts = accuracy_page.counts(PAGE)
    assert accuracy_page.text(accuracy_page.measured(PAGE), *counts) == PAGE
