"""Pointers read from memory, in kernels: followed, moved, compared, and stored there.

To code such a pointer is the 64-bit address it is, of the type ``PointerType``. Non-goals: pointers
whose memory is known while compiling (``pointers``). Invariants: what is followed lies in ``HEAP``,
and the launch is told of all allocations; only addresses that hold between kernels are stored.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from unisycl.base import dtypes
from unisycl.base.enums import address_space
from unisycl.frontend import coerce
from unisycl.frontend.values import addresses, complexes
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.indexing import indices_of
from unisycl.frontend.values.kind import Kind, Lowering, Target, Value, describe
from unisycl.frontend.values.memory import Memory
from unisycl.frontend.values.methods import Method
from unisycl.frontend.values.records import Record, staying
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, WEAK_INT, PointerType, Scalar, Struct
from unisycl.lang.memory.stored_pointers import pointer_class, pointer_to


class StoredPointer(Kind):
    """A pointer read from memory: to code, an expression of a type of its own."""

    __slots__ = ("x",)

    def __init__(self, x: n.Expr) -> None:
        self.x = x

    @property
    def value(self) -> Value:
        return self.x

    @property
    def type(self) -> PointerType:
        """The type of the pointer."""
        assert isinstance(self.x.type, PointerType)
        return self.x.type

    def describe(self) -> str:
        return str(self.x.type)

    def number_help(self) -> str:
        return "follow it: p[0], p.name"

    def truth(self, ctx: Lowering, node: ast.AST) -> n.Expr:
        return coerce.truth(self.x)

    def as_pointer(self, ctx: Lowering, kind: PointerType, node: ast.AST) -> n.Expr:
        return self.x if self.x.type == kind else Kind.as_pointer(self, ctx, kind, node)

    def at(self, ctx: Lowering, node: ast.Subscript) -> Record:
        """Return the element that a subscript denotes."""
        indices = indices_of(ctx, node.slice, negative=True)
        if len(indices) != 1:
            raise ctx.refuse("K037", node, what="a pointer", expected=1, found=len(indices),
                             help="")
        return element(ctx, self.x, indices[0], node)

    def subscript(self, ctx: Lowering, node: ast.Subscript) -> Value:
        return self.at(ctx, node).read(ctx, node)

    def step(self, ctx: Lowering, node: ast.Subscript | ast.Attribute) -> Value | None:
        return staying(ctx, self.at(ctx, node), node) if isinstance(node, ast.Subscript) else None

    def target(self, ctx: Lowering, node: ast.Subscript | ast.Attribute, *, read: bool) -> Target:
        if isinstance(node, ast.Subscript):
            return self.at(ctx, node).as_target(ctx, node)
        return Kind.target(self, ctx, node, read=read)

    def referent(self, ctx: Lowering, node: ast.Subscript | ast.Attribute) -> Value:
        if not isinstance(node, ast.Attribute) or node.attr in addresses.NAMES:
            return self.x
        return element(ctx, self.x, None, node).read(ctx, node)

    def named(self, ctx: Lowering, name: str, node: ast.AST) -> Value | None:
        if addresses.is_older_get(name, self.type.elem):
            return Method(self.x, "get")
        if name in addresses.METHODS:
            return Method(self.x, name)
        if name == "address_space":
            return Constant(address_space.global_space)
        return complexes.attribute(self.x, name)

    def names(self) -> Iterable[str]:
        return complexes.ATTRIBUTES

    def call_method(self, ctx: Lowering, name: str, args: list[Value], keywords: dict[str, Value],
                    node: ast.AST) -> Value:
        return Constant(None) if name == "prefetch" else self.x  # it has no decorated form

    def indices(self, ctx: Lowering, node: ast.AST) -> list[n.Expr]:
        return [ctx.exactly(self.x, node)]

    def elements(self, ctx: Lowering, like: Value, start: n.Expr, node: ast.AST, *,
                 write: bool) -> n.Place:
        elem = getattr(like, "elem", None)
        if self.type.elem != elem:
            return Kind.elements(self, ctx, like, start, node, write=write)
        assert isinstance(elem, Scalar)
        return n.Place(n.HEAP, (), elem, inner=element(ctx, self.x, start, node).inner,
                       span=ctx.span(node))

    def hold(self, ctx: Lowering) -> Value:
        return ctx.hold(self.x)

    def keep(self, ctx: Lowering, position: int) -> Value:
        return ctx.keep_number(self.x, position)


def kind_of(*values: Value) -> PointerType | None:
    """Return the type of the first that is such a pointer; None if none is."""
    for value in values:
        if isinstance(value, n.Expr) and isinstance(value.type, PointerType):
            return value.type
    return None


def element(ctx: Lowering, pointer: n.Expr, index: n.Expr | None, node: ast.AST) -> Record:
    """Return what a pointer points to, or the element ``index`` further on."""
    assert isinstance(pointer.type, PointerType)
    addresses.know(ctx, node)
    elem = pointer.type.elem
    inner = [(ctx.hold(pointer, "pointer"), 1)]
    if index is not None and index != coerce.weak_scalar(0):
        inner.append((ctx.hold(index), elem.size))
    return Record(n.HEAP, (), elem, inner=tuple(inner), name="memory")


def one_kind(ctx: Lowering, left: Value | n.Local | None, right: Value) -> tuple[Any, Value]:
    """Return two values a name or choice may have: USM memory beside a pointer is one, too."""
    def leading(value: Value | n.Local | None) -> bool:
        if value is None or isinstance(value, n.Local | n.Expr):
            return value is not None and isinstance(value.type, PointerType)
        return value.leads
    if leading(left) and isinstance(right, Memory):
        return left, right.decayed(ctx)
    return left.decayed(ctx) if leading(right) and isinstance(left, Memory) else left, right


def joined(ctx: Lowering, old: Value | n.Local | None, value: Value) -> PointerType | None:
    """Return the type of a variable that is given pointers into two memories, or one and None."""
    if not isinstance(old, Kind) or not isinstance(value, Kind) or not old.leads or not value.leads:
        return None
    memories = [v for v in (old, value) if isinstance(v, Memory)]
    if not memories or not all(m.stays(ctx) for m in memories) \
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


def number(ctx: Lowering, value: Value, node: ast.AST) -> n.Expr | None:
    """Return the address that a pointer is; None for another value. Memory here need not stay."""
    kind = Scalar(dtypes.UINT64)
    if isinstance(value, n.Expr):
        return coerce.convert(value, kind) if kind_of(value) else None
    value = ctx.of(value).decayed(ctx)
    if not isinstance(value, Memory) or value.pointer is None:
        return None
    if value.view.space is not address_space.global_space:
        raise ctx.refuse("K085", node, what=f"'{value.name}' is {value.view.space.value} memory, "
                         "which has no address that could be told", help="show an index instead")
    return value.address(ctx, kind, node)


def operate(ctx: Lowering, op: str, symbol: str, left: Value, right: Value,
            node: ast.AST) -> Value | None:
    """Return ``p + n``, ``n + p``, ``p - n`` or ``p - q``; None without such a pointer."""
    kind = kind_of(left, right)
    if kind is None:
        return None
    size = coerce.weak_scalar(kind.elem.size)
    if op == "sub" and not _is_number(left) and not _is_number(right):
        first, second = (coerce.convert(ctx.of(v).as_pointer(ctx, kind, node), WEAK_INT)
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
    first, second = (ctx.of(v).as_pointer(ctx, kind, node) for v in (left, right))
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
    if isinstance(known, PointerType) and isinstance(value, Kind) and value.leads:
        return known
    return kind_of(value)
