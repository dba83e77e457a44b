"""Names in syntax trees: which ones statements bind.

Non-goals: values. Invariant: names of inner functions are not those of the outer one.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence
from typing import NamedTuple


def stored_names(stmts: Sequence[ast.stmt]) -> frozenset[str]:
    """Return the names statements bind in their own function."""
    return _names(stmts).found


class _Names(NamedTuple):
    """What statements say of names.

    ``found`` they bind; ``declared`` to be the module's; ``outer`` to be those of a function
    around theirs, ``lent`` in functions inside them; ``once`` a single ``name = value`` binds.
    """

    found: frozenset[str]
    declared: frozenset[str]
    outer: frozenset[str]
    lent: frozenset[str]
    once: frozenset[str]


_NONE = _Names(*[frozenset[str]()] * 5)


def _below(node: ast.AST) -> list[ast.AST]:
    """Return the nodes directly below one: a list, since all of a kernel's text is walked."""
    found: list[ast.AST] = []
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, list):
            found += [x for x in value if isinstance(x, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def _names(stmts: Sequence[ast.stmt]) -> _Names:
    """Return what statements say of names, in one walk."""
    count: dict[str, int] = {}
    other: set[str] = set()
    plain: set[str] = set()
    declared: set[str] = set()
    outer: set[str] = set()
    inner: list[tuple[ast.AST, bool]] = []
    todo: list[ast.AST] = list(stmts)
    while todo:
        node = todo.pop()
        match node:
            case ast.Name():
                if isinstance(node.ctx, ast.Store):
                    count[node.id] = count.get(node.id, 0) + 1
                continue
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                other.add(node.name)
                inner.append((node, False))
                continue
            case ast.Lambda():
                continue
            case ast.Import() | ast.ImportFrom():
                other.update(a.asname or a.name.split(".")[0] for a in node.names)
            case ast.Global():
                other.update(node.names)
                declared.update(node.names)
            case ast.Nonlocal():
                other.update(node.names)
                outer.update(node.names)
            case ast.MatchAs() | ast.MatchStar() if node.name:
                count[node.name] = count.get(node.name, 0) + 1
                plain.add(node.name)
            case ast.Assign() | ast.AnnAssign():
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                plain.update(t.id for t in targets if isinstance(t, ast.Name))
        todo += _below(node)
    more, lent = _nonlocals(inner)
    return _Names(frozenset(other.union(count)), frozenset(declared), frozenset(outer | more),
                  frozenset(lent), frozenset(x for x in plain if count.get(x) == 1))


def _nonlocals(todo: list[tuple[ast.AST, bool]]) -> tuple[set[str], set[str]]:
    """Return what classes, and functions, declare to be names of a function around them."""
    found: tuple[set[str], set[str]] = (set(), set())
    while todo:
        node, inside = todo.pop()
        if isinstance(node, ast.Nonlocal):
            found[inside].update(node.names)
        inside = inside or isinstance(node, ast.FunctionDef)
        if not isinstance(node, ast.expr):
            todo += [(child, inside) for child in _below(node)]
    return found


@functools.lru_cache(maxsize=1024)
def loop_names(loop: ast.For) -> frozenset[str]:
    """Return the names the body of a loop binds."""
    return stored_names(loop.body)


@functools.lru_cache(maxsize=1024)
def _in_function(function: ast.FunctionDef | ast.Lambda) -> _Names:
    return _names(function.body) if isinstance(function, ast.FunctionDef) else _NONE


def global_names(function: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """Return the names a function declares to be those of its module."""
    return _in_function(function).declared


def nonlocal_names(function: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """Return the names a function declares to be those of a function around it."""
    return _in_function(function).outer


def lent_names(function: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """Return the names that functions inside a function bind in one around them."""
    return _in_function(function).lent


@functools.lru_cache(maxsize=1024)
def function_names(function: ast.FunctionDef | ast.Lambda) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names a function binds, and those that a single ``name = value`` binds."""
    found, spec = _in_function(function), function.args
    given = {a.arg for a in [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]}
    return (found.found - found.declared - found.outer) | (given & found.lent), \
        found.once - given - found.lent


@functools.lru_cache(maxsize=1024)
def returns_early(function: ast.FunctionDef | ast.Lambda) -> bool:
    """Say whether a function may return elsewhere than at the end of its text."""
    todo: list[ast.AST] = [] if isinstance(function, ast.Lambda) else list(function.body)
    if todo and isinstance(todo[-1], ast.Return):
        todo.pop()
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Return):
            return True
        if not isinstance(node, ast.FunctionDef | ast.expr):
            todo += _below(node)
    return False
