"""What a launch of many work-items finds once: numbers of literals, and functions by their names.

Making ``np.float32(2)`` takes as long as several operations, and an object that is called, as
``sycl.dot`` is, longer than a function of Python's. Non-goals: what is computed of them.
Invariants: the names are what they are at the launch, as for all else that a kernel captures; what
NumPy refuses is left to the work-item.
"""

from __future__ import annotations

import ast
import math
import struct
from collections.abc import Callable, Collection
from types import FunctionType
from typing import Any

import numpy as np

from unisycl.backends.base import Geometry
from unisycl.backends.host.rewrite import Position, named, position
from unisycl.ir.function_uses import FunctionUse
from unisycl.lang.numbers.elements import elements_type
from unisycl.lang.numbers.math import builtin_function
from unisycl.lang.numbers.written import EXACT, make

MANY = 128
"""From how many work-items on it pays to rewrite a function, those of launches before included."""

_FLOAT32, _pack = np.dtype(np.float32), struct.Struct("f").pack
_KINDS = frozenset(np.dtype(code).type for code in "?bBhHiIlLqQefd")
Resolve = Callable[[FunctionType, ast.expr], Any]
Candidates = list[tuple[Position, ast.expr, str, int | float | None]]


def pays(geometry: Geometry, cache: dict[Any, Any]) -> bool:
    """Say whether there are so many work-items that functions should be rewritten.

    ``cache`` is what is known of the kernel, and counts those of all its launches.
    """
    items = math.prod(geometry.global_)
    items *= math.prod(geometry.local) if geometry.kind == "work_group" else 1
    items += cache.get("items", 0)
    cache["items"] = items
    return bool(items >= MANY)


def candidates(node: ast.AST, bound: Collection[str]) -> Candidates:
    """Return the calls in a function: where, what is called, its text, the literal it is given.

    Without a literal it is where what is called stands, and None.

    Args:
        node: the tree of the function.
        bound: the names that it binds itself, which are no types.
    """
    found = []
    for call in ast.walk(node):
        if not isinstance(call, ast.Call) or any(
                isinstance(x, ast.Name) and x.id in bound for x in ast.walk(call.func)):
            continue
        literal = _literal(call.args[0]) if len(call.args) == 1 and not call.keywords else None
        where = position(call if literal is not None else call.func)
        name = ast.unparse(call.func)
        found.append((where, call.func, name, literal))
        if literal is not None:
            found.append((position(call.func), call.func, name, None))
    return found


def written(function: FunctionType, found: Candidates, resolve: Resolve) -> dict[Position, Any]:
    """Return the numbers that a function makes of literals, and functions, by where they stand.

    Args:
        function: what has the names.
        found: its candidates.
        resolve: gives the object that a name or an attribute denotes in the function.
    """
    numbers: dict[Position, Any] = {}
    known: dict[str, Any] = {}
    for where, callee, name, literal in found:
        if name not in known:
            known[name] = resolve(function, callee)
        kind: Any = known[name]
        if literal is None:
            quick = quickly(kind)
            if quick is not None:
                numbers[where] = quick
        elif isinstance(kind, type) and kind in _KINDS:
            try:
                with np.errstate(all="ignore"):
                    numbers[where] = kind(literal)
            except OverflowError:
                continue
    return numbers


def quickly(called: Any) -> Callable[..., Any] | None:
    """Return a function of Python's that does what an object does when it is called; None if none.

    An object's class takes a third of a microsecond to find its ``__call__``.
    """
    if called.__class__ is builtin_function:
        return called.quick
    if called is np.float32:
        return _float32
    return called.quickly if isinstance(called, elements_type) and hasattr(called, "count") \
        else None


def _float32(number: Any = 0.0) -> Any:
    """Return ``np.float32`` of a number, for Python's plain ones in half the time."""
    kind = number.__class__
    if kind is float or (kind is int and -EXACT <= number <= EXACT):
        try:
            return make(_FLOAT32, _pack(number))
        except OverflowError:
            pass
    return np.float32(number)


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
        self._known: dict[FunctionType, dict[Position, Any]] = {}

    def of(self, function: FunctionType, use: FunctionUse) -> dict[Position, Any]:
        """Return the numbers that a function makes of literals, by where they are made."""
        if self._cache is None:
            return {}
        known = self._known.get(function)
        if known is None:
            known = self._known[function] = self._find(self._cache, function, use)
        return known

    def _find(self, cache: dict[Any, Any], function: FunctionType,
              use: FunctionUse) -> dict[Position, Any]:
        node = use.source.node
        found = cache.get((id(node), "literals"))
        if found is None:
            found = cache[id(node), "literals"] = candidates(node, self._bound(node))
        return written(function, found, self._resolve) if found else {}


def cells(numbers: dict[Position, Any]) -> dict[str, Any]:
    """Return numbers by the names that rewritten functions have for them."""
    return {name: numbers[where] for where, name in named(numbers).items()}
