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

from unisycl.base.dataclass import dataclass
from unisycl.frontend.paths import Path
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Kind, Lowering, Target, Value
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
        if name == "__class__":
            return Constant(cls, (("object", cls),))
        static = vars(cls).get(name) if name in vars(cls) else None
        if isinstance(found, property) and found.fget is not None:
            path = (*class_path(cls, name), ("attr", "fget"))
            return ctx.call(ctx, Constant(found.fget, path), [self], node)
        if isinstance(found, FunctionType) and not isinstance(static, staticmethod):
            return Method(self, name)
        return ctx.capture(class_path(cls, name), found, name, node, frozen=True)

    def own_target(self, ctx: Lowering, node: ast.Subscript | ast.Attribute) -> Target | None:
        """Return what a property, or ``__setitem__``, of the class assigns to; None without one."""
        cls = self.owner_class()
        if isinstance(node, ast.Subscript):
            return Item(self, ctx.hold_value(ctx.value(node.slice))) \
                if self.has_operator("__setitem__") else None
        found = getattr(cls, node.attr, None) if cls is not None else None
        return Property(self, node.attr, found) if isinstance(
            found, property) and found.fset is not None else None

    def has_operator(self, name: str) -> bool:
        cls = self.owner_class()
        return cls is not None and isinstance(getattr(cls, name, None), FunctionType)

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


@dataclass(frozen=True, slots=True)
class Item(Target):
    """What ``__setitem__`` of an object's class assigns to."""

    of: OfClass
    index: Value

    def read(self, ctx: Lowering, node: ast.AST) -> Value:
        if not self.of.has_operator("__getitem__"):
            raise ctx.refuse("K049", node, found=self.of.describe(), expected="memory",
                             help="its class has no __getitem__")
        return self.of.call_operator(ctx, "__getitem__", [self.index], node)

    def write(self, ctx: Lowering, value: Value, node: ast.AST, origin: ast.AST) -> None:
        self.of.call_operator(ctx, "__setitem__", [self.index, value], node)


@dataclass(frozen=True, slots=True)
class Property(Target):
    """A property of an object's class that can be assigned."""

    of: OfClass
    name: str
    found: Any

    def read(self, ctx: Lowering, node: ast.AST) -> Value:
        value = self.of.class_attribute(ctx, self.name, node)
        assert value is not None
        return value

    def write(self, ctx: Lowering, value: Value, node: ast.AST, origin: ast.AST) -> None:
        path = (*class_path(self.of.owner_class(), self.name), ("attr", "fset"))
        ctx.call(ctx, Constant(self.found.fset, path), [self.of, value], node)
