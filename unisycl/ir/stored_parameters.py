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
    return _found(kernel, stores=True)


def used(kernel: n.Kernel) -> frozenset[int]:
    """Return the indices of the parameters that stand anywhere in a kernel."""
    return _found(kernel, stores=False)


def _found(kernel: n.Kernel, *, stores: bool) -> frozenset[int]:
    """Return the indices of all parameters, or of those that stand where something is stored."""
    found: set[int] = set()
    todo: list[Any] = list(kernel.body)
    while todo:
        node = todo.pop()
        if isinstance(node, n.Param):
            found.add(node.index)
        elif isinstance(node, tuple):
            todo += node
        elif stores and isinstance(node, n.Load | n.LoadMany):
            todo += (node.place.index, node.place.inner)
        elif stores and isinstance(node, n.Extent | n.Pitch | n.ParamRead):
            continue
        elif isinstance(node, n.Expr | n.Stmt | n.Place):
            todo += (getattr(node, f.name) for f in fields(node) if f.name not in _NO_NODES)
    return frozenset(found)
