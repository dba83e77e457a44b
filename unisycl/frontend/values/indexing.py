"""Indices of memory: what stands in the brackets, as whole numbers.

Non-goals: what is indexed. Invariants: every index is evaluated once, in Python's order; one that
is written as a negative number, and no other, counts from the end.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from unisycl.frontend import coerce
from unisycl.frontend.values.kind import Lowering
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_INT


def indices_of(ctx: Lowering, node: ast.expr, extent: Callable[[int], n.Expr] | None = None, *,
               negative: bool = False) -> list[n.Expr]:
    """Return the indices of a subscript.

    Args:
        ctx: the lowering at hand.
        node: what stands in the brackets.
        extent: how many elements there are in the dimension of an index.
        negative: whether constants below zero are right as they are.
    """
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    out: list[n.Expr] = []
    for value, part in zip(ctx.operands(*parts), parts, strict=True):
        for x in ctx.of(value).indices(ctx, part):
            if x.type.dtype.kind not in "iu":
                raise ctx.refuse("K038", part, found=str(x.type), help="convert it first: int(...)")
            if isinstance(x, n.Const) and x.value < 0 and not negative:
                x = from_end(ctx, x, None if extent is None else extent(len(out)), part)
            out.append(x)
    return out


def from_end(ctx: Lowering, x: n.Const, count: n.Expr | None, node: ast.AST) -> n.Expr:
    """Return the index that a negative number written in brackets means; refuse other ones."""
    if count is None or not (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
                             and isinstance(node.operand, ast.Constant)):
        raise ctx.refuse("K059", node, found=x.value)
    ctx.note_place(node)
    return coerce.binary("add", count, coerce.weak_scalar(x.value), WEAK_INT)
