"""Captured objects that are made of others: partial functions and tuples with names.

Non-goals: what is done with them (``choices``, ``instances``). Invariant: each part is captured by
a path of its own, so that a kernel depends on nothing but what it uses.
"""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Any

from unisycl.frontend.values import Instance, Partial, Path, Value

if TYPE_CHECKING:
    from unisycl.frontend.context import Context


def is_named(cls: object) -> bool:
    """Say whether an object is a class that ``NamedTuple`` or ``namedtuple`` made."""
    return isinstance(cls, type) and issubclass(cls, tuple) and isinstance(
        getattr(cls, "_fields", None), tuple)


def captured(ctx: Context, path: Path, obj: Any, name: str, node: ast.AST) -> Value | None:
    """Return the value of such an object; None for any other."""
    def part(steps: Path, value: Any, label: str, *, frozen: bool = True) -> Value:
        return ctx.capture((*path, *steps), value, label, node, frozen=frozen)

    if is_named(type(obj)):
        items = tuple(part((("item", k),), v, f"{name}.{f}")
                      for k, (f, v) in enumerate(zip(obj._fields, obj, strict=True)))
        return Instance(type(obj), tuple(obj._fields), items)
    if not isinstance(obj, functools.partial):
        return None
    ctx.guard((*path, ("attr", "args")), obj.args)
    args = tuple(part((("attr", "args"), ("item", k)), v, f"{name}[{k}]")
                 for k, v in enumerate(obj.args))
    if obj.keywords:
        ctx.guard((*path, ("attr", "keywords")), obj.keywords, frozen=True)
    named = tuple((k, part((("attr", "keywords"), ("item", k)), v, k))
                  for k, v in obj.keywords.items())
    return Partial(part((("attr", "func"),), obj.func, name, frozen=False), args, named)
