"""``vec`` and ``marray`` in kernels: constructors, operators, elements (SYCL 2020 §4.14.2).

A vec is its elements, each a scalar expression: lanes run across work-items, so elements lie in
registers of their own. Non-goals: memory (``places``), methods (``vec_methods``). Invariant: each
rule here is that of ``lang.numbers.elements`` and ``lang.numbers.vec``.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from unisycl.base import dtypes
from unisycl.base.errors import UsageError
from unisycl.frontend import coerce, faults
from unisycl.frontend.values.kind import Lowering, Value
from unisycl.frontend.values.kinds import (
    Constant,
    Instance,
    Record,
    Several,
    Vector,
    describe,
    own_type,
)
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, Scalar, Struct, element_type
from unisycl.lang.numbers import swizzle
from unisycl.lang.numbers.elements import INTEGER_ONLY, SIGNED, allows, elements_type, made

Arithmetic = Callable[[Lowering, str, n.Expr, n.Expr, ast.AST], n.Expr]


# ---- types
@functools.cache
def layout_of(own: elements_type) -> Struct:
    """Return the layout of a vec or marray type."""
    kind = element_type(own.dtype)
    assert isinstance(kind, Struct)
    return kind


def type_of(value: Vector) -> elements_type:
    """Return the type of a vec or marray."""
    found = own_type(value.type)
    assert found is not None
    return found


def of(own: elements_type, items: Sequence[n.Expr]) -> Vector:
    """Return a value that no name holds yet."""
    return Vector(layout_of(own), tuple(items), exact=False)


def scalar_of(own: elements_type) -> Scalar:
    """Return the type of an element."""
    row = dtypes.find_dtype(own.element)
    assert row is not None
    return Scalar(row)


def assembled(ctx: Lowering, like: elements_type, items: Sequence[n.Expr], node: ast.AST) -> Vector:
    """Return a value of a kind and size with elements of their own type; tests give -1 and 0."""
    if items[0].type.dtype.kind == "b" and like.kind == "vec":
        return tested(like, items)
    ctx.need(items[0].type)
    return of(like._like(items[0].type.dtype.numpy),
              [coerce.convert(x, Scalar(x.type.dtype)) for x in items])


def tested(like: elements_type, items: Sequence[n.Expr]) -> Vector:
    """Return what comparisons of elements give (SYCL 2020 §4.14.2.1): -1 or 0, in a vec."""
    if like.kind == "marray":
        return of(like._like(np.bool_), [coerce.convert(x, BOOL) for x in items])
    own = like._like(SIGNED[like.element.itemsize])
    kind = scalar_of(own)
    return of(own, [coerce.select(coerce.truth(x), n.Const(kind, -1), n.Const(kind, 0), kind)
                    for x in items])


# ---- constructors
def construct(ctx: Lowering, own: elements_type, args: Sequence[Value], node: ast.AST) -> Value:
    """Return ``float4(...)``: zeros, one number for all elements, or parts that make it up."""
    parts = list(args)
    if len(parts) == 1 and isinstance(parts[0], Several):
        parts = list(parts[0].items)
    kind = scalar_of(own)
    ctx.need(kind)
    items: list[n.Expr] = []
    for part in parts:
        if isinstance(part, Vector):
            theirs = type_of(part)
            if (theirs.kind, theirs.element) != (own.kind, own.element):
                raise ctx.refuse("K036", node, op=own.__name__, types=theirs.__name__,
                                 help=f"convert it first: .convert(np.{own.element})")
            items += ctx.loaded(part).items
        else:
            items.append(coerce.cast(ctx.to_scalar(part, node, unsure=True), kind))
    if not items:
        items = [coerce.cast(coerce.weak_scalar(0), kind)]
    if len(items) == 1:
        items = [ctx.once(items[0])] * own.count if own.count > 1 else items
    if len(items) != own.count:
        raise ctx.refuse("K080", node, what=f"{own.__name__} has {own.count} elements, and "
                         f"{len(items)} are given", help="give one number for all of them, or "
                         "numbers and vectors that make them up together")
    return of(own, items)


def concrete(ctx: Lowering, kind: Any, args: Sequence[Value], node: ast.AST) -> Constant:
    """Return the type that ``vec(dtype, count)`` names, known while compiling."""
    found: list[Any] = []
    for arg in args:
        number = ctx.constant(arg)
        if number is None and not isinstance(arg, Constant):
            raise ctx.refuse("K046", node, what=f"the type that {kind.__name__}() names", help="")
        found.append(arg.object if isinstance(arg, Constant) else number and number.value)
    try:
        return Constant(kind(*found))
    except (UsageError, TypeError) as error:
        what = error.what() if isinstance(error, UsageError) else str(error)
        raise ctx.refuse("K080", node, what=what.partition(" [")[0].partition(";")[0],
                         help="write vec(np.float32, n) with n 1, 2, 3, 4, 8 or 16"
                         if kind.kind == "vec" else "write marray(np.float32, n)") from None


def call_type(ctx: Lowering, own: Any, args: Sequence[Value], node: ast.AST) -> Value:
    """Return a call of a vec or marray type, or of ``vec`` or ``marray`` itself."""
    if not hasattr(own, "count"):
        return concrete(ctx, own, args, node)
    return construct(ctx, own, args, node)


# ---- operators
def operands(ctx: Lowering, symbol: str, left: Value, right: Value,
             node: ast.AST) -> tuple[elements_type, list[n.Expr], list[n.Expr]]:
    """Return the type two operands share and the elements of both, or refuse."""
    vectors = [v for v in (left, right) if isinstance(v, Vector)]
    several = [v for v in vectors if len(v.items) > 1] or vectors
    own = type_of(several[0])
    if len(several) == 2 and several[0].type != several[1].type:
        a, b = (type_of(v) for v in several)
        if a.count != b.count:
            raise ctx.refuse("K080", node, what=f"'{symbol}' is not defined for {a.__name__} and "
                             f"{b.__name__}", help="both sides need the same number of elements; "
                             "take part of one, such as v.lo or v.xyz")
        raise ctx.refuse("K036", node, op=symbol, types=f"{a.__name__} and {b.__name__}",
                         help=f"convert one of them: .convert(np.{a.element})"
                         if a.kind == b.kind == "vec" else "both sides need one type")
    columns = []
    for value in (left, right):
        if isinstance(value, Vector) and value in several:
            columns.append(list(ctx.loaded(value).items))
        else:
            x = ctx.to_scalar(value, node, unsure=True)
            x = _fitting(ctx, symbol, x, own, left, right, node)
            columns.append([ctx.once(x)] * own.count)
    return own, columns[0], columns[1]


def _fitting(ctx: Lowering, symbol: str, x: n.Expr, own: elements_type, left: Value, right: Value,
             node: ast.AST) -> n.Expr:
    """Return a number as an operand of elements; refused if their type cannot hold its type."""
    kind = scalar_of(own)
    shared = coerce.common(kind, x.type)
    if shared != kind:
        raise ctx.refuse("K036", node, op=symbol, types=f"{describe(left)} and {describe(right)}",
                         help=f"convert the number first: np.{own.element}(...)")
    if symbol == "**" and isinstance(x, n.Const):
        return x  # small exponents multiply
    return coerce.cast(x, kind)


def binary(ctx: Lowering, op: str, symbol: str, left: Value, right: Value, node: ast.AST,
           arithmetic: Arithmetic) -> Value:
    """Return ``left op right`` element by element; ``arithmetic`` does one element."""
    own, a, b = operands(ctx, symbol, left, right, node)
    if op == "matmul" or not allows(symbol, own.element):
        raise ctx.refuse("K036", node, op=symbol, types=f"{describe(left)} and {describe(right)}",
                         help="these operators need integers" if symbol in INTEGER_ONLY else "")
    if op == "div" and own.element.kind in "iu":
        pairs = [(ctx.once(x), ctx.once(y)) for x, y in zip(a, b, strict=True)]
        return of(own, [_towards_zero(x, y, scalar_of(own)) for x, y in pairs])
    return of(own, [coerce.convert(arithmetic(ctx, op, x, y, node), scalar_of(own))
                    for x, y in zip(a, b, strict=True)])


def _towards_zero(a: n.Expr, b: n.Expr, kind: Scalar) -> n.Expr:
    """Return the quotient of integers as C++ has it."""
    down = coerce.binary("floordiv", a, b, kind)
    if kind.dtype.kind == "u":
        return down
    zero = n.Const(kind, 0)
    tests = [coerce.compare("ne", coerce.binary("mod", a, b, kind), zero),
             coerce.compare("lt", a, zero), coerce.compare("lt", b, zero)]
    inexact, first, second = (coerce.truth(t) for t in tests if t is not None)
    wrong = coerce.binary("and", inexact, coerce.binary("xor", first, second, BOOL), BOOL)
    return coerce.binary("add", down, coerce.convert(wrong, kind), kind)


def compare(ctx: Lowering, op: str, symbol: str, left: Value, right: Value, node: ast.AST) -> Value:
    """Return a comparison element by element."""
    own, a, b = operands(ctx, symbol, left, right, node)
    found = [coerce.compare(op, x, y) for x, y in zip(a, b, strict=True)]
    return tested(own, [x for x in found if x is not None])


def unary(ctx: Lowering, symbol: str, value: Vector, node: ast.AST,
          one: Callable[[n.Expr], n.Expr]) -> Value:
    """Return ``-v``, ``+v`` or ``~v``."""
    value = ctx.loaded(value)
    kind = value.elem.dtype.kind
    if (symbol == "~" and kind == "f") or (symbol == "-" and kind == "b"):
        raise ctx.refuse("K036", node, op=symbol, types=describe(value),
                         help="this operator needs integers" if kind == "f" else "")
    return replace(value, items=tuple(one(x) for x in value.items), homes=frozenset(), exact=False)


def elementwise(ctx: Lowering, args: Sequence[Value], node: ast.AST, what: str,
                one: Callable[[list[Value]], Value]) -> Value:
    """Return a function of numbers applied to the elements of vectors; numbers go to each.

    Results of several values, such as those of sincos, become as many vectors.
    """
    vectors = [a for a in args if isinstance(a, Vector)]
    own = type_of(vectors[0])
    for other in vectors[1:]:
        theirs = type_of(other)
        if (theirs.kind, theirs.count) != (own.kind, own.count):
            raise ctx.refuse("K080", node, what=f"'{what}' is not defined for {own.__name__} and "
                             f"{theirs.__name__}", help="give it vectors of one size")
    columns: list[list[Value]] = []
    for a in args:
        if isinstance(a, Vector):
            columns.append(list(ctx.loaded(a).items))
        else:
            columns.append([ctx.once(ctx.to_scalar(a, node))] * own.count)
    results = [one(list(row)) for row in zip(*columns, strict=True)]
    if isinstance(results[0], Several):
        parts = zip(*(r.items for r in results if isinstance(r, Several)), strict=True)
        return Several(tuple(assembled(ctx, own, [ctx.to_scalar(x, node) for x in p], node)
                             for p in parts))
    return assembled(ctx, own, [ctx.to_scalar(x, node) for x in results], node)


# ---- elements
def picked(ctx: Lowering, value: Vector, places: Sequence[int]) -> Value:
    """Return some elements in some order; a single one is a number."""
    if len(places) == 1:
        return value.items[places[0]]
    like = layout_of(made("vec", type_of(value).element, len(places)))
    items = (*value.items, _nowhere(value.elem))  # three elements count as four
    return replace(value, type=like, room=0, items=tuple(items[k] for k in places))


@functools.cache
def _nowhere(kind: Scalar) -> n.Const:
    """Return what stands for the fourth of three elements; known by its identity."""
    return n.Const(kind, 0)


def attribute(ctx: Lowering, value: Vector, name: str) -> Value | None:
    """Return the elements a name such as ``xy`` or ``lo`` denotes; None if it is no such name."""
    own = type_of(value)
    places = swizzle.positions(name, own.count) if own.kind == "vec" else None
    return None if places is None else picked(ctx, value, places)


def read_attribute(ctx: Lowering, value: Vector, name: str) -> Value | None:
    """Return ``attribute`` of a vec to be read: several elements in memory are read at once."""
    found = attribute(ctx, value, name)
    if isinstance(found, Vector) and value.place is not None:
        return attribute(ctx, ctx.loaded(value), name)
    return found


def constant_element(ctx: Lowering, value: Vector, index: n.Expr, node: ast.AST) -> int | None:
    """Return the place an index names, refusing one outside; None if it is not known yet."""
    if index.type.dtype.kind not in "iu":
        raise ctx.refuse("K038", node, found=str(index.type), help="convert it first: int(...)")
    if not isinstance(index, n.Const):
        faults.of_elements(ctx, index, describe(value), len(value.items), node)
        return None
    k, count = int(index.value), len(value.items)
    if not 0 <= k < count:
        raise ctx.refuse("K081", node, found=k, what=describe(value), count=count)
    return k


def element(ctx: Lowering, value: Vector, index: n.Expr, node: ast.AST) -> n.Expr:
    """Return ``v[index]``."""
    k = constant_element(ctx, value, index, node)
    if k is not None:
        return value.items[k]
    index = ctx.once(index)
    items = [ctx.once(x) for x in ctx.loaded(value).items]
    result = items[-1]
    for k in range(len(items) - 2, -1, -1):
        result = coerce.select(_is(index, k), items[k], result, value.elem)
    return result


def _is(index: n.Expr, k: int) -> n.Expr:
    test = coerce.compare("eq", index, coerce.weak_scalar(k))
    assert test is not None
    return coerce.truth(test)


# ---- assignment to elements
def assign(ctx: Lowering, target: Vector, value: Value, node: ast.AST, *, name: str = "") -> None:
    """Do ``v.xy = value`` for a vec in variables or in memory."""
    own = type_of(target)
    check_assignable(ctx, target, node)
    places = [_place_of(x) for x in target.items]
    if len(set(places)) != len(places):
        raise ctx.refuse("K082", node, name=name or ast.unparse(node))
    items = _assigned(ctx, own, value, node)
    where = target.place
    if where is None:
        for item, x in zip(target.items, items, strict=True):
            if item is not _nowhere(target.elem):
                put(ctx, item, x, node)
        return
    padding = [n.Const(target.elem, 0)] * (max(target.room, len(items)) - len(items))
    ctx.store_many(where, [*items, *padding], node)


def _place_of(x: n.Expr) -> Any:
    return x.local if isinstance(x, n.Read) else x


def _assigned(ctx: Lowering, own: elements_type, value: Value, node: ast.AST) -> list[n.Expr]:
    """Return the elements an assignment gives, all evaluated before any is written."""
    kind = scalar_of(own)
    if isinstance(value, Several):
        value = construct(ctx, own, [value], node)
    if isinstance(value, Record):
        raise ctx.refuse("K049", node, found=describe(value), expected=own.__name__, help="")
    if not isinstance(value, Vector) or len(value.items) == 1:
        x = coerce.cast(ctx.to_scalar(value, node, unsure=True), kind)
        return [ctx.once(x)] * own.count
    theirs = type_of(value)
    if theirs.count != own.count:
        raise ctx.refuse("K080", node, what=f"{theirs.count} elements cannot be assigned to "
                         f"{own.count}", help="take as many as there are targets, such as v.xy")
    if theirs.element != own.element:
        raise ctx.refuse("K036", node, op="=", types=f"{own.__name__} and {theirs.__name__}",
                         help=f"convert it first: .convert(np.{own.element})")
    return [ctx.hold(x) for x in ctx.loaded(value).items]


def put(ctx: Lowering, item: n.Expr, x: n.Expr, node: ast.AST) -> None:
    """Write one element: to its variable or to its place in memory."""
    if isinstance(item, n.Read):
        ctx.emit(n.Assign(item.local, coerce.cast(x, item.type), span=ctx.span(node)))
    else:
        assert isinstance(item, n.Load)
        ctx.emit(n.Store(item.place, coerce.cast(x, item.type), span=ctx.span(node)))


def check_assignable(ctx: Lowering, target: Vector, node: ast.AST) -> None:
    """Refuse to change what is no variable or memory, or what two names may share."""
    nowhere = _nowhere(target.elem)
    if not target.exact or not all(isinstance(x, n.Read | n.Load) or x is nowhere
                                   for x in target.items):
        raise ctx.refuse("K083", node, what=describe(target))
    if not target.writable:
        memory = next(x.place for x in target.items if isinstance(x, n.Load))
        by_value = isinstance(memory.base, n.Param) and not memory.index
        raise ctx.refuse("K041" if by_value else "K039", node, name=target.name)
    check_unshared(ctx, target, node)


def check_unshared(ctx: Lowering, target: Vector | Instance, node: ast.AST) -> None:
    """Refuse to change what two names may share."""
    for home in target.homes:
        if home in ctx.shared:
            other = ctx.shared[home].partition(".")[0]
            raise ctx.refuse("K084", node, name=target.name, type=describe(target),
                             other=f"'{other}'" if other else "another name")


def assign_element(ctx: Lowering, target: Vector, index: n.Expr, value: n.Expr,
                   node: ast.AST) -> None:
    """Do ``v[index] = value`` for an index known at run time only."""
    check_assignable(ctx, target, node)
    index, x = ctx.once(index), ctx.once(coerce.cast(value, target.elem))
    for k, item in enumerate(target.items):
        if item is _nowhere(target.elem):
            continue
        if isinstance(item, n.Read):
            put(ctx, item, coerce.select(_is(index, k), x, item, target.elem), node)
        else:
            with ctx.into() as block:
                put(ctx, item, x, node)
            ctx.emit(n.If(_is(index, k), tuple(block), span=ctx.span(node)))
