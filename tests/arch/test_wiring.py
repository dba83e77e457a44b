"""No module changes another one while it is imported; decorators register what is new."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.arch.sources import Source, package_sources

_CHANGES = frozenset(("add", "append", "extend", "insert", "setdefault", "update"))


def _root(node: ast.expr) -> str:
    """Return the name that an attribute or an element belongs to."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _changed(stmt: ast.stmt) -> Iterator[str]:
    """Return the names whose parts a statement changes: by assignment or a method of containers."""
    targets: list[ast.expr] = []
    if isinstance(stmt, ast.Assign):
        targets = stmt.targets
    elif isinstance(stmt, ast.AugAssign | ast.AnnAssign):
        targets = [stmt.target]
    elif isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call):
        call = stmt.value
        if isinstance(call.func, ast.Attribute) and call.func.attr in _CHANGES:
            targets = [call.func]
        elif isinstance(call.func, ast.Name) and call.func.id == "setattr":
            targets = [ast.Attribute(call.args[0])]
    yield from (_root(t) for t in targets if isinstance(t, ast.Attribute | ast.Subscript))


def wired(tree: ast.Module) -> list[int]:
    """Return the lines at a module's top that change what it imports."""
    imported = {(alias.asname or alias.name).partition(".")[0] for stmt in tree.body
                if isinstance(stmt, ast.Import | ast.ImportFrom) for alias in stmt.names}
    top: list[ast.stmt] = []
    for stmt in tree.body:
        nested = isinstance(stmt, ast.If | ast.For | ast.With | ast.Try | ast.While)
        top += [s for s in ast.walk(stmt) if isinstance(s, ast.stmt)] if nested else [stmt]
    return [stmt.lineno for stmt in top if any(name in imported for name in _changed(stmt))]


def test_no_module_changes_another_while_it_is_imported() -> None:
    def told(source: Source) -> list[str]:
        return [f"{source.name}:{line}" for line in wired(source.tree)]
    assert [place for source in package_sources() for place in told(source)] == []


def test_the_ways_to_change_another_module_are_found() -> None:
    given = ["from a import B, T, c", "B.x = 1", "T['k'] = 2", "T.update(k=2)", "c.d.append(3)",
             "setattr(B, 'y', 4)", "for k in T:", "    T[k] = 5", "own = {}", "own['k'] = 6",
             "own.update(k=6)", "def f():", "    B.x = 7"]
    assert wired(ast.parse("\n".join(given))) == [2, 3, 4, 5, 6, 8]
