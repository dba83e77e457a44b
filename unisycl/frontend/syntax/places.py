"""What assignments to subscripts and members do, whatever they are subscripts and members of.

Non-goals: names and tuples (``assign``), places (``values.targets``). Invariants: what is written
was evaluated before; nothing that is only passed through on the way to a place is read.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from unisycl.frontend.context import Context
from unisycl.frontend.syntax.access import attribute_of, subscript_of
from unisycl.frontend.values.classes import Item, Property
from unisycl.frontend.values.kind import Target, Value
from unisycl.frontend.values.memory import Memory
from unisycl.frontend.values.targets import one_index_each


def target_of(ctx: Context, node: ast.Subscript | ast.Attribute, *, read: bool = False) -> Target:
    """Return what a subscript or member denotes, to be written; refuse what is not."""
    base = ctx.of(_owner(ctx, node.value)).referent(ctx, node)
    return ctx.of(base).target(ctx, node, read=read)


def _owner(ctx: Context, node: ast.expr) -> Value:
    """Return what the last step of a target starts from: places stay places, nothing is read."""
    if not isinstance(node, ast.Subscript | ast.Attribute):
        return ctx.value(node)
    base = ctx.of(_owner(ctx, node.value)).referent(ctx, node)
    place = ctx.of(base).step(ctx, node)
    if place is not None:
        return place
    if isinstance(node, ast.Subscript):
        return subscript_of(ctx, base, node)
    return attribute_of(ctx, base, node)


def update(ctx: Context, node: ast.Subscript | ast.Attribute, operand: ast.expr,
           compute: Callable[[Value, Value], Value | None]) -> None:
    """Do ``node = compute(node, operand)``, finding the place once; None: it is done."""
    _update(ctx, target_of(ctx, node, read=True), node, operand, compute)


def update_whole(ctx: Context, memory: Memory, node: ast.AST, operand: ast.expr,
                 compute: Callable[[Value, Value], Value]) -> None:
    """Do ``x = compute(x, operand)`` for an ``x`` that stands for its element in memory."""
    if memory.left:
        raise one_index_each(ctx, memory.name, memory.view.ndim, 0, node)
    _update(ctx, memory.as_target(ctx, node), node, operand, compute)


def _update(ctx: Context, target: Target, node: ast.AST, operand: ast.expr,
            compute: Callable[[Value, Value], Value | None]) -> None:
    target = target.settled(ctx, node, read=True)
    old = target.read(ctx, node)
    before = len(ctx.block)
    right = ctx.value(operand)
    if len(ctx.block) > before:
        old = ctx.keep(old, before)
    made = compute(old, right)
    if made is not None:
        target.write(ctx, made, node, node)
    elif isinstance(target, Item | Property):
        raise ctx.refuse("K054", node, what="what a method of the class assigns changes in place",
                         help="write x.name = x.name + value")


def store(ctx: Context, node: ast.Subscript | ast.Attribute, value: Value,
          origin: ast.AST) -> None:
    """Do ``node = value`` for a subscript or a member."""
    if _has_effects(node):
        value = ctx.hold_value(value)
    target_of(ctx, node).store(ctx, ctx.of(value).as_record(), node, origin)


def _has_effects(target: ast.AST) -> bool:
    return any(isinstance(node, ast.Call | ast.NamedExpr | ast.IfExp | ast.BoolOp)
               for node in ast.walk(target))
