"""Calls that a whole group makes together: barriers, collectives, hierarchical loops.

Non-goals: proving that control flow is converged (``passes``). Invariant: each such call is noted
with ``Context.converge`` (SYCL 2020 §4.17.2 to §4.17.4, §4.9.4.2.3).
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from unisycl.base.enums import memory_order, memory_scope
from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.parameters import parameters
from unisycl.frontend.reducers import operator_name
from unisycl.frontend.values import Constant, Item, Nothing, Several, Value, describe
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, WEAK_BOOL, WEAK_INT

_SCOPE = {"group": memory_scope.work_group, "sub_group": memory_scope.sub_group}


def _group(ctx: Context, value: Value, node: ast.AST, what: str, *,
           sub_groups_only: bool = False) -> memory_scope:
    if ctx.shape.kind in ("single", "range"):
        raise ctx.refuse("K050", node, what=f"'{what}'")
    if not isinstance(value, Item) or value.kind not in _SCOPE:
        raise ctx.refuse("K049", node, found=describe(value), expected="a group or sub_group",
                         help="pass it.get_group() or it.get_sub_group()")
    if sub_groups_only and value.kind != "sub_group":
        raise ctx.refuse("K049", node, found="a group", expected="a sub_group",
                         help=f"{what} works within sub-groups: pass it.get_sub_group()")
    ctx.converge(node, what)
    if ctx.shape.kind == "work_group":
        raise ctx.refuse("K052", node, what=f"'{what}'", where="in a hierarchical kernel",
                         help="parallel_for_work_item has barriers at both of its ends")
    return _SCOPE[value.kind]


def _barrier(ctx: Context, node: ast.Call) -> Value:
    found = parameters(ctx, node, "group_barrier", ("group",), ("fence_scope",))
    scope = _group(ctx, found["group"], node, "group_barrier")
    ctx.emit(n.Barrier(scope, span=ctx.span(node)))
    return Nothing()


def _predicate(op: str) -> Callable[[Context, ast.Call], Value]:
    def lower(ctx: Context, node: ast.Call) -> Value:
        name = f"{op}_of_group"
        found = parameters(ctx, node, name, ("group", "x"), ("pred",))
        value = found["x"]
        if "pred" in found:
            value = ctx.call(ctx, found["pred"], [value], node)
        x = coerce.truth(ctx.to_scalar(value, node))
        scope = _group(ctx, found["group"], node, name)
        return coerce.convert(_collect(ctx, op, (x,), scope, node, type=x), WEAK_BOOL)
    return lower


def _collect(ctx: Context, op: str, args: tuple[n.Expr, ...], scope: memory_scope,
             node: ast.AST, *, type: n.Expr, combine: str = "") -> n.Expr:
    result = n.Local(op, BOOL if op in ("any", "all", "none") else type.type)
    ctx.emit(n.GroupCall(result, op, args, scope, combine, span=ctx.span(node)))
    return n.Read(result.type, result)


def _reduction(op: str) -> Callable[[Context, ast.Call], Value]:
    """Make the lowering of a reduction or scan: (group, x, op), with init before or behind op.

    SYCL 2020 §4.17.3 puts it before for reductions and exclusive scans, behind for inclusive ones;
    which of the two is the operator is plain, so both orders are understood.
    """
    name = f"{op}_over_group"
    usual = ("op", "init") if op == "inclusive_scan" else ("init", "op")

    def lower(ctx: Context, node: ast.Call) -> Value:
        order = usual if len(node.args) != 3 or node.keywords else ("op",)
        found = parameters(ctx, node, name, ("group", "x"), order)
        init, operator = found.get("init"), found.get("op")
        if _operator(operator) == "" and _operator(init):
            init, operator = operator, init
        combine = _operator(operator)
        if not combine:
            raise ctx.refuse("K052", node, what=describe(operator or Nothing()),
                             where=f"as operator of '{name}'",
                             help="use one of unisycl's function objects: plus, minimum, ...")
        x = ctx.to_scalar(found["x"], node)
        operands = [x]
        if init is not None:
            first = ctx.to_scalar(init, node)
            type = coerce.join(x.type, first.type) or x.type
            operands = [coerce.convert(x, type), coerce.convert(first, type)]
        if combine.startswith("bit") and operands[0].type.dtype.is_float:
            raise ctx.refuse("K036", node, op=combine, types=operands[0].type,
                             help="these operators need integers")
        scope = _group(ctx, found["group"], node, name)
        return _collect(ctx, op, tuple(operands), scope, node, type=operands[0], combine=combine)
    return lower


def _operator(value: Value | None) -> str:
    """Return the name of one of SYCL's function objects; '' for anything else."""
    return operator_name(value.object) if isinstance(value, Constant) else ""


def _move(op: str, name: str, where: str, *, needed: bool = False) -> Callable[
        [Context, ast.Call], Value]:
    """Make the lowering of a function that gives each work-item another one's value."""
    required = ("group", "x", where) if needed else ("group", "x")

    def lower(ctx: Context, node: ast.Call) -> Value:
        found = parameters(ctx, node, name, required, () if needed else (where,))
        x = ctx.to_scalar(found["x"], node)
        default = coerce.weak_scalar(0 if op == "broadcast" else 1)
        place = _local_place(ctx, found[where], node) if where in found else default
        if not place.type.dtype.is_integer:
            raise ctx.refuse("K049", node, found=place.type, expected="an integer",
                             help="use int(...)")
        scope = _group(ctx, found["group"], node, name, sub_groups_only=op != "broadcast")
        return _collect(ctx, op, (x, coerce.convert(place, WEAK_INT)), scope, node, type=x)
    return lower


def _local_place(ctx: Context, value: Value, node: ast.AST) -> n.Expr:
    """Return a local id as its linear position."""
    if isinstance(value, Several) and len(value.items) > 1:
        place: n.Expr = coerce.weak_scalar(0)
        for d, item in enumerate(value.items):
            place = coerce.binary("mul", place, n.Query(WEAK_INT, "local_range", d), WEAK_INT)
            place = coerce.binary("add", place, ctx.to_scalar(item, node), WEAK_INT)
        return place
    return ctx.to_scalar(value, node)


def call_group_method(ctx: Context, item: Item, name: str, args: list[Value],
                      node: ast.AST) -> Value:
    """Lower ``nd_item.barrier``, ``nd_item.mem_fence`` and ``group.parallel_for_work_item``."""
    if name in ("barrier", "fence"):
        if len(args) > 1:
            raise ctx.refuse("K034", node, what=f"'{name}'", expected="([fence_space])",
                             found=len(args))
        if name == "fence":
            ctx.emit(n.Fence(memory_order.acq_rel, memory_scope.work_group, span=ctx.span(node)))
        else:
            ctx.converge(node, "barrier")
            ctx.emit(n.Barrier(memory_scope.work_group, span=ctx.span(node)))
        return Nothing()
    return _work_items(ctx, item, args, node)


def _work_items(ctx: Context, item: Item, args: list[Value], node: ast.AST) -> Value:
    if ctx.shape.kind != "work_group":
        raise ctx.refuse("K052", node, what="parallel_for_work_item", where="here",
                         help="launch the kernel with parallel_for_work_group")
    if ctx.in_items:
        raise ctx.refuse("K052", node, what="parallel_for_work_item",
                         where="inside another parallel_for_work_item",
                         help="end the first one, then start the second")
    if not 1 <= len(args) <= 2:
        raise ctx.refuse("K034", node, what="'parallel_for_work_item'",
                         expected="([range,] function)", found=len(args))
    extent: tuple[n.Expr, ...] = ()
    if len(args) == 2:
        items = args[0].items if isinstance(args[0], Several) else (args[0],)
        if len(items) != item.ndim:
            raise ctx.refuse("K037", node, what="the work-group", expected=item.ndim,
                             found=len(items), help="give one extent for each dimension")
        extent = tuple(coerce.convert(ctx.to_scalar(x, node), WEAK_INT) for x in items)
    elif not ctx.shape.local:
        raise ctx.refuse("K052", node, what="parallel_for_work_item without a range",
                         where="when the launch left the local size open",
                         help="give the range here or the local size at the launch")
    ctx.facts.add("convergent")
    ctx.in_items = True
    try:
        with ctx.into() as body:
            ctx.call(ctx, args[-1], [Item("h_item", item.ndim)], node)
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
    _MODULE + "reduce_over_group": _reduction("reduce"),
    _MODULE + "inclusive_scan_over_group": _reduction("inclusive_scan"),
    _MODULE + "exclusive_scan_over_group": _reduction("exclusive_scan"),
    _MODULE + "group_broadcast": _move("broadcast", "group_broadcast", "local_id"),
    _MODULE + "shift_group_left": _move("shift_left", "shift_group_left", "delta"),
    _MODULE + "shift_group_right": _move("shift_right", "shift_group_right", "delta"),
    _MODULE + "permute_group_by_xor": _move("permute_xor", "permute_group_by_xor", "mask",
                                            needed=True),
    _MODULE + "select_from_group": _move("select", "select_from_group", "remote_local_id",
                                         needed=True),
}
