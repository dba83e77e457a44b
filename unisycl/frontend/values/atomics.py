"""Operations of an ``atomic_ref`` in kernels (SYCL 2020 §4.15.3).

Non-goals: which element it is over (``atomic_places``), what the hardware does with an order.
Invariant: order and scope are constants; an operation gives the old value, pointers count elements.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable, Iterable
from typing import TypeVar

from unisycl.base.dataclass import dataclass
from unisycl.base.dtypes import INT32, INT64
from unisycl.base.enums import memory_order, memory_scope
from unisycl.frontend import coerce
from unisycl.frontend.parameters import match
from unisycl.frontend.values import atomic_bits
from unisycl.frontend.values.absent import Nothing
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.instances import Instance
from unisycl.frontend.values.kind import Kind, Lowering, Value, describe
from unisycl.frontend.values.memory_places import MemoryPlace
from unisycl.frontend.values.methods import Method
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_BOOL, WEAK_INT, PointerType, Scalar
from unisycl.lang.memory.exchanged import exchanged

_E = TypeVar("_E", bound=enum.Enum)

_READ_ORDER = {memory_order.acq_rel: memory_order.acquire}
_WRITE_ORDER = {memory_order.acq_rel: memory_order.release}
_NOT_READ = (memory_order.release, memory_order.acq_rel)
_NOT_WRITE = (memory_order.acquire, memory_order.acq_rel)
_FETCH = {"fetch_add": "add", "fetch_sub": "sub", "fetch_and": "and", "fetch_or": "or",
          "fetch_xor": "xor", "fetch_min": "min", "fetch_max": "max", "exchange": "exchange"}
_OPERATIONS = frozenset((*_FETCH, "load", "store", "compare_exchange_weak",
                         "compare_exchange_strong", "is_lock_free"))


@dataclass(frozen=True, slots=True)
class Atomic(Kind):
    """An ``atomic_ref``."""

    place: n.Place
    order: memory_order
    scope: memory_scope

    def describe(self) -> str:
        return "an atomic_ref"

    def number_help(self) -> str:
        return "read its value with load()"

    def named(self, ctx: Lowering, name: str, node: ast.AST) -> Value | None:
        found = _CONSTANTS.get(name)
        if found is not None:
            return found(self)
        return Method(self, name) if name in _OPERATIONS else None

    def names(self) -> Iterable[str]:
        return _OPERATIONS | frozenset(_CONSTANTS)

    def call_method(self, ctx: Lowering, name: str, args: list[Value], keywords: dict[str, Value],
                    node: ast.AST) -> Value:
        return call_atomic(ctx, self, name, args, keywords, node)
    def augment(self, ctx: Lowering, op: str, symbol: str, operand: ast.expr,
                node: ast.AST) -> bool:
        value = ctx.value(operand)
        if op not in _UPDATES:
            raise ctx.refuse("K036", node, op=f"{op} assignment", types="an atomic_ref",
                             help="an atomic_ref has +=, -=, &=, |= and ^=")
        call_atomic(ctx, self, _UPDATES[op], [value], {}, node)
        return True


def check_type(ctx: Lowering, type: Scalar, node: ast.AST) -> None:
    """Refuse a type that no device changes as a whole; note what the others ask of the device."""
    kind = type.dtype
    if kind.kind == "b" or kind.bits > 64:
        why = "bools have no atomics" if kind.kind == "b" else \
            f"no device changes the {kind.size} bytes of {kind} as a whole"
        raise ctx.refuse("K054", node, what=why, help="use uint8 or int32 elements"
                         if kind.kind == "b" else "use complex64, or one float64 for each part")
    ctx.need(type, node)
    if kind.bits == 64:
        ctx.need_aspect("atomic64")


def atomic_element(ctx: Lowering, memory: MemoryPlace, node: ast.AST) -> Atomic:
    """Return an element of an accessor in atomic mode (SYCL 1.2 §3.4): relaxed, device-wide."""
    kind = memory.view.elem
    if not isinstance(kind, Scalar) or kind.dtype.bits not in (32, 64) or kind.dtype.made:
        raise ctx.refuse("K054", node, what=f"atomics work on 32- and 64-bit numbers, not {kind}",
                         help="use int32, uint32 or float32 elements")
    place = n.Place(memory.base, tuple(map(ctx.hold, memory.index)), kind, span=ctx.span(node))
    return Atomic(place, memory_order.relaxed, memory_scope.device)


def check_scope(ctx: Lowering, scope: memory_scope, node: ast.AST) -> None:
    """Refuse the scope that nobody else is in."""
    if scope is memory_scope.work_item:
        raise ctx.refuse("K054", node, what="an atomic operation cannot have the scope work_item: "
                         "no one else would take part",
                         help="use sub_group or wider; work_item is for atomic_fence only "
                         "(SYCL 2020 §3.8.3.2)")


def _enum(value: Value | None, kind: type) -> object:
    return value.object if isinstance(value, Constant) and isinstance(value.object, kind) else None


_CONSTANTS: dict[str, Callable[[Atomic], Value]] = {
    "is_always_lock_free": lambda ref: coerce.weak_scalar(True),
    "required_alignment": lambda ref: coerce.weak_scalar(ref.place.type.dtype.size),
    "default_scope": lambda ref: Constant(ref.scope),
    "default_read_modify_write_order": lambda ref: Constant(ref.order),
    "default_read_order": lambda ref: Constant(_READ_ORDER.get(ref.order, ref.order)),
    "default_write_order": lambda ref: Constant(_WRITE_ORDER.get(ref.order, ref.order)),
}


def call_atomic(ctx: Lowering, ref: Atomic, name: str, args: list[Value],
                keywords: dict[str, Value], node: ast.AST) -> Value:
    """Lower a method of an atomic_ref; operations give the old value."""
    wanted = () if name in ("load", "is_lock_free") else \
        ("expected", "desired") if name.startswith("compare") else ("operand",)
    orders = () if name == "is_lock_free" else ("success", "failure", "scope") \
        if name.startswith("compare") else ("order", "scope")
    found = match(ctx, node, name, args, keywords, wanted, orders)
    if name == "is_lock_free":
        return coerce.weak_scalar(True)
    levels = _orders(ctx, ref, found, name, node)
    type = ref.place.type
    op = _FETCH.get(name, "compare_exchange" if name.startswith("compare") else name)
    _check_operation(ctx, op, name, type, node)
    operands = tuple(ctx.hold(_operand(ctx, op, found[k], type, node)) for k in wanted)
    if atomic_bits.word_of(type) is not None:
        given = atomic_bits.apply(ctx, op, ref.place, operands, levels, node)
        if given is None:
            return Nothing()
        old, done = given
        return _exchanged(coerce.convert(done, WEAK_BOOL), old) if op == "compare_exchange" else old
    if op == "store":
        ctx.emit(n.Atomic(None, op, ref.place, operands, *levels, span=ctx.span(node)))
        return Nothing()
    result = n.Local("old", type)
    ctx.emit(n.Atomic(result, op, ref.place, operands, *levels, span=ctx.span(node)))
    old = n.Read(type, result)
    if op != "compare_exchange":
        return old
    return _exchanged(n.Compare(WEAK_BOOL, "eq", _bits(old), _bits(operands[0])), old)


def _exchanged(done: n.Expr, old: n.Expr) -> Instance:
    return Instance(exchanged, exchanged._fields, (done, old))


def _check_operation(ctx: Lowering, op: str, name: str, type: Scalar, node: ast.AST) -> None:
    """Refuse what a type does not have: bits of floats, order of complex numbers and pointers."""
    whole, pointer = type.dtype.is_integer, isinstance(type, PointerType)
    if op in ("and", "or", "xor") and (pointer or not whole):
        raise ctx.refuse("K036", node, op=name, types=type, help="bit operations need integers")
    if op in ("min", "max") and (pointer or type.dtype.kind == "c"):
        raise ctx.refuse("K036", node, op=name, types=type,
                         help="loop: load(), compare, and compare_exchange_weak()")


def _operand(ctx: Lowering, op: str, value: Value, type: Scalar, node: ast.AST) -> n.Expr:
    """Return an operand in the element's type; what moves a pointer is counted in elements."""
    if not isinstance(type, PointerType):
        return coerce.convert(ctx.to_scalar(value, node, unsure=True), type)
    if op not in ("add", "sub"):
        return ctx.of(ctx.of(value).decayed(ctx)).as_pointer(ctx, type, node)
    step = ctx.exactly(value, node)
    if not step.type.dtype.is_integer:
        raise ctx.refuse("K038", node, found=str(step.type), help="convert it first: int(...)")
    distance = coerce.binary("mul", coerce.convert(step, WEAK_INT),
                             coerce.weak_scalar(type.elem.size), WEAK_INT)
    return coerce.convert(distance, Scalar(type.dtype))


def _bits(x: n.Expr) -> n.Expr:
    """Return a number as what a comparison and exchange compares: its bits."""
    if x.type.dtype.is_float:
        return n.Bitcast(Scalar({32: INT32, 64: INT64}[x.type.dtype.bits]), x)
    return x


_UPDATES = {"add": "fetch_add", "sub": "fetch_sub", "and": "fetch_and", "or": "fetch_or",
            "xor": "fetch_xor"}


def _orders(ctx: Lowering, ref: Atomic, found: dict[str, Value], name: str,
            node: ast.AST) -> tuple[memory_order, memory_scope]:
    """Return the order and scope of an operation: those given, else the reference's defaults."""
    if isinstance(_enum(found.get("failure"), memory_scope), memory_scope):
        found["scope"] = found.pop("failure")  # the form with one order for both
    order = _given(ctx, found.get("order", found.get("success")), memory_order, node)
    failure = _given(ctx, found.get("failure"), memory_order, node)
    given = _given(ctx, found.get("scope"), memory_scope, node)
    scope = ref.scope if given is None else given
    check_scope(ctx, scope, node)
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


def _given(ctx: Lowering, value: Value | None, kind: type[_E], node: ast.AST) -> _E | None:
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
