"""Which parameters a kernel stores to.

Non-goals: what it stores. Invariant: a parameter whose use is not plainly a load counts as stored
to.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from unisycl.ir import nodes as n

_NO_NODES = frozenset(("type", "span", "local", "op"))


def stored(kernel: n.Kernel) -> frozenset[int]:
    """Return the indices of the parameters that a kernel may write to."""
    found: set[int] = set()
    todo: list[Any] = list(kernel.body)
    while todo:
        node = todo.pop()
        if isinstance(node, n.Param):
            found.add(node.index)
        elif isinstance(node, tuple):
            todo += node
        elif isinstance(node, n.Load | n.LoadMany):
            todo += (node.place.index, node.place.inner)
        elif not isinstance(node, n.Extent | n.Pitch | n.ParamRead) and isinstance(
                node, n.Expr | n.Stmt | n.Place):
            todo += (getattr(node, f.name) for f in fields(node) if f.name not in _NO_NODES)
    return frozenset(found)


def used(kernel: n.Kernel) -> frozenset[int]:
    """Return the indices of the parameters that stand anywhere in a kernel."""
    found: set[int] = set()
    todo: list[Any] = list(kernel.body)
    while todo:
        node = todo.pop()
        if isinstance(node, n.Param):
            found.add(node.index)
        elif isinstance(node, tuple):
            todo += node
        elif isinstance(node, n.Expr | n.Stmt | n.Place):
            todo += (getattr(node, f.name) for f in fields(node) if f.name not in _NO_NODES)
    return frozenset(found)
