"""``atomic_ref`` in kernels (SYCL 2020 §4.15.3).

Non-goals: what the hardware does with an order. Invariant: order and scope are constants, the
element is a 32- or 64-bit number in memory that may be written.
"""

from __future__ import annotations

import ast

from unisycl.base.enums import address_space, memory_order, memory_scope
from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.values import Atomic, Constant, Memory, Several, Value, describe
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, Scalar, View

_FETCH = {"fetch_add": "add", "fetch_sub": "sub", "fetch_and": "and", "fetch_or": "or",
          "fetch_xor": "xor", "fetch_min": "min", "fetch_max": "max", "exchange": "exchange"}


def lower_atomic_ref(ctx: Context, node: ast.Call) -> Value:
    """Lower ``atomic_ref(view, index, order, scope)``."""
    args = ctx.operands(*node.args)
    named = {str(k.arg): ctx.value(k.value) for k in node.keywords}
    found = dict(zip(("view", "index", "order", "scope"), args, strict=False)) | named
    order, scope = (_enum(found.get("order"), memory_order), _enum(found.get("scope"), memory_scope))
    if not isinstance(order, memory_order) or not isinstance(scope, memory_scope):
        raise ctx.refuse("K053", node)
    if scope is memory_scope.work_item:
        raise ctx.refuse("K056", node, found="with scope work_item", what="atomics",
                         help="use sub_group or wider")
    place = _place(ctx, found.get("view"), found.get("index"), node)
    kind = place.type.dtype
    if kind.bits not in (32, 64):
        raise ctx.refuse("K054", node, what=f"atomics work on 32- and 64-bit numbers, not {kind}",
                         help="use int32, uint32, int64, uint64, float32 or float64 elements")
    if kind.bits == 64:
        ctx.aspects.add("atomic64")
    return Atomic(place, order, scope)


def _enum(value: Value | None, kind: type) -> object:
    return value.object if isinstance(value, Constant) and isinstance(value.object, kind) else None


def _place(ctx: Context, view: Value | None, index: Value | None, node: ast.AST) -> n.Place:
    if not isinstance(view, Memory) or not isinstance(view.view.elem, Scalar):
        raise ctx.refuse("K054", node, what="atomic_ref needs memory of numbers and an index, not "
                         f"{describe(view) if view is not None else 'nothing'}",
                         help="pass the accessor and the index: atomic_ref(acc, i, order, scope)")
    if view.view.space is address_space.private_space:
        raise ctx.refuse("K054", node, what="private memory cannot be atomic",
                         help="no other work-item sees it: use plain loads and stores")
    if not view.view.mode.writes or not view.view.mode.reads:
        raise ctx.refuse("K039", node, name=view.name)
    items = index.items if isinstance(index, Several) else () if index is None else (index,)
    indices = []
    for item in items:
        x = ctx.to_scalar(item, node)
        if x.type.dtype.kind not in "iu":
            raise ctx.refuse("K038", node, found=x.type)
        indices.append(ctx.hold(x))
    every = view.index + tuple(indices)
    if len(every) != view.view.ndim:
        raise ctx.refuse("K037", node, what=f"'{view.name}'", expected=view.view.ndim,
                         found=len(every), help="")
    assert isinstance(view.view, View)
    return n.Place(view.base, every, view.view.elem, span=ctx.span(node))


def call_atomic(ctx: Context, ref: Atomic, name: str, args: list[Value],
                keywords: dict[str, Value], node: ast.AST) -> Value:
    """Lower a method of an atomic_ref; operations give the old value."""
    order, scope = _orders(ctx, ref, args, keywords, name, node)
    values = [ctx.to_scalar(a, node) for a in args
              if not (isinstance(a, Constant) and isinstance(a.object, memory_order | memory_scope))]
    type = ref.place.type
    if name == "is_lock_free":
        return coerce.weak_scalar(True)
    wanted = {"load": 0, "compare_exchange_strong": 2, "compare_exchange_weak": 2}.get(name, 1)
    if len(values) != wanted:
        raise ctx.refuse("K034", node, what=name, expected=f"{wanted} value(s)", found=len(values))
    operands = tuple(coerce.cast(v, type) for v in values)
    if name == "store":
        ctx.emit(n.Atomic(None, "store", ref.place, operands, order, scope, span=ctx.span(node)))
        return coerce.weak_scalar(0)
    if name in ("fetch_and", "fetch_or", "fetch_xor") and type.dtype.is_float:
        raise ctx.refuse("K036", node, op=name, types=type, help="bit operations need integers")
    result = n.Local("old", type)
    op = "load" if name == "load" else _FETCH.get(name, "compare_exchange")
    ctx.emit(n.Atomic(result, op, ref.place, operands, order, scope, span=ctx.span(node)))
    old = n.Read(type, result)
    if op != "compare_exchange":
        return old
    return Several((n.Compare(BOOL, "eq", old, operands[0]), old))


def _orders(ctx: Context, ref: Atomic, args: list[Value], keywords: dict[str, Value], name: str,
            node: ast.AST) -> tuple[memory_order, memory_scope]:
    given = [a.object for a in [*args, *keywords.values()] if isinstance(a, Constant)]
    order = next((g for g in given if isinstance(g, memory_order)), None)
    scope = next((g for g in given if isinstance(g, memory_scope)), ref.scope)
    if order is None:
        order = ref.order
        if order is memory_order.acq_rel and name in ("load", "store"):
            order = memory_order.acquire if name == "load" else memory_order.release
    bad = {"load": (memory_order.release, memory_order.acq_rel),
           "store": (memory_order.acquire, memory_order.acq_rel)}.get(name, ())
    if order in bad:
        raise ctx.refuse("K056", node, found=order.name, what=name,
                         help="a load acquires, a store releases")
    return order, scope
