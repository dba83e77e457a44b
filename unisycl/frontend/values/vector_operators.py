"""Operators of ``vec`` and ``marray``, element by element, and types that a kernel names.

Non-goals: elements, methods (``vectors``). Invariant: each rule here is that of
``lang.numbers.elements`` and ``lang.numbers.vec``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from unisycl.base.dataclass import replace
from unisycl.base.errors import UsageError
from unisycl.frontend import coerce
from unisycl.frontend.form_registry import form
from unisycl.frontend.parameters import parameters
from unisycl.frontend.values.bit_casts import recast
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Lowering, Value, describe
from unisycl.frontend.values.tuples import Several
from unisycl.frontend.values.vectors import Vector, construct, of, scalar_of, type_of
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, Scalar
from unisycl.lang.numbers import bits
from unisycl.lang.numbers.elements import INTEGER_ONLY, SIGNED, allows, elements_type

Arithmetic = Callable[[Lowering, str, n.Expr, n.Expr, ast.AST], n.Expr]


# ---- results
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


# ---- types
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
            columns.append(list(value.loaded(ctx).items))
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
    value = value.loaded(ctx)
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
            columns.append(list(a.loaded(ctx).items))
        else:
            columns.append([ctx.once(ctx.to_scalar(a, node))] * own.count)
    results = [one(list(row)) for row in zip(*columns, strict=True)]
    if isinstance(results[0], Several):
        parts = zip(*(r.items for r in results if isinstance(r, Several)), strict=True)
        return Several(tuple(assembled(ctx, own, [ctx.to_scalar(x, node) for x in p], node)
                             for p in parts))
    return assembled(ctx, own, [ctx.to_scalar(x, node) for x in results], node)



# ---- bits
@form(bits.bit_cast)
def bit_cast(ctx: Lowering, node: ast.Call) -> Value:
    """Lower ``bit_cast(type, value)`` (SYCL 2020 §3.9.2)."""
    found = parameters(ctx, node, "bit_cast", ("to", "value"))
    return recast(ctx, found["to"], found["value"], node)
