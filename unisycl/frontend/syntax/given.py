"""Syntax that the front end makes itself: values already lowered, and what is done in between.

Constructs whose meaning is that of other constructs are written as those, in trees of Python with
these two classes for what has no text. Non-goals: meanings. Invariant: a tree made here stands
where the user's does.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeVar

from unisycl.frontend.values.kind import Value

Tree = TypeVar("Tree", bound=ast.AST)


class Given(ast.expr):
    """An expression whose value is known already."""

    value: Value


class Asked(ast.expr):
    """An expression whose value a function finds out when its turn comes."""

    ask: Callable[[Any], Value]


class Do(ast.stmt):
    """A statement that does what a function does with the context."""

    do: Callable[[Any], None]


def given(value: Value, at: ast.AST) -> Given:
    """Return an expression for a value, where another one stands."""
    made = Given()
    made.value = value
    return ast.copy_location(made, at)


def asked(ask: Callable[[Any], Value], at: ast.AST) -> Asked:
    """Return an expression whose value a function of the context finds out."""
    made = Asked()
    made.ask = ask
    return ast.copy_location(made, at)


def doing(do: Callable[[Any], None], at: ast.AST) -> Do:
    """Return a statement that calls a function with the context."""
    made = Do()
    made.do = do
    return ast.copy_location(made, at)


def placed(tree: Tree, at: ast.AST) -> Tree:
    """Give every node of a tree that has no place the one of another tree."""
    for node in ast.walk(tree):
        if not hasattr(node, "lineno"):
            ast.copy_location(node, at)
    return tree
