"""Numbers of NumPy that a kernel makes of a literal: ``np.float32(2)``, ``np.int8(-1)``.

Making one takes as long as several operations, so a launch of many work-items makes it once.
Non-goals: what is computed of them. Invariants: the names are what they are at the launch, as for
all else that a kernel captures; what NumPy refuses is left to the work-item.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Collection
from types import FunctionType
from typing import Any

import numpy as np

from unisycl.backends.base import Geometry
from unisycl.backends.host.rewrite import Position, named, position
from unisycl.ir.function_uses import FunctionUse

MANY = 128
"""From how many work-items on it pays to rewrite a function."""

_KINDS = frozenset(np.dtype(code).type for code in "?bBhHiIlLqQefd")
Resolve = Callable[[FunctionType, ast.expr], Any]
Candidates = list[tuple[Position, ast.expr, int | float]]


def pays(geometry: Geometry) -> bool:
    """Say whether a launch has so many work-items that its functions should be rewritten."""
    items = math.prod(geometry.global_)
    return items * (math.prod(geometry.local) if geometry.kind == "work_group" else 1) >= MANY


def candidates(node: ast.AST, bound: Collection[str]) -> Candidates:
    """Return the calls with one literal in a function: where, what is called, the literal.

    Args:
        node: the tree of the function.
        bound: the names that it binds itself, which are no types.
    """
    found = []
    for call in ast.walk(node):
        if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords:
            continue
        literal = _literal(call.args[0])
        if literal is not None and not any(isinstance(x, ast.Name) and x.id in bound
                                           for x in ast.walk(call.func)):
            found.append((position(call), call.func, literal))
    return found


def written(function: FunctionType, found: Candidates, resolve: Resolve) -> dict[Position, Any]:
    """Return the numbers that a function makes of literals, by where they are made.

    Args:
        function: what has the names.
        found: its candidates.
        resolve: gives the object that a name or an attribute denotes in the function.
    """
    numbers = {}
    for where, callee, literal in found:
        kind: Any = resolve(function, callee)
        if isinstance(kind, type) and kind in _KINDS:
            try:
                with np.errstate(all="ignore"):
                    numbers[where] = kind(literal)
            except OverflowError:
                continue
    return numbers


def _literal(node: ast.expr) -> int | float | None:
    """Return the number, perhaps with a sign, that an expression is; None of others."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _literal(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
        return node.value  # type: ignore[return-value]
    return None


class Constants:
    """The numbers of a launch's functions.

    Args:
        cache: what the driver knows of functions; None where nothing is to be rewritten.
        bound: gives the names that a function binds itself.
        resolve: gives the object that a name or an attribute denotes in a function.
    """

    def __init__(self, cache: dict[Any, Any] | None, bound: Callable[[ast.AST], set[str]],
                 resolve: Resolve) -> None:
        self._cache, self._bound, self._resolve = cache, bound, resolve

    def of(self, function: FunctionType, use: FunctionUse) -> dict[Position, Any]:
        """Return the numbers that a function makes of literals, by where they are made."""
        if self._cache is None:
            return {}
        node = use.source.node
        found = self._cache.get((id(node), "literals"))
        if found is None:
            found = self._cache[id(node), "literals"] = candidates(node, self._bound(node))
        return written(function, found, self._resolve) if found else {}


def cells(numbers: dict[Position, Any]) -> dict[str, Any]:
    """Return numbers by the names that rewritten functions have for them."""
    return {name: numbers[where] for where, name in named(numbers).items()}
