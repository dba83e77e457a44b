"""Texts that work-items write, piece by piece: what values that are no numbers are made of.

Non-goals: where texts go (``forms.output``). Invariant: a number stands behind the piece that says
how it is shown, if there is one.
"""

from __future__ import annotations

import ast

from unisycl.base.value_text import Shown
from unisycl.frontend.values.kind import Lowering, Piece, Value
from unisycl.frontend.values.methods import Method
from unisycl.ir import nodes as n
from unisycl.lang.kernels.stream import INDEX_PARTS


def spelt(ctx: Lowering, value: Value, node: ast.AST, *, inside: bool = False) -> list[Piece]:
    """Return a value as Python's ``str`` spells it; ``inside`` of a tuple as its ``repr`` does."""
    found = ctx.of(value).spelt(ctx, node, inside=inside)
    if found is not None:
        return found
    x = printable(ctx, ctx.to_scalar(value, node, unsure=True), node)
    return [Shown("repr"), x] if inside else [x]


def printable(ctx: Lowering, x: n.Expr, node: ast.AST) -> n.Expr:
    """Return a number that devices can print, or refuse it."""
    if x.type.dtype.made:
        raise ctx.refuse("K049", node, found=x.type, expected="a number that can be printed",
                         help="print z.real and z.imag" if x.type.dtype.kind == "c" else
                         "convert it first: np.float32(x)")
    return ctx.exactly(x, node)


def components(ctx: Lowering, value: Value, node: ast.AST) -> tuple[n.Expr, ...]:
    """Return the numbers of a tuple, id, range or vector."""
    return tuple(ctx.to_scalar(v, node) for v in ctx.of(value).components(ctx, node))


def shown(ctx: Lowering, how: str, value: Value, node: ast.AST) -> list[Piece]:
    """Return the numbers of a value behind what says how they are shown."""
    numbers = components(ctx, value, node)
    return [Shown(how, len(numbers)), *numbers]


def indexed(ctx: Lowering, owner: Value, kind: str, node: ast.AST) -> list[Piece]:
    """Return an index object as its queries."""
    out: list[Piece] = []
    for literal, method in INDEX_PARTS[kind]:
        out.append(literal)
        if method:
            out += shown(ctx, "set", ctx.call(ctx, Method(owner, method), [], node), node)
    return out
