"""Captured dicts: settings that a program keeps under names, read by keys known while compiling.

What is under a key is captured by a path of its own, so that numbers may change from launch to
launch. Non-goals: keys known at run time only, dicts made or changed in kernels, dicts of a module
(K048), how many keys there are. Invariant: code that depends on which keys there are is guarded
by them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from unisycl.base.dataclass import dataclass
from unisycl.frontend import captures, coerce
from unisycl.frontend.parameters import match
from unisycl.frontend.paths import Path
from unisycl.frontend.spelling import suggest
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.dictionaries import found_or_default
from unisycl.frontend.values.kind import Kind, Lowering, Target, Value
from unisycl.frontend.values.methods import Method
from unisycl.frontend.values.tuples import Several
from unisycl.ir import nodes as n

_METHODS = frozenset(("get", "keys", "values", "items"))


@dataclass(frozen=True, slots=True)
class Mapping(Kind):
    """A dict known while compiling, and the path it was captured by."""

    object: dict[Any, Any]
    path: Path
    name: str

    def describe(self) -> str:
        return f"the dict '{self.name}'"

    def named(self, ctx: Lowering, name: str, node: ast.AST) -> Value | None:
        return Method(self, name) if name in _METHODS else None

    def names(self) -> Iterable[str]:
        return _METHODS

    def subscript(self, ctx: Lowering, node: ast.Subscript) -> Value:
        value = ctx.value(node.slice)
        if self._only_a_run_tells(ctx, value):
            return self._chosen(ctx, ctx.to_scalar(ctx.hold_value(value), node), node)
        key = self._key(ctx, value, node.slice)
        if key not in self.object:
            known = [k for k in self.object if isinstance(k, str)]
            raise ctx.refuse(
                "K054", node, what=f"'{self.name}' has no key {key!r}", help=suggest(
                    str(key), known, f"it has {', '.join(map(repr, self.object)) or 'none'}"))
        return self._at(ctx, key, node)

    def _only_a_run_tells(self, ctx: Lowering, key: Value) -> bool:
        """Say whether a key is a number that is known at run time only, as all keys here are."""
        return isinstance(key, n.Expr) and ctx.constant(key) is None and bool(self.object) and all(
            isinstance(k, bool | int | float) for k in self.object)

    def _chosen(self, ctx: Lowering, key: n.Expr, node: ast.Subscript) -> Value:
        """Return what is under a key that only a run tells, a number."""
        row = Several(tuple(self._at(ctx, k, node) for k in self.object))
        place = ctx.syntax.tuple_method(ctx, "key", self._keys(ctx), key, node)
        return row._pick(ctx, ctx.to_scalar(place, node), node)

    def target(self, ctx: Lowering, node: ast.Subscript | ast.Attribute, *, read: bool) -> Target:
        raise ctx.refuse("K041", node, name=ast.unparse(node))

    def unpacked(self, ctx: Lowering, node: ast.AST) -> tuple[Value, ...]:
        return self._keys(ctx)

    def as_static(self, ctx: Lowering) -> Value:
        return Several(self._keys(ctx))

    def call_method(self, ctx: Lowering, name: str, args: list[Value], keywords: dict[str, Value],
                    node: ast.AST) -> Value:
        if name == "get":
            given = match(ctx, node, name, args, keywords, ("key",), ("default",))
            if self._only_a_run_tells(ctx, given["key"]):
                return found_or_default(ctx, self._keys(ctx), tuple(
                    self._at(ctx, k, node) for k in self.object), given, node)
            key = self._key(ctx, given["key"], node)
            self._keys(ctx)
            if key in self.object:
                return self._at(ctx, key, node)
            return given.get("default", Constant(None))
        match(ctx, node, name, args, keywords, ())
        keys = self._keys(ctx)
        if name == "keys":
            return Several(keys)
        values = tuple(self._at(ctx, key, node) for key in self.object)
        if name == "values":
            return Several(values)
        return Several(tuple(Several(pair) for pair in zip(keys, values, strict=True)))

    def _keys(self, ctx: Lowering) -> tuple[Value, ...]:
        """Return the keys; the code depends on them from now on."""
        keys = tuple(self.object)
        path = (*self.path, ("keys", None))
        ctx.guard(path, keys)
        return tuple(coerce.weak_scalar(key) if isinstance(key, bool | int | float)
                     else Constant(key, (*path, ("item", k))) for k, key in enumerate(keys))

    def _key(self, ctx: Lowering, value: Value, node: ast.AST) -> Any:
        """Return a key that is known while compiling."""
        if isinstance(value, Constant) and not isinstance(value.object, captures.Missing):
            if value.path:
                ctx.guard(value.path, value.object, frozen=True)
            return value.object
        number = ctx.constant(value)
        if number is None:
            raise ctx.refuse("K046", node, what=f"a key of '{self.name}'",
                             help="choose by if / elif, or pass a tuple or an array for numbers")
        return number.value

    def _at(self, ctx: Lowering, key: Any, node: ast.AST) -> Value:
        return ctx.capture((*self.path, ("item", key)), self.object[key],
                           f"{self.name}[{key!r}]", node)

