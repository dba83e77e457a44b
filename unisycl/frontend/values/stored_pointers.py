"""Pointers read from memory, in kernels: followed, moved, compared, and stored there.

To code such a pointer is the 64-bit address it is, of the type ``PointerType``. Non-goals: pointers
whose memory is known while compiling (``pointers``). Invariants: what is followed lies in ``HEAP``,
and the launch is told of all allocations; only addresses that hold between kernels are stored.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from unisycl.base import dtypes
from unisycl.base.enums import address_space
from unisycl.frontend import captures, coerce
from unisycl.frontend.values.kind import Lowering, Value
from unisycl.frontend.values.kinds import Constant, Memory, Method, Record, describe
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, WEAK_INT, PointerType, Scalar, Struct
from unisycl.lang.memory.stored_pointers import ALLOCATIONS, pointer_class, pointer_to

METHODS = frozenset(("get", "get_raw", "get_decorated", "prefetch"))
_OWN = METHODS | {"address_space", "dtype", "is_decorated"}
PATH = (("object", ALLOCATIONS),)


def kind_of(*values: Value) -> PointerType | None:
    """Return the type of the first that is such a pointer; None if none is."""
    for value in values:
        if isinstance(value, n.Expr) and isinstance(value.type, PointerType):
            return value.type
    return None


def know(ctx: Lowering, node: ast.AST) -> None:
    """Have the launch told of all allocations: it checks, follows, and keeps them by that."""
    ctx.capture(PATH, ALLOCATIONS, n.ALLOCATIONS, node)


def element(ctx: Lowering, pointer: n.Expr, index: n.Expr | None, node: ast.AST) -> Record:
    """Return what a pointer points to, or the element ``index`` further on."""
    assert isinstance(pointer.type, PointerType)
    know(ctx, node)
    elem = pointer.type.elem
    inner = [(ctx.hold(pointer, "pointer"), 1)]
    if index is not None and index != coerce.weak_scalar(0):
        inner.append((ctx.hold(index), elem.size))
    return Record(n.HEAP, (), elem, inner=tuple(inner), name="memory")


def pointee(ctx: Lowering, base: Value, node: ast.Subscript | ast.Attribute) -> Record | None:
    """Return what ``p`` of ``p.name`` points to; None if it is no pointer, or has that itself."""
    if not isinstance(node, ast.Attribute) or node.attr in _OWN:
        return None
    if isinstance(base, Memory):
        if base.pointer is None or isinstance(base.view.elem, Scalar):
            return None
        mode = base.view.mode
        first = (*base.index, _first(base))
        return Record(base.base, first, base.view.elem, writable=mode.writes,
                      readable=mode.reads, name=base.name)
    if kind_of(base) is None:
        return None
    assert isinstance(base, n.Expr)
    return element(ctx, base, None, node)


def to_pointer(ctx: Lowering, value: Value, kind: PointerType, node: ast.AST) -> n.Expr:
    """Return a value as a pointer of a type: one like it, None, or memory that stays."""
    if isinstance(value, Constant) and value.object is None:
        return n.Const(kind, 0)
    found = value.type if isinstance(value, n.Expr) else None
    if found == kind:
        assert isinstance(value, n.Expr)
        return value
    if isinstance(value, Memory) and value.view.ndim == len(value.index) + 1:
        found = value.view.elem  # type: ignore[assignment]
        if found == kind.elem:
            return address(ctx, value, kind, node)
    raise ctx.refuse("K085", node, what=f"{describe(value)} is stored where {kind} is",
                     help="store a pointer to the same type, or None")


def decayed(ctx: Lowering, value: Value) -> Value:
    """Return USM memory of one dimension as the pointer it is outside of kernels; others as is."""
    if not isinstance(value, Memory) or value.pointer is not None or value.reference \
            or value.index or value.window is not None or value.view.ndim != 1 \
            or value.view.space is not address_space.global_space or not stays(ctx, value):
        return value
    window = (coerce.weak_scalar(0), ctx.size_of(value))
    return replace(value, window=window, pointer=address_space.global_space)


def one_kind(ctx: Lowering, left: Value | n.Local | None, right: Value) -> tuple[Any, Value]:
    """Return two values a name or choice may have: USM memory beside a pointer is one, too."""
    def leading(value: Value | n.Local | None) -> bool:
        return (isinstance(value, n.Local) and isinstance(value.type, PointerType)) or (
            value is not None and not isinstance(value, n.Local)
            and (kind_of(value) is not None or leads(value)))
    if leading(left) and isinstance(right, Memory):
        return left, decayed(ctx, right)
    return decayed(ctx, left) if leading(right) and isinstance(left, Memory) else left, right


def stays(ctx: Lowering, memory: Memory) -> bool:
    """Say whether addresses of some memory hold between kernels: of USM and device_globals."""
    owner = captures.fetch(memory.base.path, ctx.function, ctx.arguments) \
        if isinstance(memory.base, n.Param) else None
    return getattr(owner, "__kernel_address__", False)


def joined(ctx: Lowering, old: Value | n.Local | None, value: Value) -> PointerType | None:
    """Return the type of a variable that is given pointers into two memories, or one and None."""
    if isinstance(old, n.Local) or old is None or not leads(old) or not leads(value):
        return None
    memories = [v for v in (old, value) if isinstance(v, Memory)]
    if not memories or not all(stays(ctx, m) for m in memories) \
            or len({m.view.elem for m in memories}) > 1:
        return None
    if len(memories) == 2 and memories[0].base is memories[1].base \
            and len(memories[0].index) == len(memories[1].index) == 0:
        return None
    owner = type_of(memories[0].view.elem)
    return None if owner is None else PointerType(dtypes.UINT64, owner=owner)


def type_of(elem: Scalar | Struct) -> pointer_class | None:
    """Return the type of pointers to elements of a type; None for records without a class."""
    if isinstance(elem, Scalar):
        return pointer_to(elem.dtype.numpy)
    owner = getattr(elem.owner, "_struct", None) or getattr(elem.owner, "_type", None)
    return None if owner is None else pointer_to(owner)


def address(ctx: Lowering, memory: Memory, kind: PointerType, node: ast.AST) -> n.Expr:
    """Return the address of the first element of memory, which must stay where it is."""
    if not stays(ctx, memory):
        space = memory.view.space
        what = f"{space.value} memory" if space is not address_space.global_space \
            else "the memory of an accessor or array"
        raise ctx.refuse("K085", node, what=f"'{memory.name}' is {what}, whose address does not "
                         "hold between kernels", help="pointers into USM memory and "
                         "device_globals can be stored; keep an index otherwise")
    know(ctx, node)
    index = tuple(ctx.hold(x) for x in (*memory.index, _first(memory)))
    return n.Address(kind, n.Place(memory.base, index, kind, span=ctx.span(node)))


def number(ctx: Lowering, value: Value, node: ast.AST) -> n.Expr | None:
    """Return the address that a pointer is; None for another value. Memory here need not stay."""
    kind = Scalar(dtypes.UINT64)
    if isinstance(value, n.Expr):
        return coerce.convert(value, kind) if kind_of(value) else None
    value = decayed(ctx, value)
    if not isinstance(value, Memory) or value.pointer is None:
        return None
    if value.view.space is not address_space.global_space:
        raise ctx.refuse("K085", node, what=f"'{value.name}' is {value.view.space.value} memory, "
                         "which has no address that could be told", help="show an index instead")
    index = tuple(ctx.hold(x) for x in (*value.index, _first(value)))
    return n.Address(kind, n.Place(value.base, index, kind, span=ctx.span(node)))


def _first(memory: Memory) -> n.Expr:
    """Return the index of the first element of memory in its last dimension."""
    return coerce.weak_scalar(0) if memory.window is None else memory.window[0]


def operate(ctx: Lowering, op: str, symbol: str, left: Value, right: Value,
            node: ast.AST) -> Value | None:
    """Return ``p + n``, ``n + p``, ``p - n`` or ``p - q``; None without such a pointer."""
    kind = kind_of(left, right)
    if kind is None:
        return None
    size = coerce.weak_scalar(kind.elem.size)
    if op == "sub" and not _is_number(left) and not _is_number(right):
        first, second = (coerce.convert(to_pointer(ctx, v, kind, node), WEAK_INT)
                         for v in (left, right))
        distance = coerce.binary("sub", first, second, WEAK_INT)
        return coerce.binary("floordiv", distance, size, WEAK_INT)
    pointer, other = (left, right) if kind_of(left) else (right, left)
    if not _is_number(other) or op not in ("add", "sub") or (op == "sub" and pointer is right):
        raise ctx.refuse("K036", node, op=symbol, types=f"{describe(left)} and {describe(right)}",
                         help="pointers move by integers: p + n, p - n")
    step = ctx.exactly(other, node)
    if not step.type.dtype.is_integer:
        raise ctx.refuse("K038", node, found=str(step.type), help="convert it first: int(...)")
    bytes_ = coerce.binary("mul", coerce.convert(step, WEAK_INT), size, WEAK_INT)
    assert isinstance(pointer, n.Expr)
    return n.Binary(kind, op, pointer, coerce.convert(bytes_, kind))


def _is_number(value: Value) -> bool:
    """Say whether a value is no pointer, and not None."""
    return kind_of(value) is None and not isinstance(value, Memory) and not (
        isinstance(value, Constant) and value.object is None)


def compare(ctx: Lowering, op: str, left: Value, right: Value, node: ast.AST) -> Value | None:
    """Return a comparison with such a pointer, None included; None without one."""
    kind = kind_of(left, right)
    if kind is None:
        return None
    first, second = (to_pointer(ctx, v, kind, node) for v in (left, right))
    return n.Compare(BOOL, op, first, second)


def is_none(ctx: Lowering, left: Value, right: Value, node: ast.AST) -> n.Expr | None:
    """Return whether the one that is a pointer is None, which ``is`` asks; None without one."""
    kind = kind_of(left, right)
    if kind is None:
        return None
    if all(kind_of(v) or isinstance(v, Memory) for v in (left, right)):
        raise ctx.refuse("K036", node, op="is", types=f"{describe(left)} and {describe(right)}",
                         help="compare pointers by ==")
    pointer, other = (left, right) if kind_of(left) else (right, left)
    if not (isinstance(other, Constant) and other.object is None):
        return coerce.weak_scalar(False)
    assert isinstance(pointer, n.Expr)
    return n.Compare(BOOL, "eq", pointer, n.Const(kind, 0))


def settle(value: Value, known: object) -> PointerType | None:
    """Return the type of pointer that a variable holding a value has to be; None if it is none.

    ``known`` is the type of the variable so far: a pointer once is one always.
    """
    if isinstance(known, PointerType) and leads(value):
        return known
    return kind_of(value)


def leads(value: Value) -> bool:
    """Say whether a value can become such a pointer: None, or a pointer into known memory."""
    return (isinstance(value, Constant) and value.object is None) or (
        isinstance(value, Memory) and value.pointer is not None)


def attribute(pointer: n.Expr, name: str) -> Value | None:
    """Return an attribute that pointers have themselves; None for another, or another value."""
    kind = kind_of(pointer)
    if kind is None:
        return None
    if is_older_get(name, kind.elem):
        return Method(pointer, "get")
    if name in METHODS:
        return Method(pointer, name)
    return Constant(address_space.global_space) if name == "address_space" else None


def is_older_get(name: str, elem: Scalar | Struct) -> bool:
    """Say whether a name is SYCL 1.2's of ``get``, and not a member of what is pointed to."""
    return name == "pointer" and not (isinstance(elem, Struct) and elem.field(name) is not None)


def call_method(ctx: Lowering, pointer: n.Expr, name: str) -> Value:
    """Return a call of a method of a pointer: it has no decorated form beside it."""
    return Constant(None) if name == "prefetch" else pointer
