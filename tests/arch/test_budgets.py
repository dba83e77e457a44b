"""Sizes: a file has at most 600 lines, a function 60, a line 100 characters."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

from tests.arch.sources import Source, all_sources

FILE_LINES = 600
FUNCTION_LINES = 60
LINE_LENGTH = 100

_TOML = tomllib.loads((Path(__file__).parent / "budget.toml").read_text(encoding="utf-8"))
EXCEPTIONS: dict[str, int] = {e["what"]: e["limit"] for e in _TOML.get("exception", [])}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def length(function: Function) -> int:
    """Return the lines of a function without its docstring and decorators."""
    doc = function.body[0] if ast.get_docstring(function) else None
    spent = (doc.end_lineno or 0) - doc.lineno + 1 if doc else 0
    return (function.end_lineno or 0) - function.lineno + 1 - spent


def sizes(source: Source) -> dict[str, int]:
    """Return what a file holds that has a budget, with its size over its usual limit."""
    found = {source.name: (source.text.count("\n"), FILE_LINES)}
    for node in ast.walk(source.tree):
        if isinstance(node, Function):
            found[f"{source.name}:{node.name}"] = (length(node), FUNCTION_LINES)
    return {k: size for k, (size, limit) in found.items() if size > limit}


def test_nothing_exceeds_its_budget() -> None:
    over = {k: n for s in all_sources() for k, n in sizes(s).items()}
    assert {k: n for k, n in over.items() if n > EXCEPTIONS.get(k, 0)} == {}
    assert sorted(set(EXCEPTIONS) - set(over)) == [], "no longer needed"


def test_no_line_is_too_long() -> None:
    long = [f"{s.name}:{n}" for s in all_sources() for n, line in enumerate(s.text.splitlines(), 1)
            if len(line) > LINE_LENGTH]
    assert long == []


def test_every_exception_has_a_reason() -> None:
    assert [e["what"] for e in _TOML.get("exception", []) if not e.get("reason")] == []
