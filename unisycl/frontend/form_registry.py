"""Which functions have a meaning of their own in kernels: ``@form(function)`` above its lowering.

Non-goals: which modules have forms (``lookup``), functions with a row in the table of builtins.
Invariant: a form is found by the function itself, so nothing of the same name is taken for it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType, GenericAlias
from typing import Any, TypeAlias, TypeVar

from unisycl.frontend.context import Context
from unisycl.frontend.values.kind import Value

Lower: TypeAlias = Callable[[Context, ast.Call], Value]
_Lower = TypeVar("_Lower", bound=Lower)

FORMS: dict[int, tuple[Any, Lower]] = {}
"""Functions and their lowerings, by the function's identity; the function is kept alive."""


def form(*functions: Any) -> Callable[[_Lower], _Lower]:
    """Decorate the lowering of calls of these functions, each the object that kernels call.

    A lowering that a factory makes is registered where it is made: ``form(min)(_extreme("min"))``.
    """
    def register(lower: _Lower) -> _Lower:
        for function in functions:
            assert id(function) not in FORMS, f"{function!r} has a form"
            FORMS[id(function)] = (function, lower)
        return lower
    return register


def registered(function: Any) -> Lower | None:
    """Return the lowering of calls of a function; ``list[int]`` has that of ``list``."""
    if type(function) is GenericAlias:
        function = function.__origin__
    found = FORMS.get(id(function))
    return None if found is None else found[1]


def in_kernel_language(function: FunctionType) -> bool:
    """Say whether a function is ours and compiled as a user's is: its module is marked so."""
    return "__kernel_language__" in function.__globals__ and home(function)[0] == "unisycl"


def home(function: FunctionType) -> list[str]:
    """Return the parts of the name of the module that a function's text stands in.

    ``__module__`` may be another one's, by ``functools.wraps``.
    """
    return str(function.__globals__.get("__name__", "")).split(".")
