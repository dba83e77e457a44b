"""Captured objects made of others, partial functions and tuples with names, and constants.

Non-goals: what is done with them (``chosen_functions``, ``instances``). Invariant: each part is
captured by a path of its own, so that a kernel depends on nothing but what it uses.
"""

from __future__ import annotations

import ast
import functools
from typing import Any

from unisycl.frontend import captures, coerce
from unisycl.frontend.values.kind import Lowering, Path, Value
from unisycl.frontend.values.kinds import Instance, Partial
from unisycl.ir import nodes as n


def is_named(cls: object) -> bool:
    """Say whether an object is a class that ``NamedTuple`` or ``namedtuple`` made."""
    return isinstance(cls, type) and issubclass(cls, tuple) and isinstance(
        getattr(cls, "_fields", None), tuple)


def captured(ctx: Lowering, path: Path, obj: Any, name: str, node: ast.AST) -> Value | None:
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


def constant(ctx: Lowering, value: Value) -> n.Const | None:
    """Return a number known while compiling, computed from captured ones if need be."""
    match value:
        case n.Const():
            return value
        case n.ParamRead() if value.type.weak and value.param.path:
            obj = captures.fetch(value.param.path, ctx.function, ctx.arguments)
            if isinstance(obj, captures.Later):
                return None
            ctx.guard(value.param.path, obj, frozen=True)
            return coerce.weak_scalar(obj)
        case n.Read() if value.type.weak and value.local in ctx.derived:
            return constant(ctx, ctx.derived[value.local])  # a name with one assignment
        case n.Binary() if value.type.weak:
            a, b = constant(ctx, value.a), constant(ctx, value.b)
            found = None if a is None or b is None else coerce.binary(
                value.op, a, b, value.type)
            return found if isinstance(found, n.Const) else None
        case n.Unary() if value.type.weak and value.op == "neg":
            x = constant(ctx, value.x)
            return None if x is None else n.Const(value.type, -x.value)
        case n.Cast() if value.type.weak and value.x.type.weak:
            x = constant(ctx, value.x)
            made = None if x is None else coerce.convert(x, value.type)
            return made if isinstance(made, n.Const) else None
        case n.Call() if value.type.weak and value.builtin.name in ("min", "max", "abs"):
            parts = [constant(ctx, x) for x in value.args]
            known = [p.value for p in parts if p is not None]
            function: Any = {"min": min, "max": max, "abs": abs}[value.builtin.name]
            return n.Const(value.type, function(*known)) if len(known) == len(parts) else None
    return None
