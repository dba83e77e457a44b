"""Methods that a whole group calls: SYCL 1.2's barriers, asynchronous copies, hierarchical loops.

Non-goals: queries (``items``), functions over groups (``groups``). Invariant: a work-item loop
stands at group scope only (SYCL 2020 §4.9.4.2.3).
"""

from __future__ import annotations

import ast

from unisycl.base.enums import address_space, memory_order, memory_scope
from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.forms.output import endings
from unisycl.frontend.values.kind import Value
from unisycl.frontend.values.kinds import Constant, Item, Memory, Method, Nothing, Several, describe
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_INT
from unisycl.lang.library import joint


def call_group_method(ctx: Context, item: Item, name: str, args: list[Value],
                      node: ast.AST) -> Value:
    """Lower a method that the work-items of a group call together."""
    match name:
        case "copy":
            return _copy(ctx, item, args, node)
        case "wait":
            return _wait(ctx, args, node)
        case "work_item":
            return _work_items(ctx, item, args, node)
    if len(args) > 1:
        raise ctx.refuse("K034", node, what=f"'{name}'", expected="([fence_space])",
                         found=len(args))
    if name == "fence":
        ctx.emit(n.Fence(memory_order.acq_rel, memory_scope.work_group, span=ctx.span(node)))
        return Nothing()
    return _barrier(ctx, "barrier", node)


def _barrier(ctx: Context, what: str, node: ast.AST) -> Value:
    ctx.converge(node, what)
    ctx.emit(n.Barrier(memory_scope.work_group, span=ctx.span(node)))
    return Nothing()


def _wait(ctx: Context, args: list[Value], node: ast.AST) -> Value:
    """Lower ``wait_for(*events)`` and ``device_event.wait()``."""
    for event in args:
        if not isinstance(event, Item) or event.kind != "device_event":
            raise ctx.refuse("K049", node, found=describe(event), expected="a device_event",
                             help="pass what async_work_group_copy returned")
    if ctx.shape.kind == "work_group":
        return Nothing()  # one piece of code runs for the whole group
    return _barrier(ctx, "wait_for", node)


def _copy(ctx: Context, item: Item, args: list[Value], node: ast.AST) -> Value:
    """Lower ``async_work_group_copy(dest, src, count[, stride])`` (SYCL 2020 §4.9.1.7)."""
    if not 3 <= len(args) <= 4:
        raise ctx.refuse("K034", node, what="'async_work_group_copy'",
                         expected="(dest, src, num_elements[, stride])", found=len(args))
    if ctx.in_items:
        raise ctx.refuse("K052", node, what="async_work_group_copy",
                         where="inside parallel_for_work_item", help="call it at group scope")
    for memory in args[:2]:
        if not isinstance(memory, Memory) or memory.view.ndim - len(memory.index) != 1:
            raise ctx.refuse("K049", node, found=describe(memory),
                             expected="memory of one dimension",
                             help="pass an accessor, USM memory, or a slice of one: x[i:]")
    dest, src = args[:2]
    assert isinstance(dest, Memory)
    assert isinstance(src, Memory)
    local = [m.view.space is address_space.local_space for m in (dest, src)]
    if local[0] == local[1]:
        raise ctx.refuse("K054", node, what="async_work_group_copy copies between local and global "
                         "memory", help="copy in a loop, or make one of the two a local_accessor")
    if dest.view.elem != src.view.elem:
        raise ctx.refuse("K049", node, found=describe(src), expected=f"memory of {dest.view.elem}",
                         help="both must have the same elements")
    numbers = [ctx.hold(coerce.convert(_integer(ctx, x, node), WEAK_INT)) for x in args[2:]]
    stride = numbers[1] if len(numbers) > 1 else coerce.weak_scalar(1)
    one = coerce.weak_scalar(1)
    to, by = (one, stride) if local[0] else (stride, one)
    whole = ctx.shape.kind == "work_group"
    extent = Several((*[one] * (item.ndim - 1), numbers[0]), "range")
    function = joint.copy_by_group if whole else joint.copy_by_items
    group = Item("group", item.ndim)
    arguments = [group, dest, src, extent if whole else numbers[0], to, by]
    ctx.call(ctx, Constant(function, (("library", function.__name__),)), arguments, node)
    return Item("device_event", 0)


def _integer(ctx: Context, value: Value, node: ast.AST) -> n.Expr:
    x = ctx.to_scalar(value, node)
    if not x.type.dtype.is_integer:
        raise ctx.refuse("K049", node, found=x.type, expected="an integer", help="use int(...)")
    return x


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
    if len(args) == 1 and isinstance(args[0], Several | n.Expr):
        return Method(item, "parallel_for_work_item", (args[0],))  # a decorator
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
            bound = not (extent and ctx.shape.local)
            ctx.call(ctx, args[-1], [Item("h_item", item.ndim, bound)], node)
    finally:
        ctx.in_items = False
    ctx.emit(n.WorkItems(extent, (*body, *endings(ctx)), span=ctx.span(node)))
    return Nothing()
