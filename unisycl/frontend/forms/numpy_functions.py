"""NumPy's functions of numbers that have no row, questions about types, and methods of integers.

Types are NumPy's: the result is a NumPy number, whatever the operands are. Non-goals: arrays.
Invariant: bit by bit what NumPy gives for scalars.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from unisycl.base import dtypes
from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.form_registry import Lower, form
from unisycl.frontend.forms.builtins import call_row
from unisycl.frontend.forms.math_functions import library
from unisycl.frontend.parameters import parameters
from unisycl.frontend.syntax.expr import arithmetic, power
from unisycl.frontend.values import special_methods
from unisycl.frontend.values.constants import Constant, answer
from unisycl.frontend.values.kind import Value
from unisycl.frontend.values.numbers import ones
from unisycl.frontend.values.tuples import Several
from unisycl.ir import nodes as n
from unisycl.ir.builtins import BUILTINS
from unisycl.ir.types import BOOL, WEAK_FLOAT, WEAK_INT, Scalar
from unisycl.lang.library import logarithms

_INT8, _UINT8, _FLOAT32, _FLOAT64 = (
    Scalar(dtypes.DTYPES[x]) for x in ("int8", "uint8", "float32", "float64"))


def _strong(x: n.Expr) -> n.Expr:
    """Return a number as NumPy has it: Python's become int64, float64 or bool."""
    return coerce.convert(x, Scalar(x.type.dtype)) if x.type.weak else x


def _numbers(ctx: Context, node: ast.Call, name: str, names: Sequence[str]) -> list[n.Expr]:
    found = parameters(ctx, node, f"numpy.{name}", names)
    return [ctx.to_scalar(found[k], node) for k in names]


def _undefined(ctx: Context, node: ast.Call, name: str, *xs: n.Expr) -> Exception:
    return ctx.refuse("K036", node, op=name, types=", ".join(str(x.type) for x in xs),
                      help=coerce.complex_help(*(x.type for x in xs)) or "NumPy refuses it, too")


def _compared(op: str, x: n.Expr, value: int) -> n.Expr:
    return n.Compare(BOOL, op, x, coerce.convert(n.Const(WEAK_INT, value), x.type))


@form(np.sign)
def _sign(ctx: Context, node: ast.Call) -> Value:
    x = ctx.once(_strong(_numbers(ctx, node, "sign", ("x",))[0]))
    if x.type.dtype.kind in "bc":
        raise _undefined(ctx, node, "sign", x)
    one, zero = (coerce.convert(n.Const(WEAK_INT, k), x.type) for k in (1, 0))
    if x.type.dtype.kind == "u":
        return coerce.select(_compared("gt", x, 0), one, zero, x.type)
    less = coerce.convert(n.Const(WEAK_INT, -1), x.type)
    # What compares with nothing is NaN, which stays.
    rest = zero if x.type.dtype.is_integer else coerce.select(
        _compared("eq", x, 0), zero, x, x.type)
    return coerce.select(_compared("gt", x, 0), one,
                         coerce.select(_compared("lt", x, 0), less, rest, x.type), x.type)


@form(np.square)
def _square(ctx: Context, node: ast.Call) -> Value:
    x = ctx.once(_strong(_numbers(ctx, node, "square", ("x",))[0]))
    if x.type == BOOL:
        return coerce.convert(x, _INT8)
    return arithmetic(ctx, "mul", x, x, node)


@form(np.clip)
def _clip(ctx: Context, node: ast.Call) -> Value:
    """Lower ``numpy.clip``: bounds beyond a type bound nothing, None neither; NaN stays."""
    found = parameters(ctx, node, "numpy.clip", ("a",), ("a_min", "a_max", "min", "max"))
    low, high = (found.get(f"a_{k}", found.get(k, Constant(None))) for k in ("min", "max"))
    bounds = [None if isinstance(v, Constant) and v.object is None else ctx.to_scalar(v, node)
              for v in (low, high)]
    x: n.Expr = ctx.to_scalar(found["a"], node)
    type: Scalar | None = x.type
    for bound in bounds:
        type = coerce.common(type, bound.type) if type is not None and bound is not None else type
    if type is None or type.dtype.kind == "c":
        raise _undefined(ctx, node, "clip", x, *(b for b in bounds if b is not None))
    type = Scalar(type.dtype)
    x = coerce.cast(x, type)
    for name, bound, sign in (("maximum", bounds[0], -1), ("minimum", bounds[1], 1)):
        if bound is None or (isinstance(bound, n.Const) and bound.type.weak and not coerce.fits(
                bound.value, type.dtype) and (bound.value < 0) == (sign < 0)):
            continue
        value = call_row(ctx, BUILTINS[_ROWS[name]], [x, coerce.cast(bound, type)], node,
                         family="numpy") if type != BOOL else n.Binary(
            BOOL, "or" if sign < 0 else "and", x, coerce.cast(bound, BOOL))
        x = ctx.to_scalar(value, node)
    return x


_ROWS = {name: next(row.name for row in BUILTINS.values() if name in row.numpy)
         for name in ("maximum", "minimum")}


@form(np.negative)
def _negative(ctx: Context, node: ast.Call) -> Value:
    x = _strong(_numbers(ctx, node, "negative", ("x",))[0])
    if x.type == BOOL:
        raise _undefined(ctx, node, "negative", x)
    return n.Unary(x.type, "neg", x)


@form(np.positive)
def _positive(ctx: Context, node: ast.Call) -> Value:
    x = _strong(_numbers(ctx, node, "positive", ("x",))[0])
    if x.type == BOOL:
        raise _undefined(ctx, node, "positive", x)
    return x


@form(np.invert)
def _invert(ctx: Context, node: ast.Call) -> Value:
    x = _strong(_numbers(ctx, node, "invert", ("x",))[0])
    if x.type.dtype.kind in "fc":
        raise _undefined(ctx, node, "invert", x)
    return coerce.negate(x) if x.type == BOOL else n.Unary(x.type, "invert", x)


@form(np.reciprocal)
def _reciprocal(ctx: Context, node: ast.Call) -> Value:
    x = _strong(_numbers(ctx, node, "reciprocal", ("x",))[0])
    if not x.type.dtype.is_float:
        raise ctx.refuse("K036", node, op="reciprocal", types=x.type,
                         help="of an integer it is 0 nearly always: make it a float")
    one: n.Expr = n.Const(x.type, 1.0)
    return n.Binary(x.type, "div", one, x)


@form(np.divmod)
def _divmod(ctx: Context, node: ast.Call) -> Value:
    a, b = (ctx.hold(x) for x in _numbers(ctx, node, "divmod", ("x1", "x2")))
    return Several(tuple(_strong(arithmetic(ctx, op, a, b, node)) for op in ("floordiv", "mod")))


@form(np.float_power)
def _float_power(ctx: Context, node: ast.Call) -> Value:
    ctx.need(_FLOAT64, node)
    xs = _numbers(ctx, node, "float_power", ("x1", "x2"))
    if any(x.type.dtype.kind == "c" for x in xs):
        raise _undefined(ctx, node, "float_power", *xs)
    a, b = (coerce.convert(x, _FLOAT64) for x in xs)
    return power(ctx, a, b, _FLOAT64, node)


@form(np.heaviside)
def _heaviside(ctx: Context, node: ast.Call) -> Value:
    x, half = _numbers(ctx, node, "heaviside", ("x1", "x2"))
    type = coerce.floating(x.type, half.type, narrow=True)
    if type is None or type.dtype.kind == "c":
        raise _undefined(ctx, node, "heaviside", x, half)
    type = Scalar(type.dtype)
    x = ctx.once(coerce.cast(x, type))
    one, zero = n.Const(type, 1.0), n.Const(type, 0.0)
    rest = coerce.select(_compared("eq", x, 0), coerce.cast(half, type), x, type)
    return coerce.select(_compared("gt", x, 0), one, coerce.select(
        _compared("lt", x, 0), zero, rest, type), type)


def _added_exponentials(name: str) -> Lower:
    """Make the lowering of numpy.logaddexp and logaddexp2; halves are computed as floats."""
    def lower(ctx: Context, node: ast.Call) -> Value:
        xs = _numbers(ctx, node, name, ("x1", "x2"))
        type = coerce.floating(xs[0].type, xs[1].type, narrow=True)
        if type is None or type.dtype.kind == "c":
            raise _undefined(ctx, node, name, *xs)
        made = Scalar(type.dtype)
        inner = _FLOAT32 if made.dtype.bits < 32 else made
        callee = Constant(getattr(logarithms, name), (("library", name),))
        found = ctx.call(ctx, callee, [ctx.hold(coerce.cast(coerce.cast(x, made), inner))
                                       for x in xs], node)
        return coerce.cast(ctx.to_scalar(found, node), made)
    return lower


for _name in ("logaddexp", "logaddexp2"):
    form(getattr(np, _name))(_added_exponentials(_name))


def _rounded(name: str) -> Lower:
    """Make the lowering of numpy.round and around: to the nearest, halves to even."""
    def lower(ctx: Context, node: ast.Call) -> Value:
        found = parameters(ctx, node, f"numpy.{name}", ("a",), ("decimals",))
        x = _strong(ctx.to_scalar(found["a"], node))
        return rounded(ctx, x, found.get("decimals", coerce.weak_scalar(0)), node)
    return lower


form(np.round)(_rounded("round"))
form(np.around)(_rounded("around"))


def rounded(ctx: Context, x: n.Expr, digits: Value, node: ast.AST) -> n.Expr:
    """Return a NumPy number rounded to so many decimals, as NumPy computes it."""
    known = ctx.constant(digits)
    if known is None or known.type.dtype.kind != "i" or (
            known.value < 0 and x.type.dtype.is_integer):
        raise ctx.refuse("K046", node, what="the number of decimals",
                         help="write a whole number; integers are rounded to 0 and more of them")
    if x.type == BOOL or x.type.dtype.kind == "c":
        raise ctx.refuse("K036", node, op="round", types=x.type, help="")
    if x.type.dtype.is_integer:
        return x
    if known.value == 0:
        return n.Call(x.type, BUILTINS["rint"], (x,))
    scale = coerce.convert(n.Const(WEAK_FLOAT, 10.0 ** abs(known.value)), x.type)
    there, back = ("mul", "div") if known.value > 0 else ("div", "mul")
    near = n.Call(x.type, BUILTINS["rint"], (n.Binary(x.type, there, x, scale),))
    return n.Binary(x.type, back, near, scale)


@form(np.fix)
def _fix(ctx: Context, node: ast.Call) -> Value:
    x = _strong(_numbers(ctx, node, "fix", ("x",))[0])
    return call_row(ctx, BUILTINS["trunc"], [x], node, family="numpy") \
        if x.type.dtype.is_float else x


def _of_whole(name: str) -> Lower:
    """Make the lowering of numpy.gcd and lcm."""
    def lower(ctx: Context, node: ast.Call) -> Value:
        a, b = _numbers(ctx, node, name, ("x1", "x2"))
        type = coerce.common(a.type, b.type)
        if type is None or type.dtype.kind not in "iu":
            raise _undefined(ctx, node, name, a, b)
        type = Scalar(type.dtype)
        return library(ctx, name, [coerce.cast(x, type) for x in (a, b)], node)
    return lower


form(np.gcd)(_of_whole("gcd"))
form(np.lcm)(_of_whole("lcm"))


@form(np.bitwise_count)
def _bit_count(ctx: Context, node: ast.Call) -> Value:
    x = _strong(_numbers(ctx, node, "bitwise_count", ("x",))[0])
    if x.type == BOOL:
        return coerce.convert(x, _UINT8)
    if x.type.dtype.kind not in "iu":
        raise _undefined(ctx, node, "bitwise_count", x)
    return coerce.convert(ones(x), _UINT8)


# ---- questions about types
def _question(asked: Callable[..., Any]) -> Lower:
    """Make the lowering of a question about types, which is answered while compiling."""
    name = asked.__name__

    def lower(ctx: Context, node: ast.Call) -> Value:
        values = ctx.operands(*node.args)
        objects = [_object(v) for v in values]
        if node.keywords or None in objects:
            raise ctx.refuse("K046", node, what=f"what {name}() is asked about",
                             help="ask about types: np.float32, x.dtype, ...")
        for v in values:
            if isinstance(v, Constant) and v.path:
                ctx.guard(v.path, v.object, frozen=True)
        try:
            return answer(asked(*objects))
        except (TypeError, ValueError) as error:
            raise ctx.refuse("K054", node, what=f"{asked.__module__}.{name} of these "
                             f"raises: {error}", help="") from None
    return lower


form(np.dtype)(_question(np.dtype))
form(np.iinfo)(_question(np.iinfo))
form(np.finfo)(_question(np.finfo))
form(np.issubdtype)(_question(np.issubdtype))
form(np.result_type)(_question(np.result_type))
form(np.promote_types)(_question(np.promote_types))
form(np.can_cast)(_question(np.can_cast))
form(issubclass)(_question(issubclass))


def _object(value: Value) -> Any:
    if isinstance(value, Constant):
        return value.object
    if isinstance(value, Several) and value.kind == "tuple":
        parts = tuple(map(_object, value.items))
        return None if None in parts else parts
    return value.type.dtype.numpy if isinstance(value, n.Expr) and not value.type.weak else None


@form(type)
def _type(ctx: Context, node: ast.Call) -> Value:
    """Lower ``type(x)`` of a number, or of an object of a user's class."""
    value = parameters(ctx, node, "type", ("object",))["object"]
    cls = special_methods.class_of(value)
    if cls is not None:
        return Constant(cls, (("object", cls),))
    x = ctx.to_scalar(value, node)
    kind = x.type.dtype
    python: dict[str, type] = {"b": bool, "i": int, "u": int, "f": float, "c": complex}
    found: type = python[kind.kind] if x.type.weak else kind.numpy.type
    return Constant(found, (("object", found),))


# ---- text that is numbers
@form(ord)
def _ord(ctx: Context, node: ast.Call) -> Value:
    value = parameters(ctx, node, "ord", ("c",))["c"]
    if isinstance(value, Constant) and isinstance(value.object, str | bytes) \
            and len(value.object) == 1:
        if value.path:
            ctx.guard(value.path, value.object, frozen=True)
        return coerce.weak_scalar(ord(value.object))
    raise ctx.refuse("K046", node, what="the character ord() is given",
                     help="write one character: ord('a')")


__all__ = ["rounded"]
