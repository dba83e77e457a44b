"""Functions as values: one of two chosen by a condition, and some arguments given beforehand.

A call of a chosen function is a branch with both, each inlined. Non-goals: calls themselves.
Invariant: which function it is was decided where Python decides it, once.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence

from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.form_registry import form
from unisycl.frontend.syntax.flow import Definition, Label, settle, site, state
from unisycl.frontend.values.absent import Nothing, Poison
from unisycl.frontend.values.constants import are_of_numbers
from unisycl.frontend.values.functions import Either, Partial
from unisycl.frontend.values.joins import form_of
from unisycl.frontend.values.kind import Met, Value, describe
from unisycl.frontend.values.numbers import kind_of
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL


def chosen(cond: n.Expr, left: Value, right: Value) -> Value | None:
    """Return one of two functions by a condition that is held; None if they are no functions."""
    if not (kind_of(left).is_function and kind_of(right).is_function) or (
            left != right and are_of_numbers((left, right))):
        return None
    return left if left == right else Either(cond, left, right)


def of_table(ctx: Context, items: Sequence[Value], index: n.Expr) -> Value | None:
    """Return one of several functions by an index; None if they are no functions."""
    if not all(ctx.of(v).is_function for v in items) or are_of_numbers(items):
        return None
    result, count = items[-1], len(items)
    for k in range(count - 2, -1, -1):
        test: n.Expr = n.Const(BOOL, False)
        for at in (k, k - count) if index.type.dtype.kind == "i" else (k,):
            one = coerce.compare("eq", index, coerce.weak_scalar(at))
            assert one is not None
            test = coerce.binary("or", test, coerce.truth(one), BOOL)
        result = chosen(ctx.hold(test), items[k], result) or result
    return result


def call_either(ctx: Context, callee: Either, args: list[Value], keywords: dict[str, Value],
                node: ast.AST) -> Value:
    """Call both functions, each where it was chosen, and return the result in a variable."""
    key = (ctx.frame.key, "choice", ctx.span(node), *ctx.unrolled)
    held = [ctx.hold_value(a) for a in args]
    named = {k: ctx.hold_value(v) for k, v in keywords.items()}
    result: Value | n.Local | None = None
    given: list[Met] = []
    blocks = []
    before, label = state(ctx), Label(site(ctx, node, "call"))
    for k, function in enumerate((callee.then, callee.orelse)):
        before.restore(ctx)
        ctx.unrolled.append(-1 - k)  # the variables of one function are none of the other
        try:
            with ctx.branch() as block:
                found = ctx.syntax.call_function(ctx, function, list(held), node, dict(named))
                if not isinstance(found, Nothing | Poison):
                    given.append(Met(found, dict(ctx.known)))
                    form = ctx.types.get(key) or form_of(found)
                    result = ctx.adopt(key, "the result", form, found, node)
                label.jump(ctx, node)
        finally:
            ctx.unrolled.pop()
        blocks.append(tuple(block))
    label.land(ctx)
    ctx.emit(n.If(callee.cond, blocks[0], blocks[1], span=ctx.span(node)))
    if len(given) == 1:
        raise ctx.refuse("K035", node, name="the result", first="nothing", second="a value")
    if result is None:
        return Nothing()
    settle(ctx, key, "the result", given, Definition(), node)
    return n.Read(result.type, result) if isinstance(result, n.Local) else result


@form(functools.partial)
def lower_partial(ctx: Context, node: ast.Call) -> Value:
    """Lower ``functools.partial(f, ...)``."""
    values = ctx.operands(*node.args, *(k.value for k in node.keywords))
    count = len(node.args)
    if not count or not ctx.of(values[0]).is_function:
        raise ctx.refuse("K034", node, what="'partial'", expected="a function and arguments",
                         found=describe(values[0]) if count else 0)
    held = [ctx.hold_value(v) for v in values]
    return Partial(held[0], tuple(held[1:count]), tuple(
        (str(k.arg), v) for k, v in zip(node.keywords, held[count:], strict=True)))
