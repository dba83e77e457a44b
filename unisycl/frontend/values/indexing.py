"""Indices of memory: what stands in the brackets, as whole numbers.

Non-goals: what is indexed. Invariants: every index is evaluated once, in Python's order; one that
is written as a number below zero (``-1``, ``-1 - i``, ``~i``), and no other, counts from the end.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping

from unisycl.base.diagnostics import diagnostic
from unisycl.base.errors import Diagnostic
from unisycl.base.spans import Span
from unisycl.frontend import coerce
from unisycl.frontend.values.kind import Lowering
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, WEAK_INT
from unisycl.passes import pipeline


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
            elif extent is not None and not negative:
                x = counted(ctx, x, part, functools.partial(extent, len(out)))
            out.append(x)
    return out


def counted(ctx: Lowering, x: n.Expr, node: ast.expr, extent: Callable[[], n.Expr]) -> n.Expr:
    """Return the index that is meant by one that is no constant: from the end if below zero.

    Only what is written so that it is below zero is looked at, or costs anything.
    """
    if isinstance(x, n.Const) or x.type.dtype.kind != "i":
        return x
    if isinstance(node, ast.Name):
        ctx.doubts.indices[ctx.span(node)] = f"'{node.id}'", x
    if not _is_written_below(node):
        return x
    ctx.note_place(node)
    return from_either_end(ctx, x, extent)


def from_either_end(ctx: Lowering, x: n.Expr, extent: Callable[[], n.Expr]) -> n.Expr:
    """Return the index that a signed integer means: from the end if it is below zero."""
    below = pipeline.always_negative((), x)
    x = coerce.convert(x, WEAK_INT)
    x = x if below else ctx.hold(x, "index")
    moved = coerce.binary("add", extent(), x, WEAK_INT)
    return moved if below else coerce.select(
        n.Compare(BOOL, "lt", x, n.Const(WEAK_INT, 0)), moved, x, WEAK_INT)


def check(indices: Mapping[Span, tuple[str, n.Expr]], body: n.Block) -> list[Diagnostic]:
    """Return what is wrong with indices by names that only ever stand for numbers below zero."""
    return [diagnostic("K059", span, found=name) for span, (name, x) in indices.items()
            if pipeline.always_negative(body, x)]


def _is_written_below(node: ast.expr) -> bool:
    """Say whether an expression begins as a number below zero does, by a minus sign or ``~``."""
    match node:
        case ast.UnaryOp(op=ast.USub() | ast.Invert()) | ast.BinOp(ast.Constant(0), ast.Sub()):
            return True
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv()):
            return _is_written_below(node.left)
        case ast.IfExp():
            return _is_written_below(node.body) or _is_written_below(node.orelse)
    return False


def from_end(ctx: Lowering, x: n.Const, count: n.Expr | None, node: ast.AST) -> n.Expr:
    """Return the index that a negative number written in brackets means; refuse other ones."""
    if count is None or not isinstance(node, ast.expr) or not _is_written_below(node):
        raise ctx.refuse("K059", node, found=x.value)
    ctx.note_place(node)
    return coerce.binary("add", count, coerce.weak_scalar(x.value), WEAK_INT)
