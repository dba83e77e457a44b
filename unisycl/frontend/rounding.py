"""Conversions with a rounding mode (SYCL 2020 §4.14.2.5).

Non-goals: the usual conversion, which truncates floats to integers and rounds to the nearest float.
Invariant: the result is the neighbour of the exact value that the mode asks for.
"""

from __future__ import annotations

from unisycl.base.dtypes import DTYPES, FLOAT64
from unisycl.base.enums import rounding_mode
from unisycl.frontend import coerce
from unisycl.frontend.values.kind import Lowering
from unisycl.ir import nodes as n
from unisycl.ir.builtins import BUILTINS
from unisycl.ir.types import BOOL, Scalar

_WHOLE = {rounding_mode.rte: "rint", rounding_mode.rtp: "ceil", rounding_mode.rtn: "floor"}
_WIDE = Scalar(FLOAT64)


def convert(ctx: Lowering, x: n.Expr, to: Scalar, mode: rounding_mode) -> n.Expr:
    """Return a number as another type, rounded as the mode says."""
    source = x.type.dtype
    if not to.dtype.is_float:
        name = _WHOLE.get(mode) if source.is_float else None
        whole = n.Call(x.type, BUILTINS[name], (x,)) if name else x
        return coerce.truth(whole) if to.dtype.kind == "b" else coerce.convert(whole, to)
    if mode in (rounding_mode.automatic, rounding_mode.rte) or source.kind == "b":
        return coerce.convert(x, to)
    if not source.is_float:
        x = _from_long(ctx, ctx.once(x), mode) if source.bits == 64 else coerce.convert(x, _WIDE)
    return _narrower(ctx, ctx.once(x), to, mode)


def _narrower(ctx: Lowering, x: n.Expr, to: Scalar, mode: rounding_mode) -> n.Expr:
    """Round one float to a narrower one in a direction."""
    if to.dtype.bits >= x.type.dtype.bits:
        return coerce.convert(x, to)
    near = ctx.once(coerce.convert(x, to))
    back = ctx.once(coerce.convert(near, x.type))
    return _moved(ctx, near, _is("gt", back, x), _is("lt", back, x), mode)


def _from_long(ctx: Lowering, x: n.Expr, mode: rounding_mode) -> n.Expr:
    """Round a 64-bit integer to float64 in a direction: the error of the sum of halves says how."""
    high = coerce.binary("shr", x, n.Const(x.type, 32), x.type)
    low = coerce.binary("and", x, n.Const(x.type, 0xFFFFFFFF), x.type)
    scaled = ctx.once(n.Binary(_WIDE, "mul", coerce.convert(high, _WIDE),
                               n.Const(_WIDE, 4294967296.0)))
    rest = ctx.once(coerce.convert(low, _WIDE))
    near = ctx.once(n.Binary(_WIDE, "add", scaled, rest))
    # The larger part comes first, so what the sum lost is known exactly.
    lost = ctx.once(n.Binary(_WIDE, "sub", rest, n.Binary(_WIDE, "sub", near, scaled)))
    zero = n.Const(_WIDE, 0.0)
    return _moved(ctx, near, _is("lt", lost, zero), _is("gt", lost, zero), mode)


def _is(op: str, a: n.Expr, b: n.Expr) -> n.Expr:
    return n.Compare(BOOL, op, a, b)


def _moved(ctx: Lowering, near: n.Expr, above: n.Expr, below: n.Expr,
           mode: rounding_mode) -> n.Expr:
    """Return ``near`` or its neighbour, where it lies above or below the exact value."""
    word = Scalar(DTYPES[f"int{near.type.dtype.bits}"])
    bits = ctx.once(n.Bitcast(word, near))
    negative = ctx.once(_is("lt", bits, n.Const(word, 0)))
    one = n.Const(word, 1)
    away, towards = (n.Binary(word, op, bits, one) for op in ("add", "sub"))
    down = n.Select(word, negative, away, towards)
    up = n.Select(word, negative, towards, away)
    if mode is rounding_mode.rtn:
        moved = n.Select(word, above, down, bits)
    elif mode is rounding_mode.rtp:
        moved = n.Select(word, below, up, bits)
    else:
        far = n.Select(BOOL, negative, below, above)
        moved = n.Select(word, far, towards, bits)
    return n.Bitcast(near.type, moved)
