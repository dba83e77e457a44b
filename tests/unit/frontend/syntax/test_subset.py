"""Every class of Python's syntax is lowered somewhere or refused by name."""

from __future__ import annotations

import ast

from unisycl.base import diagnostics
from unisycl.frontend.syntax import access, call, compare, expr, generators, stmt, subset

LOWERED = {c.__name__ for table in (expr.LOWER, compare.LOWER, access.LOWER, call.LOWER, stmt.LOWER,
                                generators.LOWER)
           for c in table}
HANDLED = {"Global", "Nonlocal"}  # by their names, in refusal()
IN_PART = {"Try", "With"}  # what has no way out in between, and what changes nothing of a kernel


def classes(base):
    return {c.__name__ for c in base.__subclasses__() if c.__module__ in ("ast", "_ast")} - {
        "Num", "Str", "Bytes", "NameConstant", "Ellipsis"}


def test_every_statement_is_lowered_or_refused():
    assert classes(ast.stmt) <= LOWERED | set(subset.STATEMENTS) | HANDLED


def test_every_expression_is_lowered_or_refused():
    assert classes(ast.expr) <= LOWERED | set(subset.EXPRESSIONS)


def test_nothing_is_both():
    assert LOWERED & (set(subset.STATEMENTS) | set(subset.EXPRESSIONS)) == IN_PART


def test_every_refusal_has_its_diagnostic():
    for id, facts in [*subset.STATEMENTS.values(), *subset.EXPRESSIONS.values()]:
        assert id in diagnostics.ids()
        assert diagnostics.diagnostic(id, None, **facts).message
