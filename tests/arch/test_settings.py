"""A setting is one row of ``base/settings.py``: all else is made from it."""

from __future__ import annotations

import ast
import re

from tests.arch.settings_page import PAGE, page_text
from tests.arch.sources import ROOT, package_sources
from unisycl.base import settings

_NAME = re.compile(r"(?<![\w-])_?UNISYCL_[A-Z]\w*")
_OTHERS = {"UNISYCL_OBJECT"}  # a macro of OpenCL C


def test_the_page_is_made_of_the_rows(update_golden: bool) -> None:
    if update_golden:
        PAGE.write_text(page_text(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page_text(), "do: python -m tests.arch.settings_page"


def test_every_setting_that_is_named_is_a_row() -> None:
    """In code, comments and texts of the package, and in the pages for users."""
    texts = {source.name: source.text for source in package_sources()
             if source.module != "base.settings"}
    texts |= {page.name: page.read_text(encoding="utf-8")
              for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")] if page != PAGE}
    wrong = [(name, word) for name, text in texts.items() for word in _NAME.findall(text)
             if word not in settings.VARIABLES and word not in _OTHERS]
    assert [] == wrong
    assert "UNISYCL_DEVICE" in _NAME.findall(texts["README.md"] + texts["opencl.md"])


def test_settings_are_read_through_their_rows() -> None:
    """No string beside the rows is the name of one: no other place can read it."""
    found = [f"{source.name}:{node.lineno}" for source in package_sources()
             if source.module != "base.settings" for node in ast.walk(source.tree)
             if isinstance(node, ast.Constant) and isinstance(node.value, str)
             and _NAME.fullmatch(node.value)]
    assert [] == found


def test_each_row_says_what_it_takes_and_where_it_is_empty() -> None:
    for row in settings.VARIABLES.values():
        assert _NAME.fullmatch(row.name)
        assert row.doc.endswith("."), row.name
        assert row.values, row.name
        assert row.unset, row.name
        row.parse("")  # as if it were not set
