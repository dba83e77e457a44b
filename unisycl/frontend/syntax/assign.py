"""What ``target = value`` does, for names, tuples, subscripts and members.

Non-goals: the statements that assign. Invariant: the parts of a tuple are evaluated before any is
given away.
"""

from __future__ import annotations

import ast

from unisycl.frontend.captures import names_reference
from unisycl.frontend.context import Context
from unisycl.frontend.syntax import rows
from unisycl.frontend.syntax.names import global_names
from unisycl.frontend.syntax.places import store
from unisycl.frontend.syntax.subset import refusal
from unisycl.frontend.values.kind import Value, as_tuple
from unisycl.frontend.values.lists import new_list
from unisycl.frontend.values.memory import Memory, is_array
from unisycl.frontend.values.windows import Window


def assign_target(ctx: Context, target: ast.expr, value: Value, origin: ast.AST) -> None:
    """Do ``target = value``; ``origin`` is where the value stands."""
    match target:
        case ast.Name():
            value = ctx.of(value).when_bound(ctx, target)
            if target.id in global_names(ctx.frame.source.node) \
                    and names_reference(ctx.frame.function, target.id):
                raise ctx.refuse("K115", target, name=target.id)
            ctx.assign(target.id, value, target)
        case ast.Tuple() | ast.List():
            _unpack(ctx, target, value, origin)
        case ast.Subscript() | ast.Attribute():
            store(ctx, target, value, origin)
        case _:
            id, facts = refusal(target)
            raise ctx.refuse(id, target, **facts)


def _unpack(ctx: Context, target: ast.Tuple | ast.List, value: Value, origin: ast.AST) -> None:
    parts = list(target.elts)
    starred = [k for k, part in enumerate(parts) if isinstance(part, ast.Starred)]
    if isinstance(value, Memory | Window) and is_array(value) and not starred:
        found = rows.elements(ctx, value, len(parts), origin)
    else:
        found = unpacked(ctx, value, origin)
    held: list[Value] = [ctx.hold_value(v) for v in found]
    spare = len(held) - len(parts) + 1
    if len(starred) == 1 and spare >= 0:  # what the others leave; in Python a list
        k = starred[0]
        held[k:k + spare] = [new_list(ctx, held[k:k + spare], parts[k])]
        parts[k] = parts[k].value  # type: ignore[attr-defined]
    if len(held) != len(parts):
        raise ctx.refuse("K047", target, found=len(held), expected=len(parts))
    for part, item in zip(parts, held, strict=True):
        assign_target(ctx, part, item, origin)


def unpacked(ctx: Context, value: Value, node: ast.AST) -> tuple[Value, ...]:
    """Return the values a static iterable yields."""
    return ctx.of(as_tuple(value)).unpacked(ctx, node)
