"""Captured objects that share a name with other objects of their class.

``acc = ZERO`` before a loop with ``acc = acc + p``, ``m = GLASS if c else STEEL``: where such ways
meet, a captured object is its fields, as one that the kernel makes is. Non-goals: objects that
stand alone, whose attributes are captured when they are asked for (``constants``); tables of them
(``one_of_several``). Invariant: what may be a captured object is never changed.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Sequence

from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.instances import Instance, ObjectForm, Untold
from unisycl.frontend.values.joins import is_none
from unisycl.frontend.values.kind import Form, Lowering, Met, Value
from unisycl.frontend.values.optionals import Optional, OptionalForm
from unisycl.frontend.values.tuples import Several
from unisycl.ir import nodes as n


def field_names(obj: object) -> tuple[str, ...]:
    """Return the names of what an object holds."""
    if dataclasses.is_dataclass(obj):
        return tuple(f.name for f in dataclasses.fields(obj))
    return tuple(getattr(obj, "__dict__", ()))


def field_values(ctx: Lowering, of: Constant, names: Sequence[str],
                 node: ast.AST) -> tuple[Value, ...]:
    """Return what a captured object holds under these names."""
    owner = node if isinstance(node, ast.expr) else ast.Name("_", ast.Load())
    return tuple(of.attribute(ctx, ast.copy_location(
        ast.Attribute(owner, name, ast.Load()), node)) for name in names)


def spread_objects(ctx: Lowering, values: Sequence[Met]) -> list[Met] | None:
    """Return values that meet with captured objects as their fields; None if there are none."""
    found = _spread(ctx, [v.value for v in values])
    return None if found is None else [
        Met(new, v.known) for new, v in zip(found, values, strict=True)]


def fitting(ctx: Lowering, form: Form, value: Value | n.Local | None) -> Value | n.Local | None:
    """Return a value that is given to variables of a form: a captured object as its fields."""
    if isinstance(form, OptionalForm):
        form = form.some
    if isinstance(form, ObjectForm) and isinstance(value, Constant) and not is_none(value):
        return _as_fields(ctx, value, form.fields) or value
    return value


def _spread(ctx: Lowering, values: Sequence[Value | n.Local]) -> list[Value | n.Local] | None:
    rest = [v for v in values if not is_none(v)]
    objects = [v.some if isinstance(v, Optional) else v for v in rest]
    classes = {v.owner_class() if isinstance(v, Constant | Instance) else None for v in objects}
    if len(classes) != 1 or None in classes:
        return _spread_parts(ctx, values)
    fields = next((v.fields for v in objects if isinstance(v, Instance)), None)
    if fields is None:
        first = objects[0]
        assert isinstance(first, Constant)
        fields = field_names(first.object)
    found = [_as_fields(ctx, v, fields) if isinstance(v, Constant) and not is_none(v) else v
             for v in values]
    same = all(a is b for a, b in zip(found, values, strict=True))
    return None if same or None in found else [v for v in found if v is not None]


def _spread_parts(ctx: Lowering, values: Sequence[Value | n.Local]
                  ) -> list[Value | n.Local] | None:
    """Do so with the elements of tuples."""
    tuples = [v for v in values if isinstance(v, Several)]
    if len(tuples) < len(values) or len({len(v.items) for v in tuples}) != 1:
        return None
    columns = [(_spread(ctx, column), column)
               for column in zip(*(v.items for v in tuples), strict=True)]
    if all(new is None for new, _ in columns):
        return None
    rows = zip(*(column if new is None else new for new, column in columns), strict=True)
    return [dataclasses.replace(v, items=tuple(row))
            for v, row in zip(tuples, rows, strict=True)]


def _as_fields(ctx: Lowering, value: Constant, fields: tuple[str, ...]) -> Instance | None:
    """Return a captured object by its fields, in an order; None if it has others."""
    if not fields or set(field_names(value.object)) != set(fields):
        return None
    node = ctx.at or ctx.frames[-1].source.node
    items = field_values(ctx, value, fields, node)
    return Instance(type(value.object), fields, tuple(
        Untold() if isinstance(v, Constant) and v.is_instance((str,)) else v
        for v in items), fixed=True)


__all__ = ["field_names", "field_values", "fitting", "spread_objects"]
