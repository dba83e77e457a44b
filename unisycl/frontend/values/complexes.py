"""Complex numbers: their parts, and the functions NumPy and Python have of them.

Non-goals: sums, products and quotients, which are operations of the IR (``passes.shared.scalars``
takes them apart). Invariant: a function of a complex number computes in the type of its parts.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from unisycl.frontend import coerce
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Lowering, Value
from unisycl.frontend.values.methods import Method
from unisycl.frontend.values.tuples import Several
from unisycl.ir import nodes as n
from unisycl.ir.builtins import BUILTINS
from unisycl.ir.types import BOOL, WEAK_BOOL, WEAK_COMPLEX, WEAK_FLOAT, WEAK_INT, Scalar

ATTRIBUTES = frozenset(("real", "imag", "conjugate"))
_OF_NUMPY = frozenset(("astype", "conj", "item", "view"))
_MOST = 100  # NumPy multiplies for whole exponents below this


def part(x: n.Expr, *, imaginary: bool) -> n.Expr:
    """Return the real or the imaginary part of any number."""
    kind = x.type.dtype.kind
    if kind != "c":
        if kind == "b" and x.type.weak:
            x = coerce.cast(x, WEAK_INT)
        return coerce.convert(coerce.weak_scalar(0), x.type) if imaginary else x
    type = Scalar(x.type.dtype.part, x.type.weak)
    if isinstance(x, n.Const):
        return n.Const(type, x.value.imag if imaginary else x.value.real)
    if isinstance(x, n.Complex):
        return x.im if imaginary else x.re
    return n.Part(type, x, imaginary)


def attribute(x: n.Expr, name: str) -> Value | None:
    """Return an attribute or method of a number; None if it has no such one."""
    if name in ("real", "imag"):
        return part(x, imaginary=name == "imag")
    if name == "dtype" and not x.type.weak:
        return Constant(x.type.dtype.numpy)
    known = name == "conjugate" or (name in _OF_NUMPY and not x.type.weak)
    return Method(x, name) if known else None


def conjugate(ctx: Lowering, x: n.Expr) -> n.Expr:
    """Return the conjugate of any number."""
    if x.type.dtype.kind != "c":
        return part(x, imaginary=False)
    a, b = parts(ctx, x)
    return n.Complex(x.type, a, _negative(b))


def parts(ctx: Lowering, x: n.Expr) -> tuple[n.Expr, n.Expr]:
    """Return both parts of a number, to be used several times."""
    x = x if isinstance(x, n.Const | n.Complex) else ctx.once(x)
    return ctx.once(part(x, imaginary=False)), ctx.once(part(x, imaginary=True))


def made(ctx: Lowering, re: n.Expr, im: n.Expr) -> n.Expr:
    """Return ``complex(re, im)``, a number of Python's; raises ``LosesPart`` for complex parts."""
    re, im = coerce.cast(re, WEAK_FLOAT), coerce.cast(im, WEAK_FLOAT)
    if isinstance(re, n.Const) and isinstance(im, n.Const):
        return coerce.weak_scalar(complex(re.value, im.value))
    return n.Complex(WEAK_COMPLEX, re, im)


# ---- functions
def magnitude(ctx: Lowering, x: n.Expr) -> n.Expr:
    """Return ``abs(x)``."""
    return _call("hypot", *parts(ctx, x))


def _angle(ctx: Lowering, x: n.Expr) -> n.Expr:
    if x.type.dtype.kind != "c":
        x = coerce.cast(x, coerce.common(x.type, WEAK_COMPLEX) or WEAK_COMPLEX)
    a, b = parts(ctx, x)
    return _call("atan2", b, a)


def _exp(ctx: Lowering, x: n.Expr) -> n.Expr:
    a, b = parts(ctx, x)
    return _polar(ctx, _call("exp", a), b, x.type)


def _polar(ctx: Lowering, radius: n.Expr, angle: n.Expr, type: Scalar) -> n.Expr:
    radius, angle = ctx.once(radius), ctx.once(angle)
    return n.Complex(type, _mul(radius, _call("cos", angle)), _mul(radius, _call("sin", angle)))


def _log(ctx: Lowering, x: n.Expr) -> n.Expr:
    a, b = parts(ctx, x)
    return n.Complex(x.type, _log_abs(ctx, a, b), _call("atan2", b, a))


def _log_abs(ctx: Lowering, a: n.Expr, b: n.Expr) -> n.Expr:
    """Return the logarithm of a magnitude, also near 1, where its square minus 1 is small."""
    one, half = n.Const(a.type, 1.0), n.Const(a.type, 0.5)
    size = ctx.once(_call("hypot", a, b))
    sizes = [ctx.once(_call("fabs", v)) for v in (a, b)]
    large, small = ctx.once(_call("fmax", *sizes)), ctx.once(_call("fmin", *sizes))
    square = _add(_mul(_sub(large, one), _add(large, one)), _mul(small, small))
    near = n.Binary(BOOL, "and", n.Compare(BOOL, "gt", size, half),
                    n.Compare(BOOL, "lt", size, n.Const(a.type, 2.0)))
    return ctx.once(n.Select(a.type, near, _mul(half, _call("log1p", square)),
                             _call("log", size)))


def _sqrt(ctx: Lowering, x: n.Expr) -> n.Expr:
    a, b = parts(ctx, x)
    half, zero = n.Const(a.type, 0.5), n.Const(a.type, 0.0)
    size = _call("fabs", a)
    root = ctx.once(_call("sqrt", _mul(half, _add(size, _call("hypot", a, b)))))
    other = ctx.once(n.Select(a.type, n.Compare(BOOL, "eq", root, zero), zero,
                              _div(_mul(half, _call("fabs", b)), root)))
    right = ctx.once(n.Compare(BOOL, "ge", a, zero))
    return n.Complex(x.type, n.Select(a.type, right, root, other),
                     _call("copysign", n.Select(a.type, right, other, root), b))


def _log_to(base: float) -> Callable[[Lowering, n.Expr], n.Expr]:
    def lower(ctx: Lowering, x: n.Expr) -> n.Expr:
        a, b = parts(ctx, x)
        one = n.Const(a.type, 1 / math.log(base))
        return n.Complex(x.type, _mul(_log_abs(ctx, a, b), one), _mul(_call("atan2", b, a), one))
    return lower


def _sin(ctx: Lowering, x: n.Expr) -> n.Expr:
    a, b = parts(ctx, x)
    return n.Complex(x.type, _mul(_call("sin", a), _call("cosh", b)),
                     _mul(_call("cos", a), _call("sinh", b)))


def _cos(ctx: Lowering, x: n.Expr) -> n.Expr:
    a, b = parts(ctx, x)
    return n.Complex(x.type, _mul(_call("cos", a), _call("cosh", b)),
                     _negative(_mul(_call("sin", a), _call("sinh", b))))


def _sinh(ctx: Lowering, x: n.Expr) -> n.Expr:
    a, b = parts(ctx, x)
    return n.Complex(x.type, _mul(_call("sinh", a), _call("cos", b)),
                     _mul(_call("cosh", a), _call("sin", b)))


def _cosh(ctx: Lowering, x: n.Expr) -> n.Expr:
    a, b = parts(ctx, x)
    return n.Complex(x.type, _mul(_call("cosh", a), _call("cos", b)),
                     _mul(_call("sinh", a), _call("sin", b)))


def _tanh(ctx: Lowering, x: n.Expr) -> n.Expr:
    return n.Complex(x.type, *_tanh_parts(ctx, *parts(ctx, x)))


def _tan(ctx: Lowering, x: n.Expr) -> n.Expr:
    a, b = parts(ctx, x)
    re, im = _tanh_parts(ctx, b, a)
    return n.Complex(x.type, im, re)


def _tanh_parts(ctx: Lowering, a: n.Expr, b: n.Expr) -> tuple[n.Expr, n.Expr]:
    """Return the parts of tanh(a + bi) (Kahan); where ``a`` is large, as they approach 1 and 0."""
    type, one = a.type, n.Const(a.type, 1.0)
    size = ctx.once(_call("fabs", a))
    near = n.Const(type, 9.0 if type.dtype.bits == 32 else 19.0)
    far = ctx.once(n.Compare(BOOL, "gt", size, near))
    tangent = ctx.once(_call("tan", b))
    sinus = ctx.once(_call("sinh", n.Select(type, far, n.Const(type, 0.0), a)))
    slope = ctx.once(_add(one, _mul(tangent, tangent)))
    whole = _call("sqrt", _add(one, _mul(sinus, sinus)))
    below = ctx.once(_add(one, _mul(_mul(slope, sinus), sinus)))
    small = _mul(n.Const(type, 4.0), _mul(_mul(_call("sin", b), _call("cos", b)),
                                          _call("exp", _mul(n.Const(type, -2.0), size))))
    return (ctx.once(n.Select(type, far, _call("copysign", one, a),
                              _div(_mul(_mul(slope, whole), sinus), below))),
            ctx.once(n.Select(type, far, small, _div(tangent, below))))


FUNCTIONS: dict[str, Callable[[Lowering, n.Expr], n.Expr]] = {
    "abs": magnitude, "exp": _exp, "log": _log, "sqrt": _sqrt, "log2": _log_to(2),
    "log10": _log_to(10), "sin": _sin, "cos": _cos, "tan": _tan, "sinh": _sinh, "cosh": _cosh,
    "tanh": _tanh,
}
"""NumPy's functions of one number that have a complex meaning here, by the names of their rows."""

_CALLS: tuple[tuple[Any, Callable[[Lowering, n.Expr], n.Expr]], ...] = (
    (np.conjugate, conjugate), (np.angle, _angle),
    (np.real, lambda ctx, x: part(x, imaginary=False)),
    (np.imag, lambda ctx, x: part(x, imaginary=True)),
)


def _base(ctx: Lowering, x: n.Expr, base: n.Expr) -> n.Expr:
    return _div(_log(ctx, x), _log(ctx, base))


def _polar_parts(ctx: Lowering, x: n.Expr) -> Value:
    x = ctx.once(x)
    return Several((magnitude(ctx, x), _angle(ctx, x)))


def _rect(ctx: Lowering, radius: n.Expr, angle: n.Expr) -> n.Expr:
    return _polar(ctx, radius, angle, WEAK_COMPLEX)


def _sizes(test: str, op: str) -> Callable[[Lowering, n.Expr], n.Expr]:
    """Return a test of both parts: whether their sizes are so to infinity."""
    def lower(ctx: Lowering, x: n.Expr) -> n.Expr:
        a, b = (n.Compare(BOOL, test, _call("fabs", v), n.Const(v.type, math.inf))
                for v in parts(ctx, x))
        return coerce.convert(n.Binary(BOOL, op, a, b), WEAK_BOOL)
    return lower


def _is_nan(ctx: Lowering, x: n.Expr) -> n.Expr:
    a, b = (n.Compare(BOOL, "ne", v, v) for v in parts(ctx, x))
    return coerce.convert(n.Binary(BOOL, "or", a, b), WEAK_BOOL)


_PYTHON: dict[Any, tuple[Scalar, dict[int, Callable[..., Value]]]] = {
    **{getattr(cmath, name): (WEAK_COMPLEX, {1: FUNCTIONS[name]}) for name in (
        "exp", "sqrt", "log10", "sin", "cos", "tan", "sinh", "cosh", "tanh")},
    cmath.log: (WEAK_COMPLEX, {1: _log, 2: _base}), cmath.phase: (WEAK_COMPLEX, {1: _angle}),
    cmath.polar: (WEAK_COMPLEX, {1: _polar_parts}), cmath.rect: (WEAK_FLOAT, {2: _rect}),
    cmath.isnan: (WEAK_COMPLEX, {1: _is_nan}), cmath.isinf: (WEAK_COMPLEX, {1: _sizes("eq", "or")}),
    cmath.isfinite: (WEAK_COMPLEX, {1: _sizes("lt", "and")}),
}
"""Functions of cmath: the type their operands are converted to, and one for each number of them."""


def function(ctx: Lowering, obj: Any, args: Sequence[n.Expr]) -> Value | None:
    """Return a function of cmath, or NumPy's conjugate, angle, real or imag; None for others."""
    kind, forms = _PYTHON.get(obj, (WEAK_COMPLEX, {}))
    if len(args) in forms:
        return forms[len(args)](ctx, *(coerce.cast(x, kind) for x in args))
    for known, lower in _CALLS:
        if obj is known and len(args) == 1:
            found = lower(ctx, args[0])
            return coerce.convert(found, Scalar(found.type.dtype))
    return None


def is_function(obj: Any) -> bool:
    """Say whether ``function`` knows a callable."""
    if type(obj) is type(cmath.exp):
        return obj in _PYTHON
    return any(obj is known for known, _ in _CALLS)


# ---- powers
def power(ctx: Lowering, a: n.Expr, b: n.Expr, type: Scalar) -> n.Expr:
    """Return ``a ** b``: a small whole exponent multiplies, as NumPy does."""
    exponent = _whole(b)
    if exponent is not None:
        return _repeated(ctx, ctx.once(coerce.cast(a, type)), exponent, type)
    base, other = (ctx.once(coerce.cast(x, type)) for x in (a, b))
    (p, q), (c, d) = parts(ctx, base), parts(ctx, other)
    size, angle = _log_abs(ctx, p, q), ctx.once(_call("atan2", q, p))
    radius = _call("exp", _sub(_mul(c, size), _mul(d, angle)))
    found = ctx.once(_polar(ctx, radius, _add(_mul(c, angle), _mul(d, size)), type))
    zero = n.Const(type, 0j)
    nothing = n.Select(type, n.Compare(BOOL, "gt", c, n.Const(c.type, 0.0)), zero,
                       n.Const(type, complex(math.nan, math.nan)))
    found = n.Select(type, n.Compare(BOOL, "eq", base, zero), nothing, found)
    return n.Select(type, n.Compare(BOOL, "eq", other, zero), n.Const(type, 1 + 0j), found)


def _whole(b: n.Expr) -> int | None:
    """Return an exponent that is a constant small whole number; None for any other."""
    if not isinstance(b, n.Const):
        return None
    value = complex(b.value)
    whole = value.imag == 0 and abs(value.real) < _MOST and value.real == int(value.real)
    return int(value.real) if whole else None


def _repeated(ctx: Lowering, a: n.Expr, exponent: int, type: Scalar) -> n.Expr:
    """Square and multiply."""
    one = n.Const(type, 1 + 0j)
    if exponent in (0, 1):
        return a if exponent else one
    if exponent in (2, 3):
        square = _mul(a, a)
        return square if exponent == 2 else _mul(a, ctx.once(square))
    result, factor, left = None, a, abs(exponent)
    while left:
        if left & 1:
            result = ctx.once(_mul(one if result is None else result, factor))
        left >>= 1
        if left:
            factor = ctx.once(_mul(factor, factor))
    assert result is not None
    return result if exponent > 0 else _div(one, result)


def _call(name: str, *args: n.Expr) -> n.Expr:
    return n.Call(args[0].type, BUILTINS[name], args)


def _negative(x: n.Expr) -> n.Expr:
    return n.Const(x.type, -x.value) if isinstance(x, n.Const) else n.Unary(x.type, "neg", x)


def _mul(a: n.Expr, b: n.Expr) -> n.Expr:
    return n.Binary(a.type, "mul", a, b)


def _add(a: n.Expr, b: n.Expr) -> n.Expr:
    return n.Binary(a.type, "add", a, b)


def _sub(a: n.Expr, b: n.Expr) -> n.Expr:
    return n.Binary(a.type, "sub", a, b)


def _div(a: n.Expr, b: n.Expr) -> n.Expr:
    return n.Binary(a.type, "div", a, b)
