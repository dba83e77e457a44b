"""Names in syntax trees: which ones statements bind.

Non-goals: values. Invariant: names of inner functions are not those of the outer one.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Sequence


def stored_names(stmts: Sequence[ast.stmt]) -> frozenset[str]:
    """Return the names statements bind in their own function."""
    return _names(stmts)[0]


def _names(stmts: Sequence[ast.stmt]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names statements bind, and those among them declared to be the module's."""
    found: set[str] = set()
    declared: set[str] = set()
    todo: list[ast.AST] = list(stmts)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
            continue
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.update(a.asname or a.name.split(".")[0] for a in node.names)
        if isinstance(node, ast.Global | ast.Nonlocal):
            found.update(node.names)
        if isinstance(node, ast.Global):
            declared.update(node.names)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            found.add(node.name)
        todo.extend(ast.iter_child_nodes(node))
    return frozenset(found), frozenset(declared)


@functools.lru_cache(maxsize=1024)
def loop_names(loop: ast.For) -> frozenset[str]:
    """Return the names the body of a loop binds."""
    return stored_names(loop.body)


@functools.lru_cache(maxsize=1024)
def _in_function(function: ast.FunctionDef | ast.Lambda) -> tuple[frozenset[str], frozenset[str]]:
    return _names(function.body if isinstance(function, ast.FunctionDef) else [])


def global_names(function: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """Return the names a function declares to be those of its module."""
    return _in_function(function)[1]


@functools.lru_cache(maxsize=1024)
def nonlocal_names(function: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """Return the names a function declares to be those of a function around it."""
    return frozenset(_nonlocals(function, inner=False))


@functools.lru_cache(maxsize=1024)
def lent_names(function: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """Return the names that functions inside a function bind in one around them."""
    return frozenset(_nonlocals(function, inner=True))


def _nonlocals(function: ast.FunctionDef | ast.Lambda, *, inner: bool) -> Iterable[str]:
    todo = [(node, False) for node in ast.iter_child_nodes(function)]
    while todo:
        node, inside = todo.pop()
        if isinstance(node, ast.Nonlocal) and inside == inner:
            yield from node.names
        inside = inside or isinstance(node, ast.FunctionDef)
        todo.extend((child, inside) for child in ast.iter_child_nodes(node))


@functools.lru_cache(maxsize=1024)
def function_names(function: ast.FunctionDef | ast.Lambda) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names a function binds, and those that a single ``name = value`` binds."""
    found, declared = _in_function(function)
    spec, lent = function.args, lent_names(function)
    given = {a.arg for a in [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]}
    return (found - declared - nonlocal_names(function)) | (given & lent), \
        _bound_once(function) - lent


def _bound_once(function: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    if isinstance(function, ast.Lambda):
        return frozenset()
    spec = function.args
    parameters = {a.arg for a in [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]}
    plain: set[str] = set()
    count: dict[str, int] = {}
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            count[node.id] = count.get(node.id, 0) + 1
        if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            count[node.name] = count.get(node.name, 0) + 1
            plain.add(node.name)
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            plain.update(t.id for t in targets if isinstance(t, ast.Name))
        todo.extend(ast.iter_child_nodes(node))
    return frozenset(name for name in plain - parameters if count[name] == 1)


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
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            todo.extend(ast.iter_child_nodes(node))
    return False
