"""Geometric functions, and tests of whole vectors, in kernels (SYCL 2020 §4.17.9, §4.17.10).

Non-goals: functions that work element by element. Invariants: each equals
``lang.numbers.geometric``; a length whose square leaves the range is computed another way, in a
branch that is seldom taken.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from unisycl.base.dtypes import FLOAT32, FLOAT64
from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.form_registry import form
from unisycl.frontend.parameters import parameters
from unisycl.frontend.values import vector_operators, vectors
from unisycl.frontend.values.kind import Value, describe
from unisycl.frontend.values.vectors import Vector
from unisycl.ir import nodes as n
from unisycl.ir.builtins import BUILTINS
from unisycl.ir.types import BOOL, Scalar
from unisycl.lang.numbers.geometric import cross

_SAFE = {32: (2.0 ** -96, 2.0 ** 120), 64: (2.0 ** -900, 2.0 ** 1000)}
"""Squares of lengths that were computed without loss, by the bits of a float."""


def _floats(ctx: Context, name: str, args: Sequence[Value], node: ast.AST) -> list[Vector]:
    """Return vectors of one type with floating-point elements, read from memory."""
    found = [a.loaded(ctx) for a in args if isinstance(a, Vector)]
    if len(found) != len(args) or any(v.type != found[0].type for v in found) \
            or not found[0].elem.dtype.is_float:
        raise ctx.refuse("K036", node, op=name, types=", ".join(map(describe, args)),
                         help="it takes vectors of one type with floating-point elements")
    return [Vector(v.type, tuple(ctx.once(x) for x in v.items), exact=False) for v in found]


@form(cross)
def lower_cross(ctx: Context, node: ast.Call) -> Value:
    """Lower ``cross(p0, p1)``."""
    found = parameters(ctx, node, "cross", ("p0", "p1"))
    a, b = _floats(ctx, "cross", [found["p0"], found["p1"]], node)
    if len(a.items) not in (3, 4):
        raise ctx.refuse("K080", node, what=f"'cross' is not defined for {describe(a)}",
                         help="it takes vectors of 3 or 4 elements")
    (ax, ay, az, *_), (bx, by, bz, *_) = a.items, b.items

    def minor(p: n.Expr, q: n.Expr, r: n.Expr, s: n.Expr) -> n.Expr:
        return _op("sub", _op("mul", p, q), _op("mul", r, s))
    items = [minor(ay, bz, az, by), minor(az, bx, ax, bz), minor(ax, by, ay, bx)]
    if len(a.items) == 4:
        items.append(n.Const(a.elem, 0.0))
    return vectors.of(vectors.type_of(a), items)


def _op(op: str, a: n.Expr, b: n.Expr) -> n.Expr:
    return n.Binary(a.type, op, a, b)


def _products(a: Sequence[n.Expr], b: Sequence[n.Expr]) -> n.Expr:
    total: n.Expr | None = None
    for x, y in zip(a, b, strict=True):
        total = _op("mul", x, y) if total is None else _op("add", total, _op("mul", x, y))
    assert total is not None
    return total


def _sqrt(x: n.Expr) -> n.Expr:
    return n.Call(x.type, BUILTINS["sqrt"], (x,))


def _dot(ctx: Context, args: Sequence[Value], node: ast.AST) -> Value:
    a, b = _floats(ctx, "dot", args, node)
    return _products(a.items, b.items)


def _length(ctx: Context, args: Sequence[Value], node: ast.AST) -> Value:
    (v,) = _floats(ctx, "length", args, node)
    return _norm(ctx, v.items, v.elem, node)


def _distance(ctx: Context, args: Sequence[Value], node: ast.AST) -> Value:
    a, b = _floats(ctx, "distance", args, node)
    items = [ctx.once(_op("sub", x, y)) for x, y in zip(a.items, b.items, strict=True)]
    return _norm(ctx, items, a.elem, node)


def _norm(ctx: Context, items: Sequence[n.Expr], kind: Scalar, node: ast.AST) -> n.Expr:
    """Return the length of elements: the root of the sum of squares, or of a sum of small ones."""
    if kind.dtype.bits == 16:
        wide = [coerce.convert(x, Scalar(FLOAT32)) for x in items]
        return coerce.convert(_sqrt(_products(wide, wide)), kind)
    square = ctx.once(_products(items, items))
    result = n.Local("length", kind)
    ctx.emit(n.Assign(result, _sqrt(square)))
    with ctx.into() as block:
        wide, scale = _wide(ctx, items, kind)
        root = _sqrt(_products(wide, wide))
        exact = coerce.convert(root if scale is None else _op("mul", root, scale), kind)
        ctx.emit(n.Assign(result, exact))
    ctx.emit(n.If(_unsafe(square), tuple(block), span=ctx.span(node)))
    return n.Read(kind, result)


def _unsafe(square: n.Expr) -> n.Expr:
    """Return whether a sum of squares may have lost something; NaN counts."""
    low, high = _SAFE[square.type.dtype.bits]
    inside = n.Binary(BOOL, "and", n.Compare(BOOL, "gt", square, n.Const(square.type, low)),
                      n.Compare(BOOL, "lt", square, n.Const(square.type, high)))
    return coerce.negate(inside)


def _wide(ctx: Context, items: Sequence[n.Expr],
          kind: Scalar) -> tuple[list[n.Expr], n.Expr | None]:
    """Return elements whose squares lose nothing, and what their length is to be scaled by."""
    if kind.dtype is FLOAT32:
        return [ctx.once(coerce.convert(x, Scalar(FLOAT64))) for x in items], None
    zero, one = n.Const(kind, 0.0), n.Const(kind, 1.0)
    most = ctx.once(n.Call(kind, BUILTINS["fabs"], (items[0],)))
    for x in items[1:]:
        most = ctx.once(n.Call(kind, BUILTINS["fmax"], (most, n.Call(
            kind, BUILTINS["fabs"], (x,)))))
    infinite = n.Call(BOOL, BUILTINS["isinf"], (most,))
    by = ctx.once(coerce.select(n.Compare(BOOL, "eq", most, zero), one, most, kind))
    # An infinite element stays what it is, a finite one beside it becomes 0.
    scaled = [ctx.once(coerce.select(infinite, _op("mul", x, n.Const(kind, 2.0 ** -600)),
                                     _op("div", x, by), kind)) for x in items]
    return scaled, by


def _normalize(ctx: Context, args: Sequence[Value], node: ast.AST) -> Value:
    (v,) = _floats(ctx, "normalize", args, node)
    own = vectors.type_of(v)
    if v.elem.dtype.bits == 16:
        kind = Scalar(FLOAT32)
        items = [ctx.once(coerce.convert(x, kind)) for x in v.items]
        found = _directed(ctx, _ones(ctx, items, kind), kind)
        return vectors.of(own, [coerce.convert(x, v.elem) for x in found])
    kind = v.elem
    square = ctx.once(_products(v.items, v.items))
    inverse = ctx.once(_op("div", n.Const(kind, 1.0), _sqrt(square)))
    results = [n.Local("unit", kind) for _ in v.items]
    for local, x in zip(results, v.items, strict=True):
        ctx.emit(n.Assign(local, _op("mul", x, inverse)))
    with ctx.into() as block:
        wide, _ = _wide(ctx, _ones(ctx, v.items, kind), kind)
        for local, x in zip(results, _directed(ctx, wide, wide[0].type), strict=True):
            ctx.emit(n.Assign(local, coerce.convert(x, kind)))
    ctx.emit(n.If(_unsafe(square), tuple(block), span=ctx.span(node)))
    return vectors.of(own, [n.Read(kind, x) for x in results])


def _ones(ctx: Context, items: Sequence[n.Expr], kind: Scalar) -> list[n.Expr]:
    """Return elements with 1 in place of infinities, and 0 then in place of what is finite."""
    tests = [ctx.once(n.Call(BOOL, BUILTINS["isinf"], (x,))) for x in items]
    some = tests[0]
    for t in tests[1:]:
        some = n.Binary(BOOL, "or", some, t)
    some = ctx.once(some)
    out = []
    for x, test in zip(items, tests, strict=True):
        sizes = (n.Const(kind, 1.0), n.Const(kind, 0.0))
        sign = [n.Call(kind, BUILTINS["copysign"], (size, x)) for size in sizes]
        nan = n.Call(BOOL, BUILTINS["isnan"], (x,))
        moved = coerce.select(test, sign[0], coerce.select(nan, x, sign[1], kind), kind)
        out.append(ctx.once(coerce.select(some, moved, x, kind)))
    return out


def _directed(ctx: Context, items: Sequence[n.Expr], kind: Scalar) -> list[n.Expr]:
    """Return elements divided by their length; those of a zero vector as they are."""
    length = ctx.once(_sqrt(_products(items, items)))
    by = ctx.once(coerce.select(n.Compare(BOOL, "eq", length, n.Const(kind, 0.0)),
                                n.Const(kind, 1.0), length, kind))
    return [_op("div", x, by) for x in items]


# ---- within 8192 units
def _fast_length(ctx: Context, args: Sequence[Value], node: ast.AST) -> Value:
    (v,) = _floats(ctx, "fast_length", args, node)
    return _sqrt(_products(v.items, v.items))


def _fast_distance(ctx: Context, args: Sequence[Value], node: ast.AST) -> Value:
    a, b = _floats(ctx, "fast_distance", args, node)
    items = [ctx.once(_op("sub", x, y)) for x, y in zip(a.items, b.items, strict=True)]
    return _sqrt(_products(items, items))


def _fast_normalize(ctx: Context, args: Sequence[Value], node: ast.AST) -> Value:
    (v,) = _floats(ctx, "fast_normalize", args, node)
    kind = v.elem
    square = ctx.once(_products(v.items, v.items))
    zero = n.Compare(BOOL, "eq", square, n.Const(kind, 0.0))
    inverse = ctx.once(coerce.select(zero, n.Const(kind, 1.0), _op(
        "div", n.Const(kind, 1.0), _sqrt(square)), kind))
    return vectors.of(vectors.type_of(v), [_op("mul", x, inverse) for x in v.items])


# ---- tests of whole vectors
def _conditions(ctx: Context, name: str, value: Value, node: ast.AST) -> list[n.Expr]:
    """Return the truth of each condition: the top bit, or the value of a bool."""
    if not isinstance(value, Vector) or value.elem.dtype.is_float:
        raise ctx.refuse("K036", node, op=name, types=describe(value),
                         help="conditions are integers, such as comparisons give")
    items = value.loaded(ctx).items
    if value.elem.dtype.kind == "b":
        return [coerce.truth(x) for x in items]
    if value.elem.dtype.kind == "u":
        top = n.Const(value.elem, 1 << (value.elem.dtype.bits - 1))
        return [n.Compare(BOOL, "ge", x, top) for x in items]
    return [n.Compare(BOOL, "lt", x, n.Const(value.elem, 0)) for x in items]


def _joined(name: str, op: str) -> Callable[[Context, Sequence[Value], ast.AST], Value]:
    def lower(ctx: Context, args: Sequence[Value], node: ast.AST) -> Value:
        first, *rest = _conditions(ctx, name, args[0], node)
        for x in rest:
            first = n.Binary(BOOL, op, first, x)
        return first
    return lower


def _select(ctx: Context, args: Sequence[Value], node: ast.AST) -> Value:
    a, b, c = args
    several = [v for v in (a, b) if isinstance(v, Vector)]
    conditions = _conditions(ctx, "select", c, node)
    if not several or not isinstance(c, Vector) or len(c.items) != len(several[0].items) or (
            c.elem.dtype.kind != "b" and c.elem.size != several[0].elem.size):
        raise ctx.refuse("K036", node, op="select", types=", ".join(map(describe, args)),
                         help="the conditions are as wide and as many as the elements")
    own, x, y = vector_operators.operands(ctx, "select", a, b, node)
    kind = vectors.scalar_of(own)
    return vectors.of(own, [coerce.select(t, q, p, kind)
                            for p, q, t in zip(x, y, conditions, strict=True)])


OF_VECTORS: dict[str, Callable[[Context, Sequence[Value], ast.AST], Value]] = {
    "dot": _dot, "length": _length, "distance": _distance, "normalize": _normalize,
    "fast_length": _fast_length, "fast_distance": _fast_distance,
    "fast_normalize": _fast_normalize, "any": _joined("any", "or"), "all": _joined("all", "and"),
    "select": _select,
}
