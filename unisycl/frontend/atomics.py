"""``atomic_ref`` in kernels (SYCL 2020 §4.15.3).

Non-goals: what the hardware does with an order. Invariant: order and scope are constants, the
element is a 32- or 64-bit number in memory that may be written.
"""

from __future__ import annotations

import ast
import enum
from typing import TypeVar

from unisycl.base.enums import address_space, memory_order, memory_scope
from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.items import ITEM_KINDS, item_ids
from unisycl.frontend.parameters import match, parameters
from unisycl.frontend.values import (
    Atomic,
    Constant,
    Item,
    Memory,
    Nothing,
    Several,
    Value,
    describe,
)
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_BOOL, Scalar

_E = TypeVar("_E", bound=enum.Enum)

_FETCH = {"fetch_add": "add", "fetch_sub": "sub", "fetch_and": "and", "fetch_or": "or",
          "fetch_xor": "xor", "fetch_min": "min", "fetch_max": "max", "exchange": "exchange"}


def lower_atomic_ref(ctx: Context, node: ast.Call) -> Value:
    """Lower ``atomic_ref(view, index, order, scope)``."""
    found = parameters(ctx, node, "atomic_ref", (), ("view", "index", "order", "scope", "space"))
    order, scope = _enum(found.get("order"), memory_order), _enum(found.get("scope"), memory_scope)
    if not isinstance(order, memory_order) or not isinstance(scope, memory_scope):
        raise ctx.refuse("K053", node)
    if order in (memory_order.acquire, memory_order.release):
        raise ctx.refuse("K056", node, found=order.name, what="an atomic_ref's default",
                         help="use relaxed, acq_rel or seq_cst; a load then acquires and a store "
                         "releases (SYCL 2020 §4.15.3)")
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
    if isinstance(index, Item) and index.kind in ITEM_KINDS:
        index = item_ids(index)
    items = index.items if isinstance(index, Several) else () if index is None else (index,)
    indices = []
    for item in items:
        x = ctx.to_scalar(item, node)
        if x.type.dtype.kind not in "iu":
            raise ctx.refuse("K038", node, found=x.type, help="convert it first: int(...)")
        indices.append(ctx.hold(x))
    every = view.index + tuple(indices)
    if len(every) != view.view.ndim:
        raise ctx.refuse("K037", node, what=f"'{view.name}'", expected=view.view.ndim,
                         found=len(every), help="give one index for each dimension")
    return n.Place(view.base, every, view.view.elem, span=ctx.span(node))


def call_atomic(ctx: Context, ref: Atomic, name: str, args: list[Value],
                keywords: dict[str, Value], node: ast.AST) -> Value:
    """Lower a method of an atomic_ref; operations give the old value."""
    wanted = () if name in ("load", "is_lock_free") else \
        ("expected", "desired") if name.startswith("compare") else ("operand",)
    orders = () if name == "is_lock_free" else ("success", "failure", "scope") \
        if name.startswith("compare") else ("order", "scope")
    found = match(ctx, node, name, args, keywords, wanted, orders)
    if name == "is_lock_free":
        return coerce.weak_scalar(True)
    order, scope = _orders(ctx, ref, found, name, node)
    type = ref.place.type
    operands = tuple(ctx.hold(coerce.convert(ctx.to_scalar(found[k], node), type)) for k in wanted)
    if name == "store":
        ctx.emit(n.Atomic(None, "store", ref.place, operands, order, scope, span=ctx.span(node)))
        return Nothing()
    if name in ("fetch_and", "fetch_or", "fetch_xor") and type.dtype.is_float:
        raise ctx.refuse("K036", node, op=name, types=type, help="bit operations need integers")
    result = n.Local("old", type)
    op = "load" if name == "load" else _FETCH.get(name, "compare_exchange")
    ctx.emit(n.Atomic(result, op, ref.place, operands, order, scope, span=ctx.span(node)))
    old = n.Read(type, result)
    if op != "compare_exchange":
        return old
    return Several((n.Compare(WEAK_BOOL, "eq", old, operands[0]), old))


_UPDATES = {"add": "fetch_add", "sub": "fetch_sub", "and": "fetch_and", "or": "fetch_or",
            "xor": "fetch_xor"}


def update(ctx: Context, ref: Atomic, op: str, value: Value, node: ast.AST) -> None:
    """Lower ``ref += x`` and its kin."""
    if op not in _UPDATES:
        raise ctx.refuse("K036", node, op=f"{op} assignment", types="an atomic_ref",
                         help="an atomic_ref has +=, -=, &=, |= and ^=")
    call_atomic(ctx, ref, _UPDATES[op], [value], {}, node)


def _orders(ctx: Context, ref: Atomic, found: dict[str, Value], name: str,
            node: ast.AST) -> tuple[memory_order, memory_scope]:
    """Return the order and scope of an operation: those given, else the reference's defaults."""
    order = _given(ctx, found.get("order", found.get("success")), memory_order, node)
    failure = _given(ctx, found.get("failure"), memory_order, node)
    scope = _given(ctx, found.get("scope"), memory_scope, node) or ref.scope
    if order is None:
        order = ref.order
        if order is memory_order.acq_rel and name in ("load", "store"):
            order = memory_order.acquire if name == "load" else memory_order.release
    bad = {"load": (memory_order.release, memory_order.acq_rel),
           "store": (memory_order.acquire, memory_order.acq_rel)}.get(name, ())
    if order in bad:
        raise ctx.refuse("K056", node, found=order.name, what=f"'{name}'",
                         help="a load acquires, a store releases")
    if failure in (memory_order.release, memory_order.acq_rel):
        raise ctx.refuse("K056", node, found=failure.name, what="the failure of a comparison",
                         help="nothing is stored then: use relaxed, acquire or seq_cst")
    return order, scope


def _given(ctx: Context, value: Value | None, kind: type[_E], node: ast.AST) -> _E | None:
    """Return a constant of an enumeration; None if none was given."""
    if value is None or (isinstance(value, Constant) and value.object is None):
        return None
    found = _enum(value, kind)
    if not isinstance(found, kind):
        raise ctx.refuse("K046", node, what=f"the {kind.__name__}",
                         help=f"name one of unisycl.{kind.__name__}")
    return found
