"""Names in syntax trees: which ones statements bind, and which one a misspelt name resembles.

Non-goals: values. Invariant: names of inner functions are not those of the outer one.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Sequence


def stored_names(stmts: Sequence[ast.stmt]) -> frozenset[str]:
    """Return the names statements bind in their own function."""
    found: set[str] = set()
    todo: list[ast.AST] = list(stmts)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
            continue
        if isinstance(node, ast.Lambda | ast.ClassDef):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        todo.extend(ast.iter_child_nodes(node))
    return frozenset(found)


def suggest(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return a question that names the closest known name, or ``otherwise``."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f"did you mean '{near[0]}'?" if near else otherwise
