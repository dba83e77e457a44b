"""``atomic_ref`` in kernels (SYCL 2020 §4.15.3).

Non-goals: what the hardware does with an order. Invariant: order and scope are constants, the
element is a 32- or 64-bit number in memory that may be written.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable
from typing import TypeVar

from unisycl.base.dtypes import INT32, INT64
from unisycl.base.enums import address_space, memory_order, memory_scope
from unisycl.frontend import coerce, stored
from unisycl.frontend.context import Context
from unisycl.frontend.items import ITEM_KINDS, item_ids
from unisycl.frontend.parameters import match, parameters
from unisycl.frontend.spans import shifted
from unisycl.frontend.unsure import plain
from unisycl.frontend.values import (
    Atomic,
    Constant,
    Item,
    Memory,
    Method,
    Nothing,
    Several,
    Value,
    describe,
)
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_BOOL, Scalar, View

_E = TypeVar("_E", bound=enum.Enum)

_READ_ORDER = {memory_order.acq_rel: memory_order.acquire}
_WRITE_ORDER = {memory_order.acq_rel: memory_order.release}
_NOT_READ = (memory_order.release, memory_order.acq_rel)
_NOT_WRITE = (memory_order.acquire, memory_order.acq_rel)
_FETCH = {"fetch_add": "add", "fetch_sub": "sub", "fetch_and": "and", "fetch_or": "or",
          "fetch_xor": "xor", "fetch_min": "min", "fetch_max": "max", "exchange": "exchange"}
_OPERATIONS = frozenset((*_FETCH, "load", "store", "compare_exchange_weak",
                         "compare_exchange_strong", "is_lock_free"))


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
    _check_scope(ctx, scope, node)
    place = _place(ctx, found.get("view"), found.get("index"), node)
    _check_space(ctx, place, found.get("space"), node)
    kind = place.type.dtype
    if kind.bits not in (32, 64) or kind.made:
        raise ctx.refuse("K054", node, what=f"atomics work on 32- and 64-bit numbers, not {kind}",
                         help="use int32, uint32, int64, uint64, float32 or float64 elements")
    if kind.bits == 64:
        ctx.need_aspect("atomic64")
    return Atomic(place, order, scope)


def atomic_element(ctx: Context, memory: Memory, node: ast.AST) -> Atomic:
    """Return an element of an accessor in atomic mode (SYCL 1.2 §3.4): relaxed, device-wide."""
    kind = memory.view.elem
    if not isinstance(kind, Scalar) or kind.dtype.bits not in (32, 64) or kind.dtype.made:
        raise ctx.refuse("K054", node, what=f"atomics work on 32- and 64-bit numbers, not {kind}",
                         help="use int32, uint32 or float32 elements")
    place = n.Place(memory.base, tuple(map(ctx.hold, memory.index)), kind, span=ctx.span(node))
    return Atomic(place, memory_order.relaxed, memory_scope.device)


def _check_scope(ctx: Context, scope: memory_scope, node: ast.AST) -> None:
    if scope is memory_scope.work_item:
        raise ctx.refuse("K054", node, what="an atomic operation cannot have the scope work_item: "
                         "no one else would take part",
                         help="use sub_group or wider; work_item is for atomic_fence only "
                         "(SYCL 2020 §3.8.3.2)")


def _check_space(ctx: Context, place: n.Place, given: Value | None, node: ast.AST) -> None:
    """Refuse an address space that has no atomics, or that the memory is not in."""
    if given is None:
        return
    space = _enum(given, address_space)
    if not isinstance(space, address_space):
        raise ctx.refuse("K049", node, found=describe(given), expected="an address_space",
                         help="name one of unisycl.address_space, or leave it out")
    assert isinstance(place.base.type, View)
    real = place.base.type.space
    if space not in (real, address_space.generic_space):
        raise ctx.refuse("K054", node, what=f"this is {real.value} memory, not {space.value}",
                         help="atomics exist in local_space and global_space; leave the space out "
                         "if either may come (SYCL 2020 §4.15.3)")


def _enum(value: Value | None, kind: type) -> object:
    return value.object if isinstance(value, Constant) and isinstance(value.object, kind) else None


def _place(ctx: Context, view: Value | None, index: Value | None, node: ast.AST) -> n.Place:
    if isinstance(view, n.Expr) and stored.kind_of(view):
        at = coerce.weak_scalar(0) if index is None else ctx.to_scalar(index, node)
        place = stored.as_place(ctx, view, at, node)
        if place is not None:
            return place
    if not isinstance(view, Memory) or not isinstance(view.view.elem, Scalar):
        raise ctx.refuse("K054", node, what="atomic_ref needs memory of numbers and an index, not "
                         f"{describe(view) if view is not None else 'nothing'}",
                         help="pass the accessor and the index: atomic_ref(acc, i, order, scope)")
    if view.view.space is address_space.private_space:
        raise ctx.refuse("K054", node, what="private memory cannot be atomic",
                         help="no other work-item sees it: use plain loads and stores")
    if not view.view.mode.writes:
        raise ctx.refuse("K039", node, name=view.name)
    if not view.view.mode.reads:
        raise ctx.refuse("K058", node, name=view.name)
    if isinstance(index, Item) and index.kind in ITEM_KINDS:
        index = item_ids(index)
    items = index.items if isinstance(index, Several) else () if index is None else (index,)
    if view.reference and view.index and items == (coerce.weak_scalar(0),):
        items = ()
    indices: list[n.Expr] = []
    for item in items:
        x = plain(ctx.to_scalar(item, node, unsure=True))
        if x.type.dtype.kind not in "iu":
            raise ctx.refuse("K038", node, found=x.type, help="convert it first: int(...)")
        indices.append(ctx.hold(x if indices else shifted(view, x)))
    every = view.index + tuple(indices)
    if len(every) != view.view.ndim:
        raise ctx.refuse("K037", node, what=f"'{view.name}'", expected=view.view.ndim,
                         found=len(every), help="give one index for each dimension")
    return n.Place(view.base, every, view.view.elem, span=ctx.span(node))


_CONSTANTS: dict[str, Callable[[Atomic], Value]] = {
    "is_always_lock_free": lambda ref: coerce.weak_scalar(True),
    "required_alignment": lambda ref: coerce.weak_scalar(ref.place.type.dtype.size),
    "default_scope": lambda ref: Constant(ref.scope),
    "default_read_modify_write_order": lambda ref: Constant(ref.order),
    "default_read_order": lambda ref: Constant(_READ_ORDER.get(ref.order, ref.order)),
    "default_write_order": lambda ref: Constant(_WRITE_ORDER.get(ref.order, ref.order)),
}


def atomic_attribute(ref: Atomic, name: str) -> Value | None:
    """Return an attribute of an atomic_ref that is no operation; None if there is no such."""
    found = _CONSTANTS.get(name)
    return found(ref) if found is not None else \
        Method(ref, name) if name in _OPERATIONS else None


def atomic_attributes() -> frozenset[str]:
    """Return the names of all attributes an atomic_ref has in a kernel."""
    return _OPERATIONS | frozenset(_CONSTANTS)


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
    return Several((n.Compare(WEAK_BOOL, "eq", _bits(old), _bits(operands[0])), old))


def _bits(x: n.Expr) -> n.Expr:
    """Return a number as what a comparison and exchange compares: its bits."""
    whole = {32: INT32, 64: INT64}[x.type.dtype.bits]
    return n.Bitcast(Scalar(whole), x) if x.type.dtype.is_float else x


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
    if isinstance(_enum(found.get("failure"), memory_scope), memory_scope):
        found["scope"] = found.pop("failure")  # the form with one order for both
    order = _given(ctx, found.get("order", found.get("success")), memory_order, node)
    failure = _given(ctx, found.get("failure"), memory_order, node)
    given = _given(ctx, found.get("scope"), memory_scope, node)
    scope = ref.scope if given is None else given
    _check_scope(ctx, scope, node)
    if order is None:
        defaults = {"load": _READ_ORDER, "store": _WRITE_ORDER}.get(name, {})
        order = defaults.get(ref.order, ref.order)
    if order in {"load": _NOT_READ, "store": _NOT_WRITE}.get(name, ()):
        raise ctx.refuse("K056", node, found=order.name, what=f"'{name}'",
                         help="a load acquires, a store releases")
    if failure in _NOT_READ:
        raise ctx.refuse("K056", node, found=failure.name, what="the failure of a comparison",
                         help="nothing is stored then: use relaxed, acquire or seq_cst")
    return _stronger(order, failure), scope


def _stronger(order: memory_order, failure: memory_order | None) -> memory_order:
    """Return an order that serves a comparison whether it succeeds or fails."""
    if failure is memory_order.seq_cst:
        return failure
    if failure is memory_order.acquire:
        return {memory_order.relaxed: memory_order.acquire,
                memory_order.release: memory_order.acq_rel}.get(order, order)
    return order


def _given(ctx: Context, value: Value | None, kind: type[_E], node: ast.AST) -> _E | None:
    """Return a constant of an enumeration; None if none was given."""
    if value is None or (isinstance(value, Constant) and value.object is None):
        return None
    found = _enum(value, kind)
    if not isinstance(found, kind):
        if isinstance(value, Constant):
            raise ctx.refuse("K049", node, found=describe(value), expected=f"a {kind.__name__}",
                             help=f"name one of unisycl.{kind.__name__}")
        raise ctx.refuse("K046", node, what=f"the {kind.__name__}",
                         help=f"name one of unisycl.{kind.__name__}")
    return found
