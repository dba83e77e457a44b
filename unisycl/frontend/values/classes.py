"""What the class of a value gives it: methods, properties and operators that the user wrote.

Values of dataclasses made in a kernel have one (``instances``), and so do records in memory whose
layout is a class's (``records``). Non-goals: fields. Invariant: a method is the function of the
class, called with the value as its first argument.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from unisycl.frontend.paths import Path
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Kind, Lowering, Value
from unisycl.frontend.values.methods import Method


def is_named(cls: object) -> bool:
    """Say whether an object is a class that ``NamedTuple`` or ``namedtuple`` made."""
    return isinstance(cls, type) and issubclass(cls, tuple) and isinstance(
        getattr(cls, "_fields", None), tuple)


def class_path(cls: Any, name: str) -> Path:
    """Return the path to an attribute of a class that is itself known."""
    return (("object", cls), ("attr", name))


class OfClass(Kind):
    """A value that may have a Python class: ``cls``, or None."""

    __slots__ = ()

    def owner_class(self) -> Any:
        """Return the class; None without one."""
        return None

    def is_instance(self, classes: tuple[type, ...]) -> bool:
        cls = self.owner_class()
        return cls is not None and issubclass(cls, classes)

    def class_attribute(self, ctx: Lowering, name: str, node: ast.AST) -> Value | None:
        """Return a method or another attribute of the class; None if there is no such one."""
        cls = self.owner_class()
        found = getattr(cls, name, None) if cls is not None else None
        if found is None:
            return None
        static = vars(cls).get(name) if name in vars(cls) else None
        if isinstance(found, property) and found.fget is not None:
            path = (*class_path(cls, name), ("attr", "fget"))
            return ctx.call(ctx, Constant(found.fget, path), [self], node)
        if isinstance(found, FunctionType) and not isinstance(static, staticmethod):
            return Method(self, name)
        return ctx.capture(class_path(cls, name), found, name, node, frozen=True)

    def has_operator(self, name: str) -> bool:
        cls = self.owner_class()
        if cls is None or (is_named(cls) and name.startswith("__") and name not in vars(cls)):
            return False
        return isinstance(getattr(cls, name, None), FunctionType)

    def call_operator(self, ctx: Lowering, name: str, args: Sequence[Value],
                      node: ast.AST) -> Value:
        return self.call_method(ctx, name, list(args), {}, node)

    def call_method(self, ctx: Lowering, name: str, args: list[Value], keywords: dict[str, Value],
                    node: ast.AST) -> Value:
        cls = self.owner_class()
        function = Constant(getattr(cls, name), class_path(cls, name))
        return ctx.call(ctx, function, [self, *args], node, keywords)

    def call(self, ctx: Lowering, args: list[Value], keywords: dict[str, Value],
             node: ast.AST) -> Value:
        if self.has_operator("__call__"):
            return self.call_method(ctx, "__call__", args, keywords, node)
        return Kind.call(self, ctx, args, keywords, node)
