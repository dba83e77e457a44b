"""Indices of memory: what stands in the brackets, as whole numbers.

Non-goals: what is indexed. Invariant: every index is evaluated once, in Python's order.
"""

from __future__ import annotations

import ast

from unisycl.frontend.values.kind import Lowering
from unisycl.ir import nodes as n


def indices_of(ctx: Lowering, node: ast.expr, *, negative: bool = False) -> list[n.Expr]:
    """Return the indices of a subscript; ``negative``: constants below zero are right."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    out: list[n.Expr] = []
    for value, part in zip(ctx.operands(*parts), parts, strict=True):
        for x in ctx.of(value).indices(ctx, part):
            if x.type.dtype.kind not in "iu":
                raise ctx.refuse("K038", part, found=str(x.type), help="convert it first: int(...)")
            if isinstance(x, n.Const) and x.value < 0 and not negative:
                raise ctx.refuse("K059", part, found=x.value)
            out.append(x)
    return out
