"""``table[index]`` of what is no number, with an index known at run time only.

Functions, memories, members of enumerations, objects. Of objects each field is chosen by itself, so
that only those which cannot change are taken: named tuples, frozen dataclasses, and whatever a
kernel captures. Non-goals: numbers, tuples and vectors, which have ways of their own (``one_of``).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from unisycl.frontend.context import Context
from unisycl.frontend.syntax import chosen_functions
from unisycl.frontend.values import choices, members
from unisycl.frontend.values.captured_objects import field_names, field_values
from unisycl.frontend.values.choices import Choice
from unisycl.frontend.values.classes import is_named
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.instances import Instance, Untold
from unisycl.frontend.values.joins import same
from unisycl.frontend.values.kind import Value
from unisycl.frontend.values.memory import Memory
from unisycl.ir import nodes as n


def of_table(ctx: Context, items: Sequence[Value], index: n.Expr) -> Value | None:
    """Return one of several values by an index; None if they are no things of one kind."""
    node = ctx.at or ctx.frames[-1].source.node
    found = chosen_functions.of_table(ctx, items, index)
    if found is None:
        found = members.chosen(ctx, items, index, node) or _memory(ctx, items, index, node)
    return found or _object(ctx, items, index, node)


def _memory(ctx: Context, items: Sequence[Value], index: n.Expr, node: ast.AST) -> Value | None:
    """Return one of several memories that are alike."""
    if not all(isinstance(v, Memory) for v in items):
        return None
    among = choices.options(ctx, items)
    if among is None:
        return None
    places = tuple(choices.place(ctx, v, among) for v in items if isinstance(v, Memory))
    which = ctx.of(places[0]).one_of(ctx, places, "tuple", index, node)
    return Choice(ctx.hold(ctx.to_scalar(which, node)), among)


def _object(ctx: Context, items: Sequence[Value], index: n.Expr, node: ast.AST) -> Value | None:
    """Return one of several objects of a class, field by field."""
    fields, rows = _fields(ctx, items, node)
    if not fields or not isinstance(items[0], Instance | Constant):
        return None
    cls = items[0].cls if isinstance(items[0], Instance) else type(items[0].object)
    found = []
    for column in zip(*rows, strict=True):
        one = same(column)
        if one is not None and not isinstance(one, n.Local):
            found.append(one)
        elif not is_named(cls) and all(
                isinstance(v, Constant) and isinstance(v.object, str) for v in column):
            found.append(Untold())
        else:
            found.append(ctx.of(column[0]).one_of(ctx, column, "tuple", index, node))
    return Instance(cls, fields, tuple(found), fixed=True)


def _fields(ctx: Context, items: Sequence[Value], node: ast.AST,
            ) -> tuple[tuple[str, ...], list[tuple[Value, ...]]]:
    """Return the names of the fields that all objects have, and what each has; none otherwise."""
    first = items[0]
    if isinstance(first, Instance):
        fixed = is_named(first.cls) or getattr(getattr(
            first.cls, "__dataclass_params__", None), "frozen", False)
        rows = [v.items for v in items if isinstance(v, Instance)
                and (v.cls, v.fields) == (first.cls, first.fields)]
        return (first.fields, rows) if fixed and len(rows) == len(items) else ((), [])
    objects = [v for v in items if isinstance(v, Constant) and v.owner_class() is not None]
    if len(objects) < len(items) or len({v.owner_class() for v in objects}) > 1:
        return (), []
    names = [field_names(v.object) for v in objects]
    if any(x != names[0] for x in names):
        return (), []
    return names[0], [field_values(ctx, v, names[0], node) for v in objects]
