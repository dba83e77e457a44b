"""Calls that a whole group makes together: barriers, collectives, hierarchical loops.

Non-goals: proving that control flow is converged (``passes``). Invariant: each such call is noted
with ``Context.converge`` (SYCL 2020 §4.17.2 to §4.17.4, §4.9.4.2.3).
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from unisycl.base.enums import memory_scope
from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.values import Constant, Item, Nothing, Several, Value, describe
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, WEAK_INT

_SCOPE = {"group": memory_scope.work_group, "sub_group": memory_scope.sub_group}
OPERATORS = frozenset(("plus", "multiplies", "bit_and", "bit_or", "bit_xor", "logical_and",
                       "logical_or", "minimum", "maximum"))


def _group(ctx: Context, value: Value, node: ast.AST, what: str) -> memory_scope:
    if not isinstance(value, Item) or value.kind not in _SCOPE:
        raise ctx.refuse("K049", node, found=describe(value), expected="a group or sub_group",
                         help="pass it.get_group() or it.get_sub_group()")
    ctx.converge(node, what)
    if ctx.shape.kind == "work_group":
        raise ctx.refuse("K052", node, what=what, where="in a hierarchical kernel",
                         help="parallel_for_work_item has barriers at both of its ends")
    return _SCOPE[value.kind]


def _barrier(ctx: Context, node: ast.Call) -> Value:
    args = ctx.operands(*node.args)
    scope = _group(ctx, args[0] if args else Nothing(), node, "group_barrier")
    ctx.emit(n.Barrier(scope, span=ctx.span(node)))
    return Nothing()


def _predicate(op: str) -> Callable[[Context, ast.Call], Value]:
    def lower(ctx: Context, node: ast.Call) -> Value:
        args = ctx.operands(*node.args)
        scope = _group(ctx, args[0], node, f"{op}_of_group")
        x = coerce.truth(ctx.to_scalar(args[1], node))
        return _collect(ctx, op, (x,), scope, node, type=x)
    return lower


def _collect(ctx: Context, op: str, args: tuple[n.Expr, ...], scope: memory_scope,
             node: ast.AST, *, type: n.Expr, combine: str = "") -> n.Expr:
    result = n.Local(op, BOOL if op in ("any", "all", "none") else type.type)
    ctx.emit(n.GroupCall(result, op, args, scope, combine, span=ctx.span(node)))
    return n.Read(result.type, result)


def _reduction(op: str, name: str) -> Callable[[Context, ast.Call], Value]:
    def lower(ctx: Context, node: ast.Call) -> Value:
        args = ctx.operands(*node.args)
        if len(args) not in (3, 4):
            raise ctx.refuse("K034", node, what=name, expected="(group, x[, init], operator)",
                             found=len(args))
        scope = _group(ctx, args[0], node, name)
        operator = args[-1]
        combine = getattr(operator.object, "__name__", "") if isinstance(operator, Constant) else ""
        if combine not in OPERATORS:
            raise ctx.refuse("K052", node, what=describe(operator), where=f"as operator of {name}",
                             help="use one of unisycl's function objects: plus(), minimum(), ...")
        x = ctx.to_scalar(args[1], node)
        operands = [x]
        if len(args) == 4:
            init = ctx.to_scalar(args[2], node)
            type = coerce.join(x.type, init.type) or x.type
            operands = [coerce.cast(x, type), coerce.cast(init, type)]
        return _collect(ctx, op, tuple(operands), scope, node, type=operands[0], combine=combine)
    return lower


def _move(op: str, name: str) -> Callable[[Context, ast.Call], Value]:
    def lower(ctx: Context, node: ast.Call) -> Value:
        args = ctx.operands(*node.args)
        scope = _group(ctx, args[0], node, name)
        x = ctx.to_scalar(args[1], node)
        default = 0 if op == "broadcast" else 1
        where = _local_place(ctx, args[2], node) if len(args) > 2 else n.Const(WEAK_INT, default)
        return _collect(ctx, op, (x, coerce.cast(where, WEAK_INT)), scope, node, type=x)
    return lower


def _local_place(ctx: Context, value: Value, node: ast.AST) -> n.Expr:
    """Return a local id as its linear position."""
    if isinstance(value, Several):
        place: n.Expr = coerce.weak_scalar(0)
        for d, item in enumerate(value.items):
            place = coerce.binary("mul", place, n.Query(WEAK_INT, "local_range", d), WEAK_INT)
            place = coerce.binary("add", place, ctx.to_scalar(item, node), WEAK_INT)
        return place
    return ctx.to_scalar(value, node)


def call_group_method(ctx: Context, item: Item, name: str, args: list[Value], node: ast.AST,
                      inline: Callable[[Context, Value, Item, ast.AST], None]) -> Value:
    """Lower ``nd_item.barrier`` and ``group.parallel_for_work_item``."""
    if name == "barrier":
        ctx.converge(node, "barrier")
        ctx.emit(n.Barrier(memory_scope.work_group, span=ctx.span(node)))
        return Nothing()
    if ctx.shape.kind != "work_group":
        raise ctx.refuse("K052", node, what="parallel_for_work_item", where="here",
                         help="launch the kernel with parallel_for_work_group")
    if ctx.in_items:
        raise ctx.refuse("K052", node, what="parallel_for_work_item",
                         where="inside another parallel_for_work_item", help="")
    if not 1 <= len(args) <= 2:
        raise ctx.refuse("K034", node, what="parallel_for_work_item",
                         expected="([range,] function)", found=len(args))
    extent: tuple[n.Expr, ...] = ()
    if len(args) == 2:
        items = args[0].items if isinstance(args[0], Several) else (args[0],)
        extent = tuple(coerce.cast(ctx.to_scalar(x, node), WEAK_INT) for x in items)
    elif not ctx.shape.local:
        raise ctx.refuse("K052", node, what="parallel_for_work_item without a range",
                         where="when the launch left the local size open",
                         help="give the range here or the local size at the launch")
    ctx.facts.add("convergent")
    ctx.in_items = True
    try:
        with ctx.into() as body:
            inline(ctx, args[-1], Item("h_item", item.ndim), node)
    finally:
        ctx.in_items = False
    ctx.emit(n.WorkItems(extent, tuple(body), span=ctx.span(node)))
    return Nothing()


_MODULE = "unisycl.lang.group."
GROUP_FUNCTIONS: dict[str, Callable[[Context, ast.Call], Value]] = {
    _MODULE + "group_barrier": _barrier,
    _MODULE + "any_of_group": _predicate("any"),
    _MODULE + "all_of_group": _predicate("all"),
    _MODULE + "none_of_group": _predicate("none"),
    _MODULE + "reduce_over_group": _reduction("reduce", "reduce_over_group"),
    _MODULE + "inclusive_scan_over_group": _reduction("inclusive_scan", "inclusive_scan_over_group"),
    _MODULE + "exclusive_scan_over_group": _reduction("exclusive_scan", "exclusive_scan_over_group"),
    _MODULE + "group_broadcast": _move("broadcast", "group_broadcast"),
    _MODULE + "shift_group_left": _move("shift_left", "shift_group_left"),
    _MODULE + "shift_group_right": _move("shift_right", "shift_group_right"),
    _MODULE + "permute_group_by_xor": _move("permute_xor", "permute_group_by_xor"),
    _MODULE + "select_from_group": _move("select", "select_from_group"),
}
