"""Classes with an ``__init__`` of the user's: objects that hold what its methods assign.

Non-goals: what ``dataclass`` writes (``instances``), classes made by metaclasses, derived from
Python's own types, or with ``__new__``. Invariants: ``__init__`` is the user's function, called
with the object; an attribute that nothing assigned yet has no value, or the class's.
"""

from __future__ import annotations

import ast
from abc import ABC, ABCMeta
from collections.abc import Iterator, Sequence
from types import FunctionType
from typing import Any, Generic, Protocol

from unisycl.base.generated_code import is_by_dataclass
from unisycl.frontend.source import SourceMissing, function_source
from unisycl.frontend.values import instances
from unisycl.frontend.values.absent import Poison
from unisycl.frontend.values.classes import class_path
from unisycl.frontend.values.constants import is_of_user
from unisycl.frontend.values.instances import Instance
from unisycl.frontend.values.kind import Lowering, Value

_METACLASSES: tuple[Any, ...] = (type, ABCMeta, type(Protocol))
_ROOTS: frozenset[Any] = frozenset((object, ABC, Generic, Protocol))


def is_plain(obj: object) -> bool:
    """Say whether an object is a class whose objects an ``__init__`` of the user's makes."""
    if not isinstance(obj, type) or type(obj) not in _METACLASSES or obj in _ROOTS:
        return False
    init: Any = getattr(obj, "__init__", None)
    return getattr(obj, "__new__", None) is object.__new__ and all(
        cls in _ROOTS or is_of_user(cls) for cls in obj.__mro__) \
        and (init is object.__init__ or isinstance(init, FunctionType)) \
        and not is_by_dataclass(init) and not getattr(obj, "__abstractmethods__", None)


def construct(ctx: Lowering, cls: Any, args: Sequence[Value], named: dict[str, Value],
              node: ast.AST) -> Value:
    """Return a call of such a class."""
    instances.check_plain(ctx, cls, node)
    fields = _attributes(ctx, cls)
    made = Instance(cls, fields, tuple(_before(ctx, cls, name, node) for name in fields))
    if cls.__init__ is object.__init__:
        if args or named:
            raise ctx.refuse("K034", node, what=f"'{cls.__name__}'", expected="()",
                             found=len(args) + len(named))
        return made
    return instances.initialised(ctx, made, "__init__", args, named, node)


def _before(ctx: Lowering, cls: Any, name: str, node: ast.AST) -> Value:
    """Return what an attribute is before the object has one of its own."""
    found = next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), None)
    if found is None or hasattr(type(found), "__set__"):  # a slot is no value
        return Poison(missing=True)
    return ctx.capture(class_path(cls, name), getattr(cls, name), name, node, frozen=True)


def _attributes(ctx: Lowering, cls: Any) -> tuple[str, ...]:
    """Return the attributes that objects of a class may get, in order.

    They are those that its methods assign to their object, and what the kernel assigns to anything.
    """
    found: dict[str, None] = {}
    for home in reversed(cls.__mro__):
        for member in vars(home).values() if is_of_user(home) else ():
            for function in (getattr(member, "fget", None), getattr(member, "fset", None), member):
                if isinstance(function, FunctionType) and not is_by_dataclass(function):
                    found |= dict.fromkeys(_assigned(function))
    if not all("__slots__" in vars(home) for home in cls.__mro__ if is_of_user(home)):
        found |= dict.fromkeys(x.attr for x in ast.walk(ctx.frames[0].source.node)
                               if isinstance(x, ast.Attribute) and isinstance(x.ctx, ast.Store))
    return tuple(name for name in found if not isinstance(getattr(cls, name, None), property))


def _assigned(function: FunctionType) -> Iterator[str]:
    try:
        node = function_source(function.__code__, function.__globals__).node
    except SourceMissing:  # told where it is called
        return
    parameters = [*node.args.posonlyargs, *node.args.args]
    for x in ast.walk(node) if parameters else ():
        if isinstance(x, ast.Attribute) and isinstance(x.ctx, ast.Store) \
                and isinstance(x.value, ast.Name) and x.value.id == parameters[0].arg:
            yield x.attr


__all__ = ["construct", "is_plain"]
