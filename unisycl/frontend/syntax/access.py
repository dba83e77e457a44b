"""Subscripts and attributes: what they mean, every kind of value knows itself.

Non-goals: calls, assignments. Invariant: a reference, or a pointer that is followed, is left before
a part is taken.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from unisycl.frontend.context import Context
from unisycl.frontend.values.kind import Value, as_tuple


def lower_subscript(ctx: Context, node: ast.Subscript) -> Value:
    return subscript_of(ctx, ctx.value(node.value), node)


def subscript_of(ctx: Context, base: Value, node: ast.Subscript) -> Value:
    """Return ``base[...]``."""
    found = as_tuple(ctx.of(base).referent(ctx, node))
    return ctx.of(found).subscript(ctx, node)


def lower_attribute(ctx: Context, node: ast.Attribute) -> Value:
    return attribute_of(ctx, ctx.value(node.value), node)


def attribute_of(ctx: Context, owner: Value, node: ast.Attribute) -> Value:
    """Return ``owner.name``."""
    return ctx.of(ctx.of(owner).referent(ctx, node)).attribute(ctx, node)


LOWER: dict[type[ast.AST], Callable[[Context, Any], Value]] = {
    ast.Subscript: lower_subscript, ast.Attribute: lower_attribute,
}

__all__ = ["LOWER"]
