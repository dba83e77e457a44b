"""Rows of memory as a whole: ``x, y, z = points[i]``, ``out[i] = x, y, z``, ``row[:] = 0``.

They are reads and stores of single elements. Non-goals: copies of memory to memory, which may
overlap, and arithmetic of rows. Invariant: what is stored was evaluated before.
"""

from __future__ import annotations

import ast

from unisycl.frontend.context import Context
from unisycl.frontend.syntax.given import given, placed
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.items import Item
from unisycl.frontend.values.kind import Value, describe
from unisycl.frontend.values.memory import Memory
from unisycl.frontend.values.tuples import Several
from unisycl.frontend.values.windows import Window
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, WEAK_INT


def elements(ctx: Context, row: Memory | Window, count: int, node: ast.AST) -> tuple[Value, ...]:
    """Return the elements of a row that has to have so many."""
    extent = _length(row)
    for op, text in (("le", f"ValueError: too many values to unpack (expected {count})"),
                     ("ge", f"ValueError: not enough values to unpack (expected {count}, got ")):
        more = (extent, ")") if op == "ge" else ()
        _check(ctx, op, extent, count, (text, *more), node)
    return tuple(ctx.value(placed(ast.Subscript(given(row, node), ast.Constant(k), ast.Load()),
                                  node)) for k in range(count))


def fill(ctx: Context, row: Memory | Window, value: Value, node: ast.AST, origin: ast.AST) -> None:
    """Store the numbers of a tuple in a row, or one number in all its elements."""
    extent = _length(row)
    listed = ctx.of(value).listed(ctx)
    if listed is not None:
        if len(listed) == 1 or row.left > 1:
            raise ctx.refuse("K037", node, what=f"'{row.name}'", expected=row.left, found=0,
                             help="give one index for each dimension")
        held = ctx.hold_value(Several(listed))
        assert isinstance(held, Several)
        said = f"ValueError: could not broadcast input array from shape ({len(held.items)},) into "
        _check(ctx, "eq", extent, len(held.items), (f"{said}shape (", extent, ",)"), node)
        ctx.lower_body(ctx, [_store(row, ast.Constant(k), given(v, origin), node)
                             for k, v in enumerate(held.items)])
        return
    if isinstance(value, Item):
        value = ctx.to_scalar(value, origin)
    if not isinstance(value, n.Expr):
        raise ctx.refuse("K049", origin, found=describe(value), expected="a number or a tuple",
                         help="copy in a loop: for k, x in enumerate(a): b[k] = x")
    x, turn = ctx.hold(value), f"element of {row.left}"
    over = ast.Call(given(Constant(range), node), [given(ctx.hold(extent), node)], [])
    body = _store(row, ast.Name(turn, ast.Load()), given(x, origin), node)
    loop: ast.stmt = ast.For(ast.Name(turn, ast.Store()), over, [body], [])
    ctx.lower_body(ctx, [placed(loop, node)])


def _length(row: Memory | Window) -> n.Expr:
    found = row.length()
    assert found is not None
    return found


def _store(row: Memory | Window, index: ast.expr, x: ast.expr, node: ast.AST) -> ast.stmt:
    place = ast.Subscript(given(row, node), index, ast.Store())
    return placed(ast.Assign([place], x), node)


def _check(ctx: Context, op: str, extent: n.Expr, count: int, said: tuple[str | n.Expr, ...],
           node: ast.AST) -> None:
    """Report in debug mode what Python raises where a row has another length."""
    if "assert" in ctx.shape.checks:
        extent = ctx.hold(extent)
        ctx.emit(n.Check(n.Compare(BOOL, op, extent, n.Const(WEAK_INT, count)), said,
                         span=ctx.span(node)))


__all__ = ["elements", "fill"]
