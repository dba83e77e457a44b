"""Names that stand for one of several memories, which one being known at run time only.

``src, dst = dst, src`` in a loop, ``p = a if c else b``: the name is a number, which says where to
look. Non-goals: pointers, which have addresses (``stored_pointers``); records, windows and rows
with names. Invariants: memories that share a name are alike in all but where they are; an index is
evaluated once, and only the memory that was chosen is touched.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from unisycl.frontend import coerce
from unisycl.frontend.values.kind import Lowering, Value
from unisycl.frontend.values.kinds import Choice, Memory, describe
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, WEAK_INT, PointerType, Scalar, View

Known = tuple[tuple[Any, ...], ...]


def is_plain(value: object) -> bool:
    """Say whether a value is whole memory of numbers, which may share a name with others."""
    if isinstance(value, Choice):
        return not value.index
    return isinstance(value, Memory) and not value.index and value.window is None \
        and value.pointer is None and not value.per_item and not value.reference \
        and isinstance(value.view.elem, Scalar) and not isinstance(value.view.elem, PointerType)


def options(ctx: Lowering, values: Sequence[object]) -> Known | None:
    """Return the memories that a name stands for which is given all of these; None if it is one."""
    plain = [v for v in values if isinstance(v, Memory | Choice) and is_plain(v)]
    if len(plain) < len(values):
        return None
    found = {x for v in plain for x in _options(ctx, v)}
    views = {ctx.memories[x].view for x in found if x in ctx.memories}
    if len(views) != 1 or (len(found) == 1 and not any(isinstance(v, Choice) for v in plain)):
        return None
    return tuple(sorted(found, key=repr))


def kept(ctx: Lowering, which: n.Local, together: Known, value: object, name: str) -> Choice:
    """Return what a name stands for that is given a memory, or one of several; None: the first."""
    if isinstance(value, Memory | Choice):
        together = tuple(sorted({*together, *_options(ctx, value)}, key=repr))
        ctx.emit(n.Assign(which, _number(value, _options(ctx, value), together)))
    else:
        ctx.emit(n.Assign(which, coerce.weak_scalar(0)))
    return Choice(n.Read(WEAK_INT, which), together, name=name)


def alike(ctx: Lowering, left: Value, right: Value) -> bool:
    """Say whether two memories differ in nothing but where they are."""
    assert isinstance(left, Memory | Choice)
    assert isinstance(right, Memory | Choice)
    names = (*_options(ctx, left), *_options(ctx, right))
    return len({ctx.memories[x].view for x in names if x in ctx.memories}) == 1


def _options(ctx: Lowering, value: Memory | Choice) -> Known:
    """Return the memories a value may be, by names that hold in every round."""
    if isinstance(value, Choice):
        return value.options
    base = value.base
    key = ("param", *base.path) if isinstance(base, n.Param) else ("array", ctx.arrays.index(base))
    ctx.memories[key] = value
    return (key,)


def _number(value: Memory | Choice, given: Known, together: Known) -> n.Expr:
    """Return the place of a value among the memories a name may stand for."""
    if isinstance(value, Memory) or given == together:
        return coerce.weak_scalar(together.index(given[0])) if isinstance(value, Memory) \
            else value.which
    *front, last = (coerce.weak_scalar(together.index(x)) for x in given)
    found: n.Expr = last
    for k in range(len(front) - 1, -1, -1):
        found = n.Select(WEAK_INT, _is(value.which, k), front[k], found)
    return found


def _is(which: n.Expr, k: int) -> n.Expr:
    return n.Compare(BOOL, "eq", which, coerce.weak_scalar(k))


# ---- elements
def first(ctx: Lowering, choice: Choice, node: ast.AST) -> Memory:
    """Return the first of the memories, which tells the type of all."""
    return _all(ctx, choice, node)[0]


def _all(ctx: Lowering, choice: Choice, node: ast.AST) -> list[Memory]:
    """Return the memories, all at the index that was given."""
    for x in choice.options:
        param = ctx.params.get(x[1:]) if x[0] == "param" else None
        if param is not None and x not in ctx.memories and isinstance(param.type, View):
            ctx.memories[x] = Memory(param, param.type, name=param.name)
    if any(x not in ctx.memories for x in choice.options):
        raise ctx.refuse("K049", node, found=describe(choice), expected="memory made before",
                         help="make all memories that a name stands for before its first use")
    return [replace(ctx.memories[x], index=choice.index) for x in choice.options]


def load(ctx: Lowering, choice: Choice, node: ast.AST) -> n.Expr:
    """Return an element of the memory that was chosen."""
    elem = first(ctx, choice, node).view.elem
    assert isinstance(elem, Scalar)
    result = n.Local("t", elem)
    each(ctx, choice, lambda memory: ctx.emit(n.Assign(result, ctx.load(memory, node))), node)
    return n.Read(elem, result)


def each(ctx: Lowering, choice: Choice, do: Callable[[Memory], None], node: ast.AST) -> None:
    """Emit what is done with the memory that was chosen, for each that it may be."""
    which = ctx.hold(choice.which)
    blocks = []
    for memory in _all(ctx, choice, node):
        with ctx.into() as block:
            do(memory)
        blocks.append(tuple(block))
    rest = blocks[-1]
    for k in range(len(blocks) - 2, -1, -1):
        rest = (n.If(_is(which, k), blocks[k], rest, span=ctx.span(node)),)
    for stmt in rest:
        ctx.emit(stmt)
