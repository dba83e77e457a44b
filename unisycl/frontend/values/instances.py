"""Dataclasses in kernels: values made there, and records in memory that have a class.

A value is its fields, each a variable of its own. Non-goals: captured objects, whose attributes are
captured one by one. Invariants: what ``dataclasses`` generates is understood, what the user wrote
is inlined; names share objects as ``variables`` says.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any

from unisycl.frontend import captures, guards
from unisycl.frontend.parameters import default_steps, match
from unisycl.frontend.syntax.variables import local_homes
from unisycl.frontend.values.kind import Lowering, Path, Value
from unisycl.frontend.values.kinds import Constant, Instance, Method, Record
from unisycl.frontend.values.objects import is_named
from unisycl.ir.types import Struct

_FIELDS = "__dataclass_fields__"


def is_dataclass(obj: object) -> bool:
    """Say whether an object is a class whose constructor ``dataclasses`` wrote."""
    if not (isinstance(obj, type) and dataclasses.is_dataclass(obj)):
        return False
    init = getattr(obj, "__init__", None)
    # What it generates has no text; a constructor of the user's own has.
    return isinstance(init, FunctionType) and init.__code__.co_filename == "<string>"


def construct(ctx: Lowering, cls: Any, args: Sequence[Value], named: dict[str, Value],
              node: ast.AST) -> Value:
    """Return a call of a dataclass: a value with these fields."""
    init: FunctionType = cls.__init__
    ctx.guard(class_path(cls, "__init__"), init)
    ctx.guards[class_path(cls, _FIELDS), True] = guards.Same(getattr(cls, _FIELDS))
    fields = [f for f in dataclasses.fields(cls) if f.init]
    steps = default_steps(init, init.__code__.co_varnames[1:init.__code__.co_argcount])
    required = [f.name for f in fields if f.name not in steps]
    found = match(ctx, node, cls.__name__, args, named, required,
                  [f.name for f in fields if f.name not in required])
    values = []
    for f in dataclasses.fields(cls):
        value = found.get(f.name)
        if value is None:
            value = _default(ctx, cls, f, steps.get(f.name), node)
        values.append(ctx.as_number(value, node))
    made = Instance(cls, tuple(f.name for f in dataclasses.fields(cls)), tuple(values))
    if "__post_init__" not in init.__code__.co_names:  # decided when the class was decorated
        return made
    after: Any = cls.__post_init__
    held = ctx.hold_object(made, cls.__name__, node)
    hidden = f"new {cls.__name__}"  # so that it is known what becomes of it
    ctx.frame.names[hidden] = held
    ctx.call(ctx, Constant(after, class_path(cls, "__post_init__")), [held], node)
    ctx.frame.definitions.pop(hidden, None)
    became = ctx.frame.names.pop(hidden)
    assert isinstance(became, Instance)
    kept = local_homes(became, lambda home: home not in ctx.shared)
    assert isinstance(kept, Instance)
    return replace(kept, exact=False)


def construct_named(ctx: Lowering, cls: Any, args: Sequence[Value], named: dict[str, Value],
                    node: ast.AST) -> Value:
    """Return a call of a NamedTuple class."""
    names, defaults = cls._fields, cls._field_defaults
    found = match(ctx, node, cls.__name__, args, named, [f for f in names if f not in defaults],
                  [f for f in names if f in defaults])
    values = [found[f] if f in found else ctx.capture(
        (*class_path(cls, "_field_defaults"), ("item", f)), defaults[f], f, node, frozen=True)
        for f in names]
    return Instance(cls, names, tuple(ctx.as_number(v, node) for v in values))


def replaced(ctx: Lowering, owner: Instance, named: dict[str, Value], node: ast.AST) -> Value:
    """Return ``owner._replace(...)`` of a NamedTuple."""
    match(ctx, node, "_replace", (), named, (), owner.names)
    return replace(owner, homes=frozenset(), exact=False, items=tuple(
        ctx.as_number(named.get(f, v), node)
        for f, v in zip(owner.names, owner.items, strict=True)))


def _default(ctx: Lowering, cls: Any, field: Any, step: tuple[str, Any] | None,
             node: ast.AST) -> Value:
    """Return a field that is not given: the constructor's default, or the class's attribute."""
    if field.default_factory is not dataclasses.MISSING:
        raise ctx.refuse("K054", node, what=f"the default of {cls.__name__}.{field.name} is made "
                         "by a function", help="give the field a value here")
    path, obj = class_path(cls, field.name), getattr(cls, field.name, None)
    if step is not None:
        path = (*class_path(cls, "__init__"), step)
        obj = captures.follow(cls.__init__, *step)
    elif field.default is dataclasses.MISSING:
        raise ctx.refuse("K054", node, what=f"{cls.__name__}.{field.name} is not given a value",
                         help="give the field a default")
    return ctx.capture(path, obj, field.name, node, frozen=True)


def class_path(cls: Any, name: str) -> Path:
    """Return the path to an attribute of a class that is itself known."""
    return (("object", cls), ("attr", name))


def class_of(value: Value) -> Any:
    """Return the Python class of a value made here or of a record in memory; None without one."""
    if isinstance(value, Instance):
        return value.cls
    if isinstance(value, Record) and not value.shape and isinstance(value.type, Struct):
        return getattr(value.type.owner, "_struct", None)
    return None


def attribute(ctx: Lowering, owner: Instance | Record, name: str, node: ast.AST) -> Value | None:
    """Return a field, a method or another attribute of the class; None if there is no such one."""
    if isinstance(owner, Instance) and name in owner.names:
        return owner.field(name)
    cls = class_of(owner)
    found = getattr(cls, name, None) if cls is not None else None
    if found is None:
        return None
    static = vars(cls).get(name) if name in vars(cls) else None
    if isinstance(found, property) and found.fget is not None:
        path = (*class_path(cls, name), ("attr", "fget"))
        return ctx.call(ctx, Constant(found.fget, path), [owner], node)
    if isinstance(found, FunctionType) and not isinstance(static, staticmethod):
        return Method(owner, name)
    return ctx.capture(class_path(cls, name), found, name, node, frozen=True)


def call_method(ctx: Lowering, owner: Instance | Record, name: str, args: Sequence[Value],
                named: dict[str, Value], node: ast.AST) -> Value:
    """Return a call of a method: the function, with the value as its first argument."""
    cls = class_of(owner)
    if name == "_replace" and isinstance(owner, Instance) and is_named(cls) and not args:
        return replaced(ctx, owner, named, node)
    function = Constant(getattr(cls, name), class_path(cls, name))
    return ctx.call(ctx, function, [owner, *args], node, named)


def operator_method(value: Value, name: str) -> bool:
    """Say whether a value's class has a method for an operator."""
    cls = class_of(value)
    if cls is None or (is_named(cls) and name.startswith("__") and name not in vars(cls)):
        return False
    return isinstance(getattr(cls, name, None), FunctionType)
