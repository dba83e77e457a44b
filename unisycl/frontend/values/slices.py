"""Slices of memory: ``a[i:j]`` is a span, a window on elements that the kernel goes on indexing.

Non-goals: steps, windows on other dimensions than the last (``windows``). Invariant: where
a window begins and ends was evaluated where the slice stands; nothing is copied.
"""

from __future__ import annotations

import ast

from unisycl.frontend import coerce
from unisycl.frontend.values.indexing import counted, from_end
from unisycl.frontend.values.kind import Lowering
from unisycl.frontend.values.memory_places import MemoryPlace
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, WEAK_INT


def is_span(node: ast.expr) -> bool:
    """Say whether brackets hold a slice without a step."""
    return isinstance(node, ast.Slice) and node.step is None


def sliced(ctx: Lowering, memory: MemoryPlace,
           node: ast.Subscript) -> tuple[n.Expr, n.Expr]:
    """Return the window that a slice of memory denotes: where it begins, and its size."""
    cut = node.slice
    assert isinstance(cut, ast.Slice)
    assert memory.left == 1
    assert cut.step is None
    count = memory.extent(len(memory.index))
    low = slice_bound(ctx, cut.lower, count) if cut.lower is not None else coerce.weak_scalar(0)
    high = slice_bound(ctx, cut.upper, count) if cut.upper is not None else count
    size = ctx.hold(coerce.binary("sub", high, low, WEAK_INT), "size")
    if memory.window is not None:
        low = ctx.hold(coerce.binary("add", memory.window[0], low, WEAK_INT), "first")
    return low, size


def row_and_slice(node: ast.Subscript) -> tuple[ast.Subscript, ast.Subscript] | None:
    """Return ``a[i]`` and ``a[i][j:k]`` for ``a[i, j:k]``; None for other brackets."""
    if not isinstance(node.slice, ast.Tuple) or len(node.slice.elts) < 2:
        return None
    *indices, cut = node.slice.elts
    if not isinstance(cut, ast.Slice) or cut.step is not None or any(
            isinstance(x, ast.Slice | ast.Starred) for x in indices):
        return None
    place = indices[0] if len(indices) == 1 else ast.copy_location(
        ast.Tuple(indices, ast.Load()), node.slice)
    row = ast.copy_location(ast.Subscript(node.value, place, ast.Load()), node)
    return row, ast.copy_location(ast.Subscript(row, cut, node.ctx), node)


def slice_bound(ctx: Lowering, node: ast.expr, count: n.Expr) -> n.Expr:
    """Return where a slice begins or ends, of so many elements."""
    x = ctx.to_scalar(ctx.value(node), node, unsure=True)
    if not x.type.dtype.is_integer:
        raise ctx.refuse("K038", node, found=str(x.type), help="convert it first: int(...)")
    if isinstance(x, n.Const) and x.value < 0:
        x = from_end(ctx, x, count, node)
    x = counted(ctx, x, node, lambda: count)
    return ctx.hold(coerce.convert(x, WEAK_INT), "bound")


def inside(ctx: Lowering, memory: MemoryPlace, index: n.Expr, node: ast.AST) -> n.Expr:
    """Return ``shifted``, checked to be in its slice; pointers may go anywhere."""
    if memory.window is None or memory.pointer is not None or "bounds" not in ctx.shape.checks:
        return shifted(memory, index)
    first, size = memory.window
    index = ctx.hold(coerce.convert(index, WEAK_INT))
    last, end = (n.Binary(WEAK_INT, op, a, b) for op, a, b in (
        ("sub", size, n.Const(WEAK_INT, 1)), ("add", first, size)))
    good = n.Binary(BOOL, "and", n.Compare(BOOL, "ge", index, n.Const(WEAK_INT, 0)),
                    n.Compare(BOOL, "lt", index, size))
    ctx.emit(n.Check(good, ("index ", index, f" is outside '{memory.name}[", first, ":", end,
                            "]' (range ", size, "): valid is 0 to ", last), span=ctx.span(node)))
    return shifted(memory, index)


def shifted(memory: MemoryPlace, index: n.Expr) -> n.Expr:
    """Return the index in the whole memory of an element of a window."""
    if memory.window is None:
        return index
    return coerce.binary("add", memory.window[0], coerce.convert(index, WEAK_INT), WEAK_INT)
