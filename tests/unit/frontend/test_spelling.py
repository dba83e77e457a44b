"""Misspelt names."""

from __future__ import annotations

from unisycl.frontend import spelling


def test_close_names_are_suggested():
    assert "did you mean 'total'?" == spelling.suggest("totl", ["total", "other"])
    assert "otherwise" == spelling.suggest("xyz", ["total"], "otherwise")
