"""Dicts that a kernel writes out: what is under keys that are known while compiling.

Non-goals: captured dicts (``mappings``), dicts that change. Invariant: which keys there are is part
of the kernel's text; what is under them is a value like any other.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from unisycl.base.dataclass import dataclass, replace
from unisycl.frontend import coerce
from unisycl.frontend.parameters import match
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import (
    Form,
    Kind,
    Lowering,
    Met,
    Value,
    VariableForm,
)
from unisycl.frontend.values.methods import Method
from unisycl.frontend.values.tuples import Several, TupleForm
from unisycl.ir import nodes as n

_METHODS = ("get", "items", "keys", "values")


@dataclass(frozen=True, slots=True)
class Dictionary(Kind):
    """A dict that nothing changes: its keys, numbers and texts, and what is under them."""

    keys: tuple[Any, ...]
    row: Several

    def describe(self) -> str:
        return "a dict"

    def known_truth(self) -> bool | None:
        return bool(self.keys)

    def subscript(self, ctx: Lowering, node: ast.Subscript) -> Value:
        value = ctx.value(node.slice)
        key = _known(ctx, value)
        if key is None:
            return self._chosen(ctx, ctx.hold_value(value), node)
        if key[0] not in self.keys:
            raise ctx.refuse("K054", node, what=f"this dict has no key {key[0]!r}",
                             help=f"it has {', '.join(map(repr, self.keys)) or 'none'}")
        return self.row.items[self.keys.index(key[0])]

    def _chosen(self, ctx: Lowering, key: Value, node: ast.Subscript) -> Value:
        """Return what is under a key that only a run tells, a number."""
        self._check_numbers(ctx, node)
        place = ctx.syntax.tuple_method(ctx, "key", self._keys(), key, node)
        return self.row._pick(ctx, ctx.to_scalar(place, node), node)

    def _check_numbers(self, ctx: Lowering, node: ast.AST) -> None:
        if not self.keys or any(isinstance(k, str) for k in self.keys):
            raise ctx.refuse("K046", node, what="a key of a dict whose keys are texts",
                             help="choose by if / elif")

    def _keys(self) -> tuple[Value, ...]:
        return tuple(Constant(k) if isinstance(k, str) else coerce.weak_scalar(k)
                     for k in self.keys)

    def named(self, ctx: Lowering, name: str, node: ast.AST) -> Value | None:
        return Method(self, name) if name in _METHODS else None

    def names(self) -> Iterable[str]:
        return _METHODS

    def call_method(self, ctx: Lowering, name: str, args: list[Value], keywords: dict[str, Value],
                    node: ast.AST) -> Value:
        if name == "get":
            given = match(ctx, node, name, args, keywords, ("key",), ("default",))
            key = _known(ctx, given["key"])
            if key is None:
                self._check_numbers(ctx, node)
                return found_or_default(ctx, self._keys(), self.row.items, given, node)
            return self.row.items[self.keys.index(key[0])] if key[0] in self.keys \
                else given.get("default", Constant(None))
        match(ctx, node, name, args, keywords, ())
        if name == "keys":
            return Several(self._keys())
        if name == "values":
            return self.row
        return Several(tuple(Several(pair) for pair in zip(
            self._keys(), self.row.items, strict=True)))

    def as_static(self, ctx: Lowering) -> Value:
        return Several(self._keys())

    def unpacked(self, ctx: Lowering, node: ast.AST) -> tuple[Value, ...]:
        return self._keys()

    def listed(self, ctx: Lowering) -> tuple[Value, ...] | None:
        return self._keys()

    def length(self) -> n.Expr | None:
        return coerce.weak_scalar(len(self.keys))

    # ---- names and paths
    @property
    def in_variables(self) -> bool:
        return True

    def form(self) -> Form:
        return DictionaryForm(self.keys, self.row.form())

    def meet(self, values: list[Met], *, unsure: bool) -> Form | None:
        alike = [v.part(v.value.row) for v in values if isinstance(v.value, Dictionary)
                 and v.value.keys == self.keys]
        form = None if len(alike) < len(values) else self.row.meet(alike, unsure=unsure)
        return None if form is None else DictionaryForm(self.keys, form)

    def same(self, other: Value | n.Local) -> Value | n.Local | None:
        if not isinstance(other, Dictionary) or other.keys != self.keys:
            return None
        row = self.row.same(other.row)
        return replace(self, row=row) if isinstance(row, Several) else None

    # ---- what keeps it
    def hold(self, ctx: Lowering) -> Value:
        return self._of(self.row.hold(ctx))

    def keep(self, ctx: Lowering, position: int) -> Value:
        return self._of(self.row.keep(ctx, position))

    def without_homes(self, gone: Callable[[Any], bool]) -> Value:
        return self._of(self.row.without_homes(gone))

    def _of(self, row: Value) -> Dictionary:
        assert isinstance(row, Several)
        return replace(self, row=row)


@dataclass(frozen=True, slots=True)
class DictionaryForm(VariableForm):
    """A dict, by what is under each key."""

    keys: tuple[Any, ...]
    row: Any

    def adopt(self, ctx: Lowering, key: Any, name: str, value: Any, node: ast.AST,
              old: Value | n.Local | None) -> Value:
        assert isinstance(self.row, TupleForm)
        row = self.row.adopt(ctx, key, name, None if value is None else value.row, node, None)
        assert isinstance(row, Several)
        return Dictionary(self.keys, row)

    def variable(self, ctx: Lowering, key: Any, name: str, like: Any) -> Value | n.Local:
        row = self.row.variable(ctx, key, name, like.row)
        assert isinstance(row, Several)
        return Dictionary(self.keys, row)


def found_or_default(ctx: Lowering, keys: tuple[Value, ...], values: tuple[Value, ...],
                     given: dict[str, Value], node: ast.AST) -> Value:
    """Return what ``get`` gives for a key that only a run tells, a number."""
    if "default" not in given:
        raise ctx.refuse("K046", node, what="the key that get() is given without a default",
                         help="write one, as in get(key, 0), or ask by 'in' before")
    place = ctx.syntax.tuple_method(ctx, "get", keys, given["key"], node)
    row = Several((*values, ctx.hold_value(given["default"])))
    return row._pick(ctx, ctx.to_scalar(place, node), node)


def _known(ctx: Lowering, value: Value) -> tuple[Any] | None:
    """Return a key that is known while compiling, alone in a tuple; None of any other."""
    if isinstance(value, Constant):
        if value.path:
            ctx.guard(value.path, value.object, frozen=True)
        return (value.object,)
    found = ctx.constant(value)
    return None if found is None else (found.value,)


def written(ctx: Lowering, node: ast.Dict) -> Value:
    """Lower a dict as it is written."""
    if None in node.keys:
        raise ctx.refuse("K018", node, what="a dict of other dicts")
    values = ctx.operands(*(x for pair in zip(node.keys, node.values, strict=True) for x in pair
                            if x is not None))
    found: dict[Any, Value] = {}
    for at, key, value in zip(node.keys, values[::2], values[1::2], strict=True):
        known = _known(ctx, key)
        if known is None or not isinstance(known[0], str | bool | int | float):
            raise ctx.refuse("K046", at or node, what="a key of a dict", help="write a number or a "
                             "text; for others use if / elif")
        found[known[0]] = value
    return Dictionary(tuple(found), Several(tuple(map(ctx.hold_value, found.values()))))
