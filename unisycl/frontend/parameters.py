"""Matching the arguments of a call to named parameters, as Python does.

Non-goals: what the callee means. Invariant: a call that Python would refuse is refused here, with
the callee's name and what it takes.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from unisycl.frontend.values.kind import Lowering, Value


def parameters(ctx: Lowering, node: ast.Call, what: str, required: Sequence[str],
               optional: Sequence[str] = ()) -> dict[str, Value]:
    """Lower the arguments of a call of a known function and name them."""
    values = ctx.operands(*node.args, *(k.value for k in node.keywords))
    count = len(node.args)
    named = {str(k.arg): v for k, v in zip(node.keywords, values[count:], strict=True)}
    return match(ctx, node, what, values[:count], named, required, optional)


def match(ctx: Lowering, node: ast.AST, what: str, args: Sequence[Value], named: dict[str, Value],
          required: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Value]:
    """Name arguments already lowered."""
    names = [*required, *optional]
    found = dict(zip(names, args, strict=False))
    wrong = [k for k in named if k not in names or k in found]
    missing = [k for k in required if k not in found and k not in named]
    if len(args) > len(names) or wrong or missing:
        given = f"'{wrong[0]}'" if wrong else len(args) + len(named)
        raise ctx.refuse("K034", node, what=f"'{what}'", expected=spell(required, optional),
                         found=given)
    return found | named


def default_steps(function: FunctionType, names: Sequence[str]) -> dict[str, tuple[str, Any]]:
    """Return which parameters of a function have a default now, and the step that leads to it.

    ``names`` are those that can be given by position. Programs may assign other defaults than the
    text has, so they count from the last parameter, as Python does.
    """
    count = min(len(function.__defaults__ or ()), len(names))
    found: dict[str, tuple[str, Any]] = {
        names[k]: ("default", k) for k in range(-count, 0)}
    return found | {name: ("kwdefault", name) for name in function.__kwdefaults__ or {}}


def spell(required: Sequence[str], optional: Sequence[str] = ()) -> str:
    """Return parameters as documentation writes them: (a, b[, c])."""
    text = ", ".join(required)
    for k, name in enumerate(optional):
        text += f"[, {name}" if (text and not k) or k else f"[{name}"
    return f"({text}{']' * len(optional)})"
