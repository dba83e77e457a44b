"""Functions that ask objects of classes: iter, getattr, super, dataclasses.replace and their kin.

Non-goals: operators (``special_methods``). Invariant: what an object has is known while compiling.
"""

from __future__ import annotations

import ast
import dataclasses
import operator
from collections.abc import Callable
from typing import Any

from unisycl.frontend import captures, coerce
from unisycl.frontend.context import Context
from unisycl.frontend.form_registry import form
from unisycl.frontend.parameters import match, parameters
from unisycl.frontend.syntax.given import given, placed
from unisycl.frontend.values import instances, special_methods
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.instances import Instance
from unisycl.frontend.values.kind import Value, describe
from unisycl.frontend.values.parents import Parent
from unisycl.frontend.values.records import Record
from unisycl.frontend.values.tuples import Several


@form(iter)
def _iter(ctx: Context, node: ast.Call) -> Value:
    """Lower what ``__iter__`` returns; elsewhere an iterator would be used up by going over it."""
    if ctx.frame.source.name != "__iter__":
        raise ctx.refuse("K033", node, what="'iter'", help="go over the tuple itself; in a kernel "
                         "only __iter__ returns an iterator")
    value = ctx.of(parameters(ctx, node, "iter", ("iterable",))["iterable"]).as_static(ctx)
    if not isinstance(value, Several) or value.kind != "tuple":
        raise ctx.refuse("K049", node, found=describe(value), expected="a tuple",
                         help="write out what it goes over: return iter((self.x, self.y))")
    return value


def _name(value: Value, ctx: Context, node: ast.AST, what: str) -> str:
    if isinstance(value, Constant) and isinstance(value.object, str):
        if value.path:
            ctx.guard(value.path, value.object, frozen=True)
        return value.object
    raise ctx.refuse("K046", node, what=f"the name {what}() is given", help="write it as a text")


@form(getattr)
def _getattr(ctx: Context, node: ast.Call) -> Value:
    found = parameters(ctx, node, "getattr", ("object", "name"), ("default",))
    name = _name(found["name"], ctx, node, "getattr")
    if "default" in found and not _has(ctx, found["object"], name, node):
        return found["default"]
    return ctx.value(placed(ast.Attribute(given(found["object"], node), name, ast.Load()), node))


@form(hasattr)
def _hasattr(ctx: Context, node: ast.Call) -> Value:
    found = parameters(ctx, node, "hasattr", ("obj", "name"))
    name = _name(found["name"], ctx, node, "hasattr")
    return coerce.weak_scalar(_has(ctx, found["obj"], name, node))


def _has(ctx: Context, value: Value, name: str, node: ast.AST) -> bool:
    """Say whether an object has an attribute; refuse where only the host could say."""
    if isinstance(value, Instance):
        return name in value.names()
    if isinstance(value, Constant) and hasattr(value.object, name):
        ctx.guard((*value.path, ("attr", name)), getattr(value.object, name))
        return True
    raise ctx.refuse("K049", node, found=describe(value), expected="an object of a class of yours",
                     help="numbers and memory have the attributes that the documentation lists")


# ---- dataclasses
def _made(ctx: Context, value: Value, what: str, node: ast.AST) -> Instance:
    if isinstance(value, Instance) and dataclasses.is_dataclass(value.cls):
        return value
    raise ctx.refuse("K049", node, found=describe(value), expected="an object of a dataclass",
                     help=f"{what}() takes what the kernel made by calling a dataclass")


@form(dataclasses.replace)
def _replace(ctx: Context, node: ast.Call) -> Value:
    values = ctx.operands(*node.args, *(k.value for k in node.keywords))
    named = {str(k.arg): v for k, v in zip(node.keywords, values[len(node.args):], strict=True)}
    args = values[:len(node.args)]
    match(ctx, node, "replace", args, {}, ("obj",))
    old = _made(ctx, args[0], "replace", node)
    for f in dataclasses.fields(old.cls):
        if f.init:
            named.setdefault(f.name, old.told(ctx, f.name, node))
    return instances.construct(ctx, old.cls, (), named, node)


@form(dataclasses.astuple)
def _astuple(ctx: Context, node: ast.Call) -> Value:
    value = parameters(ctx, node, "astuple", ("obj",))["obj"]
    return ctx.hold_value(_as_tuple(_made(ctx, value, "astuple", node)))


def _as_tuple(value: Value) -> Value:
    if isinstance(value, Instance) and dataclasses.is_dataclass(value.cls):
        return Several(tuple(map(_as_tuple, value.items)))
    return value


# ---- the class above
@form(super)
def _super(ctx: Context, node: ast.Call) -> Value:
    """Lower ``super()`` in a method: the object, with the methods of the classes above."""
    frame = ctx.frame
    start = None if frame.function is None else captures.follow(
        frame.function, "free", "__class__")
    spec = frame.source.node.args
    names = [a.arg for a in [*spec.posonlyargs, *spec.args]]
    if node.args or node.keywords or not isinstance(start, type) or not names \
            or isinstance(ctx.frame.names.get(names[0]), Record):
        raise ctx.refuse("K033", node, what="'super'",
                         help="call super() without arguments in a method, or name the class: "
                         "Base.method(self)")
    owner = ctx.value(placed(ast.Name(names[0], ast.Load()), node))
    cls: Any = special_methods.class_of(owner)
    if cls is None or not issubclass(cls, start):
        raise ctx.refuse("K033", node, what="'super'", help="name the class: Base.method(self)")
    return Parent(owner, cls, start)


# ---- operators as functions
def _unary(op: type[ast.unaryop]) -> Callable[[Context, ast.Call], Value]:
    def lower(ctx: Context, node: ast.Call) -> Value:
        value = parameters(ctx, node, ast.unparse(node.func), ("a",))["a"]
        return ctx.value(placed(ast.UnaryOp(op(), given(value, node)), node))
    return lower


form(operator.neg)(_unary(ast.USub))
form(operator.pos)(_unary(ast.UAdd))
form(operator.invert)(_unary(ast.Invert))
form(operator.not_)(_unary(ast.Not))


@form(operator.getitem)
def _getitem(ctx: Context, node: ast.Call) -> Value:
    a, b = parameters(ctx, node, "getitem", ("a", "b")).values()
    return ctx.value(placed(ast.Subscript(given(a, node), given(b, node), ast.Load()), node))


@form(operator.contains)
def _contains(ctx: Context, node: ast.Call) -> Value:
    a, b = parameters(ctx, node, "contains", ("a", "b")).values()
    return ctx.value(placed(ast.Compare(given(b, node), [ast.In()], [given(a, node)]), node))


@form(operator.truth)
def _truth(ctx: Context, node: ast.Call) -> Value:
    value = parameters(ctx, node, "truth", ("a",))["a"]
    return ctx.value(placed(ast.Call(given(Constant(bool), node), [given(value, node)], []), node))


__all__ = ["Parent"]
