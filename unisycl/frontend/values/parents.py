"""What ``super()`` gives in a method: an object, seen as one of the classes above its own.

Non-goals: ``super`` with arguments. Invariant: the order of classes is that of the object's class.
"""

from __future__ import annotations

import ast
from types import FunctionType
from typing import Any

from unisycl.base.dataclass import dataclass
from unisycl.frontend.parameters import match
from unisycl.frontend.values.absent import Nothing
from unisycl.frontend.values.classes import class_path
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Kind, Lowering, Value, describe
from unisycl.frontend.values.methods import Method


@dataclass(frozen=True, slots=True)
class Parent(Kind):
    """An object ``of`` a class ``cls``, whose attributes are looked for behind ``start``."""

    of: Value
    cls: Any
    start: Any

    def describe(self) -> str:
        return f"super() of {describe(self.of)}"

    def _home(self, name: str) -> Any:
        order = self.cls.__mro__
        behind = order[order.index(self.start) + 1:]
        return next((c for c in behind if name in vars(c)), None)

    def named(self, ctx: Lowering, name: str, node: ast.AST) -> Value | None:
        home = self._home(name)
        if home is None:
            return None
        found = vars(home)[name]
        if isinstance(found, property) and found.fget is not None:
            path = (*class_path(home, name), ("attr", "fget"))
            return ctx.call(ctx, Constant(found.fget, path), [self.of], node)
        if isinstance(found, FunctionType) or found is object.__init__:
            return Method(self, name)
        return ctx.capture(class_path(home, name), getattr(home, name), name, node, frozen=True)

    def call_method(self, ctx: Lowering, name: str, args: list[Value], keywords: dict[str, Value],
                    node: ast.AST) -> Value:
        home = self._home(name)
        if vars(home)[name] is object.__init__:
            match(ctx, node, name, args, keywords, ())
            return Nothing()
        function = Constant(vars(home)[name], class_path(home, name))
        return ctx.call(ctx, function, [self.of, *args], node, keywords)
